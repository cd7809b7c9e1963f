#include "traincost/spec/degree_rules.hpp"

namespace traincost {

namespace {

/// Mixers that keep a state are divided by head over tp, and over cp too, which trades sequence for heads
/// around them; the heads of keys are divided as well, or each rank repeats one.
void validate_recurrence(const ModelSpec& model, const Parallelism& p, Checker& check) {
    if (!model.recurrent)
        return;
    const RecurrentSpec& r = *model.recurrent;
    check.divides("parallel.tp", p.tp, r.heads, "model.recurrent.heads");
    if (p.tp > 0 && r.groups % p.tp != 0 && p.tp % r.groups != 0) {
        check.add("parallel.tp", std::to_string(p.tp) + "; must divide model.recurrent.groups = " +
                                     std::to_string(r.groups) + " or be a multiple of it");
    }
    if (p.tp > 0 && p.cp > 1)
        check.divides("parallel.cp", p.tp * p.cp, r.heads, "model.recurrent.heads (tp*cp)");
}

}  // namespace

void validate_degrees(const ModelSpec& m, const Parallelism& p, Checker& check) {
    if (has_attention(m))
        check.divides("parallel.tp", p.tp, m.heads, "model.heads");
    validate_recurrence(m, p, check);
    if (has_attention(m) && p.tp > 0 && m.kv_heads % p.tp != 0 && p.tp % m.kv_heads != 0 && !m.mla) {
        check.add("parallel.tp", std::to_string(p.tp) + "; must divide model.kv_heads = " +
                                     std::to_string(m.kv_heads) + " or be a multiple of it");
    }
    if (has_dense_mlp(m))
        check.divides("parallel.tp", p.tp, m.ffn, "model.ffn");
    if (p.ep > 1 && !m.moe)
        check.add("parallel.ep", std::to_string(p.ep) + "; the model has no experts");
    else if (p.ep > 1)
        check.divides("parallel.ep", p.ep, m.moe->experts, "model.moe.experts");
}

bool divides_model(const ModelSpec& model, const Parallelism& parallel) {
    std::vector<Problem> problems;
    Checker check(problems, "");
    validate_degrees(model, parallel, check);
    return problems.empty();
}

}  // namespace traincost
