#include "traincost/cost/pipeline_simulation.hpp"

#include <algorithm>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/spec/pipeline_rules.hpp"

namespace traincost {

namespace {

/// A task of a stage's list. `joined` runs together with the next one, and both end together.
struct Task {
    PipelineTask kind;
    bool joined;
    std::int32_t chunk;
    std::int32_t micro_batch;
};

using TaskList = std::vector<Task>;

std::int32_t narrow(std::size_t x) {
    return static_cast<std::int32_t>(x);
}

Task forward_of(std::size_t chunk, std::size_t micro_batch) {
    return {PipelineTask::forward, false, narrow(chunk), narrow(micro_batch)};
}

Task backward_of(std::size_t chunk, std::size_t micro_batch) {
    return {PipelineTask::backward, false, narrow(chunk), narrow(micro_batch)};
}

/// GPipe, 1F1B and interleaved 1F1B: so many forward passes, then pairs, then what is left. Micro-batches go
/// through the chunks of a stage in groups of p, backward from the last chunk.
TaskList one_f_one_b(Schedule schedule, std::size_t s, std::size_t p, std::size_t v, std::size_t m) {
    const std::size_t tasks = m * v;
    std::size_t ahead = tasks;
    if (schedule == Schedule::one_f_one_b) {
        ahead = std::min(tasks, p - s - 1);
    } else if (schedule == Schedule::interleaved) {
        ahead = std::min(tasks, (p - s - 1) * 2 + (v - 1) * p);
    }
    // The k-th pass; the last group may be smaller than p.
    const auto pass = [&](std::size_t k) {
        const std::size_t group = k / (p * v);
        const std::size_t size = std::min(p, m - group * p);
        const std::size_t rest = k - group * p * v;
        return std::pair(rest / size, group * p + rest % size);
    };
    TaskList list;
    list.reserve(2 * tasks);
    const auto forward = [&](std::size_t k) {
        const auto [turn, i] = pass(k);
        list.push_back(forward_of(turn * p + s, i));
    };
    for (std::size_t k = 0; k < ahead; ++k)
        forward(k);
    for (std::size_t k = 0; k < tasks; ++k) {
        if (ahead + k < tasks)
            forward(ahead + k);
        const auto [turn, i] = pass(k);
        list.push_back(backward_of((v - 1 - turn) * p + s, i));
    }
    return list;
}

/// ZB-H1: 1F1B whose weight gradients come s micro-batches later, and fill the waits at the end.
TaskList zero_bubble(std::size_t s, std::size_t p, std::size_t m) {
    const std::size_t ahead = std::min(m, p - s - 1);
    TaskList list;
    list.reserve(3 * m);
    std::size_t made = 0;
    const auto weight = [&] {
        list.push_back({PipelineTask::weight_gradient, false, narrow(s), narrow(made++)});
    };
    for (std::size_t i = 0; i < ahead; ++i)
        list.push_back(forward_of(s, i));
    for (std::size_t i = 0; i < m; ++i) {
        const bool steady = ahead + i < m;
        if (steady)
            list.push_back(forward_of(s, ahead + i));
        list.push_back({PipelineTask::input_gradient, false, narrow(s), narrow(i)});
        if (!steady || i >= s)
            weight();
    }
    while (made < m)
        weight();
    return list;
}

/// DualPipe's list of one stage: micro-batches of the near end are "own", of the far end "other".
class DualList {
public:
    DualList(std::size_t stage, std::size_t p, std::size_t m)
        : stage_(stage), p_(p), half_(m / 2), second_(stage >= p / 2) {
    }

    TaskList list() {
        const std::size_t r = std::min(stage_, p_ - 1 - stage_);
        const std::size_t inner = p_ / 2 - 1 - r;  // stages between this one and the middle
        for (std::size_t i = 0; i < 2 * inner; ++i)
            forward(own);
        for (std::size_t i = 0; i < r + 1; ++i) {
            forward(own);
            forward(other);
        }
        for (std::size_t i = 0; i < inner; ++i) {
            input_gradient(other);
            weight();
            forward(other);
        }
        for (std::size_t i = 0; i < half_ + r + 1 - p_; ++i) {
            // In the middle the first pair would wait for itself.
            pair(own, other, i > 0 || inner > 0);
            pair(other, own, true);
        }
        for (std::size_t i = 0; i < inner; ++i) {
            backward(other);
            pair(other, own, true);
        }
        drain(r, inner);
        return std::move(list_);
    }

private:
    enum End : std::size_t { own, other };

    /// Both ends' last backward passes; weight gradients are put off from the middle of them on.
    void drain(std::size_t r, std::size_t inner) {
        bool put_off = false;
        for (std::size_t i = 0; i < r + 1; ++i) {
            const bool now = i == (r + 1) / 2;
            put_off = put_off || (now && r % 2 == 1);
            put_off ? input_gradient(other) : backward(other);
            put_off = put_off || (now && r % 2 == 0);
            put_off ? input_gradient(own) : backward(own);
        }
        for (std::size_t i = 0; i < inner; ++i) {
            weight();
            input_gradient(own);
        }
        while (next_weight_ < waiting_.size())
            weight();
    }

    /// Chunk and micro-batch of the i-th pass from an end.
    Task at(PipelineTask kind, End end, std::size_t i) const {
        const bool from_first = (end == own) != second_;
        return {kind, false, narrow(from_first ? stage_ : p_ - 1 - stage_),
                narrow(from_first ? i : half_ + i)};
    }
    void forward(End end) {
        list_.push_back(at(PipelineTask::forward, end, forwards_[end]++));
    }
    void backward(End end) {
        list_.push_back(at(PipelineTask::backward, end, backwards_[end]++));
    }
    void input_gradient(End end) {
        Task task = at(PipelineTask::input_gradient, end, backwards_[end]++);
        list_.push_back(task);
        task.kind = PipelineTask::weight_gradient;
        waiting_.push_back(task);
    }
    void weight() {
        list_.push_back(waiting_[next_weight_++]);
    }
    void pair(End ahead, End back, bool joined) {
        forward(ahead);
        list_.back().joined = joined;
        backward(back);
    }

    std::size_t stage_, p_, half_;
    bool second_;
    std::size_t forwards_[2] = {0, 0};
    std::size_t backwards_[2] = {0, 0};
    TaskList waiting_;
    std::size_t next_weight_ = 0;
    TaskList list_;
};

TaskList task_list(Schedule schedule, std::size_t s, std::size_t p, std::size_t v, std::size_t m) {
    switch (schedule) {
        case Schedule::zero_bubble:
            return zero_bubble(s, p, m);
        case Schedule::dualpipe:
            return DualList(s, p, m).list();
        default:
            return one_f_one_b(schedule, s, p, v, m);
    }
}

/// Every stage takes its tasks in order, each as soon as what it needs has arrived.
class Player {
public:
    explicit Player(const Pipeline& pipeline)
        : pipe_(pipeline),
          p_(static_cast<std::size_t>(pipeline.stages)),
          m_(static_cast<std::size_t>(pipeline.micro_batches)),
          chunks_(pipeline.chunks.size()),
          forward_(chunks_ * m_, never),
          backward_(chunks_ * m_, never),
          free_(p_, 0.0),
          next_(p_, 0) {
        lists_.reserve(p_);
        for (std::size_t s = 0; s < p_; ++s)
            lists_.push_back(task_list(pipeline.schedule, s, p_, chunks_ / p_, m_));
        delay_ = pipeline.transfer.overlapped ? pipeline.transfer.time.value() : 0.0;
        fill_durations();
    }

    double run(PipelineRun* out) {
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t s = 0; s < p_; ++s) {
                while (next_[s] < lists_[s].size() && step(s, out))
                    moved = true;
            }
        }
        return *std::max_element(free_.begin(), free_.end());
    }

private:
    static constexpr double never = -1.0;

    std::size_t index(const Task& t) const {
        return static_cast<std::size_t>(t.chunk) * m_ + static_cast<std::size_t>(t.micro_batch);
    }

    /// When what the task needs has arrived; `never` while it has not. `pair` is what ends with it.
    double ready(const Task& t, const Task* pair) const {
        const std::size_t here = index(t);
        if (t.kind == PipelineTask::weight_gradient)
            return 0.0;  // behind its input gradient in the list
        if (t.kind == PipelineTask::forward) {
            if (t.chunk == 0)
                return 0.0;
            const double end = forward_[here - m_];
            return end == never ? never : end + delay_;
        }
        if (static_cast<std::size_t>(t.chunk) + 1 == chunks_)
            return pair != nullptr && index(*pair) == here ? 0.0 : forward_[here];
        const double end = backward_[here + m_];
        return end == never ? never : end + delay_;
    }

    /// Time of each kind of task on each chunk, what it waits for its transfer included.
    void fill_durations() {
        const double wait = pipe_.transfer.overlapped ? 0.0 : pipe_.transfer.time.value();
        durations_.resize(4 * chunks_);
        for (std::size_t c = 0; c < chunks_; ++c) {
            const ChunkTime& time = pipe_.chunks[c];
            const double sent_back = c + 1 < chunks_ ? wait : 0.0;
            double* of = &durations_[4 * c];
            of[static_cast<std::size_t>(PipelineTask::forward)] = time.forward.value() + (c > 0 ? wait : 0.0);
            of[static_cast<std::size_t>(PipelineTask::backward)] = time.backward.value() + sent_back;
            of[static_cast<std::size_t>(PipelineTask::input_gradient)] =
                (time.backward - time.weight).value() + sent_back;
            of[static_cast<std::size_t>(PipelineTask::weight_gradient)] = time.weight.value();
        }
    }

    double duration(const Task& t) const {
        return durations_[4 * static_cast<std::size_t>(t.chunk) + static_cast<std::size_t>(t.kind)];
    }

    void finish(std::size_t s, const Task& t, double begin, double end, PipelineRun* out) {
        if (t.kind == PipelineTask::forward) {
            forward_[index(t)] = end;
        } else if (t.kind != PipelineTask::weight_gradient) {
            backward_[index(t)] = end;
        }
        if (out != nullptr) {
            out->events.push_back(
                {static_cast<std::int64_t>(s), t.kind, t.chunk, t.micro_batch, Seconds{begin}, Seconds{end}});
        }
    }

    bool step(std::size_t s, PipelineRun* out) {
        const Task& t = lists_[s][next_[s]];
        const Task* pair = t.joined ? &lists_[s][next_[s] + 1] : nullptr;
        double begin = ready(t, nullptr);
        if (begin == never)
            return false;
        double work = duration(t);
        if (pair != nullptr) {
            const double other = ready(*pair, &t);
            if (other == never)
                return false;
            begin = std::max(begin, other);
            work += duration(*pair);
        }
        begin = std::max(begin, free_[s]);
        free_[s] = begin + work;
        if (out != nullptr)
            out->busy[s] += Seconds{work};
        finish(s, t, begin, free_[s], out);
        if (pair != nullptr)
            finish(s, *pair, begin, free_[s], out);
        next_[s] += pair != nullptr ? 2 : 1;
        return true;
    }

    const Pipeline& pipe_;
    std::size_t p_, m_, chunks_;
    std::vector<double> forward_;  ///< when a chunk's forward pass of a micro-batch has ended
    std::vector<double> backward_;
    std::vector<double> free_;  ///< when a stage has ended its last task
    std::vector<std::size_t> next_;
    std::vector<TaskList> lists_;
    std::vector<double> durations_;  ///< by chunk and kind of task
    double delay_;
};

void require_playable(const Pipeline& x) {
    const auto chunks = static_cast<std::int64_t>(x.chunks.size());
    const std::int64_t vp = x.stages > 0 ? chunks / x.stages : 0;
    if (vp * x.stages != chunks || !can_play(x.schedule, x.stages, vp, x.micro_batches)) {
        throw Error(ErrorKind::input, "the schedule does not exist for " + std::to_string(x.stages) +
                                          " stages, " + std::to_string(chunks) + " chunks and " +
                                          std::to_string(x.micro_batches) + " micro-batches");
    }
}

}  // namespace

std::vector<ChunkTime> chunk_times(const PipelineStagesView& stages, std::int64_t vp) {
    const auto v = static_cast<std::size_t>(vp);
    const std::size_t p = stages.size();
    std::vector<ChunkTime> chunks;
    chunks.reserve(p * v);
    for (std::size_t c = 0; c < p * v; ++c) {
        const StageTime& s = stages[c % p];
        const double parts = static_cast<double>(v);
        const double whole = c == 0 || c + 1 == p * v ? 1.0 : 0.0;
        chunks.push_back({(s.forward - s.end_forward) / parts + s.end_forward * whole,
                          (s.backward - s.end_backward) / parts + s.end_backward * whole, s.weight / parts});
    }
    return chunks;
}

bool can_play(Schedule schedule, std::int64_t stages, std::int64_t vp, std::int64_t micro_batches) {
    if (stages < 1 || vp < 1 || micro_batches < 1)
        return false;
    if (schedule == Schedule::interleaved)
        return true;  // groups of fewer than all stages are played too
    return stages > 1 ? runs_schedule(schedule, stages, vp, micro_batches) : vp == 1;
}

PipelineRun play(const Pipeline& pipeline) {
    require_playable(pipeline);
    PipelineRun run{};
    run.busy.resize(static_cast<std::size_t>(pipeline.stages));
    run.total = Seconds{Player(pipeline).run(&run)};
    std::stable_sort(run.events.begin(), run.events.end(),
                     [](const PipelineEvent& a, const PipelineEvent& b) { return a.stage < b.stage; });
    return run;
}

Seconds played_time(const Pipeline& pipeline) {
    require_playable(pipeline);
    return Seconds{Player(pipeline).run(nullptr)};
}

}  // namespace traincost
