// A pipeline's stages as the formulas of its schedules take them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "traincost/cost/pipeline.hpp"

namespace traincost {

/// Doubles in a row, on the stack for as many stages as pipelines have.
class StageRow {
public:
    explicit StageRow(std::size_t size) : size_(size) {
        if (size > few_.size())
            many_.resize(size);
        data_ = size > few_.size() ? many_.data() : few_.data();
    }
    StageRow(const StageRow&) = delete;
    StageRow& operator=(const StageRow&) = delete;
    double& operator[](std::size_t i) {
        return data_[i];
    }
    double operator[](std::size_t i) const {
        return data_[i];
    }
    std::size_t size() const {
        return size_;
    }

private:
    std::size_t size_;
    std::array<double, 66> few_;
    std::vector<double> many_;
    double* data_;
};

/// Forward and backward times by stage with what each waits for transfers, and the delay of a transfer.
struct PipelineTimes {
    StageRow f, b, w;
    double delay;
    double sum = 0.0;

    PipelineTimes(const PipelineStagesView& stages, const StageTransfer& transfer)
        : f(stages.size()),
          b(stages.size()),
          w(stages.size()),
          delay(transfer.overlapped ? transfer.time.value() : 0.0) {
        const double wait = transfer.overlapped ? 0.0 : transfer.time.value();
        const std::size_t p = stages.size();
        for (std::size_t s = 0; s < p; ++s) {
            f[s] = stages[s].forward.value() + (s > 0 ? wait : 0.0);
            b[s] = stages[s].backward.value() + (s + 1 < p ? wait : 0.0);
            w[s] = f[s] + b[s];
            sum += w[s];
        }
    }
    std::size_t size() const {
        return w.size();
    }
};

/// Neighbouring stages that take one time.
struct StageRun {
    double f, b, w;
    double weight;
    std::size_t begin, end;
    double count() const {
        return static_cast<double>(end - begin);
    }
};

/// A pipeline's stages as runs, hardly ever more than three, without delays.
class StageRuns {
public:
    StageRuns(const PipelineStagesView& stages, const StageTransfer& transfer) {
        const double wait = transfer.overlapped ? 0.0 : transfer.time.value();
        const std::size_t p = stages.size();
        for (std::size_t s = 0; s < p; ++s) {
            // Both ends wait less: they are runs of their own.
            if (s > 1 && s + 1 < p && stages.class_of[s] == stages.class_of[s - 1]) {
                ++back().end;
                continue;
            }
            const StageTime& x = stages[s];
            StageRun run{x.forward.value() + (s > 0 ? wait : 0.0),
                         x.backward.value() + (s + 1 < p ? wait : 0.0),
                         0.0,
                         x.weight.value(),
                         s,
                         s + 1};
            run.w = run.f + run.b;
            push(run);
        }
        for (const StageRun& r : *this) {
            least = std::min(least, r.w);
            most = std::max(most, r.w);
            sum_f += r.f * r.count();
            sum_b += r.b * r.count();
        }
    }
    const StageRun* begin() const {
        return size_ > few_.size() ? many_.data() : few_.data();
    }
    const StageRun* end() const {
        return begin() + size_;
    }
    double stages() const {
        return static_cast<double>((end() - 1)->end);
    }

    double least = std::numeric_limits<double>::infinity();  ///< of w
    double most = 0.0;
    double sum_f = 0.0;
    double sum_b = 0.0;

private:
    StageRun& back() {
        return size_ > few_.size() ? many_.back() : few_[size_ - 1];
    }
    void push(const StageRun& run) {
        if (size_ < few_.size()) {
            few_[size_] = run;
        } else {
            if (size_ == few_.size())
                many_.assign(few_.begin(), few_.end());
            many_.push_back(run);
        }
        ++size_;
    }

    std::array<StageRun, 8> few_;
    std::vector<StageRun> many_;
    std::size_t size_ = 0;
};

}  // namespace traincost
