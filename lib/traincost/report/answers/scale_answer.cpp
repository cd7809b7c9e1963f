#include "traincost/report/answers/scale_answer.hpp"

namespace traincost {

namespace {

void write_allocation(JsonWriter& out, const Allocation& a) {
    out.member("parameters", a.parameters);
    out.member("tokens", a.tokens);
    out.member("tokens_per_parameter", a.tokens / a.parameters);
    out.member("loss", a.loss);
}

}  // namespace

void write_json(JsonWriter& out, const ScalingBudget& q) {
    out.begin_object();
    out.member("schema_version", 1);
    out.member("flops", q.compute);
    out.key("laws").begin_array();
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i) {
        out.begin_object();
        out.member("name", scaling_law_names()[i]);
        write_allocation(out, optimal_allocation(static_cast<ScalingLaw>(i), q.compute, q.ratio));
        out.end_object();
    }
    out.end_array();
    if (q.parameters) {
        out.key("given_size").begin_object();
        write_allocation(out, fixed_size(besiroglu_loss, q.compute, *q.parameters));
        const Allocation best = optimal_allocation(ScalingLaw::besiroglu, q.compute);
        out.member("tokens_as_good_as_optimum", tokens_for_loss(besiroglu_loss, *q.parameters, best.loss));
        out.end_object();
    }
    if (q.inference_tokens) {
        const LifetimeAllocation life = lifetime_optimal(besiroglu_loss, q.compute, *q.inference_tokens);
        out.key("lifetime").begin_object();
        write_allocation(out, life.allocation);
        out.member("training_flops", life.training);
        out.member("inference_flops", life.inference);
        out.end_object();
    }
    out.array("assumptions", q.assumptions);
    out.end_object();
}

}  // namespace traincost
