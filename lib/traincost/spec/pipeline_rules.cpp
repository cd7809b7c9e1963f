#include "traincost/spec/pipeline_rules.hpp"

#include "traincost/spec/check.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

bool deals_evenly(const Job& job, std::int64_t chunks) {
    const std::int64_t blocks = job.model.layers + job.model.decoder_layers;
    return blocks % chunks == 0 || (job.stack.pipeline.ends_count_as_blocks && (blocks + 2) % chunks == 0);
}

bool runs_schedule(Schedule schedule, std::int64_t pp, std::int64_t vp, std::int64_t micro_batches) {
    if (pp == 1)
        return true;
    switch (schedule) {
        case Schedule::dualpipe:
            return vp == 1 && pp % 2 == 0 && micro_batches % 2 == 0 && micro_batches >= 2 * pp;
        case Schedule::interleaved:
            return vp == 1 || micro_batches % pp == 0;
        case Schedule::gpipe:
        case Schedule::one_f_one_b:
        case Schedule::zero_bubble:
            break;
    }
    return vp == 1;
}

void validate_schedule(const Job& job, std::vector<Problem>& problems) {
    Checker check(problems, "run.");
    const Parallelism& p = job.run.parallel;
    const Schedule schedule = schedule_of(job);
    const std::int64_t m = micro_batches(job.run);
    if (runs_schedule(schedule, p.pp, p.vp, m))
        return;
    const std::string name(name_of(schedule));
    if (schedule == Schedule::dualpipe) {
        check.add("schedule", name + " with pp = " + std::to_string(p.pp) + ", vp = " + std::to_string(p.vp) +
                                  " and " + std::to_string(m) +
                                  " micro-batches per step; needs an even pp, vp = 1 and an even number of "
                                  "at least 2*pp micro-batches");
    } else if (schedule == Schedule::interleaved) {
        check.add("parallel.vp",
                  std::to_string(p.vp) + "; the interleaved schedule needs a multiple of pp = " +
                      std::to_string(p.pp) + " micro-batches per step, not " + std::to_string(m));
    } else {
        check.add("schedule",
                  name + " has no virtual stages (vp = " + std::to_string(p.vp) + "); use interleaved");
    }
}

}  // namespace traincost
