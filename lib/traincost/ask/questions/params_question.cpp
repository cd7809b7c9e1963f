#include "traincost/ask/questions/params_question.hpp"

#include "traincost/base/error.hpp"
#include "traincost/spec/degree_rules.hpp"

namespace traincost {

namespace {

std::string params_layer_name(const LayerKind& kind) {
    const std::string side = kind.side == Side::encoder         ? "encoder layer"
                             : kind.side == Side::cross_decoder ? "decoder layer"
                                                                : "layer";
    if (kind.mixer == Mixer::recurrent || kind.mixer == Mixer::none || !kind.mlp) {
        if (kind.mixer == Mixer::none)
            return kind.moe ? "expert layer" : "MLP layer";
        const std::string mixer = kind.mixer == Mixer::recurrent ? "recurrent layer" : "attention layer";
        return !kind.mlp ? mixer : kind.moe ? "expert " + mixer : mixer;
    }
    return kind.moe ? "expert " + side : side;
}

/// Layers of another shape than the model's are told apart by their number among `ModelSpec::shapes`.
std::string params_layer_of_shape(const LayerKind& kind) {
    const std::string name = params_layer_name(kind);
    return kind.shape == 0 ? name : name + " of shape " + std::to_string(kind.shape);
}

std::vector<ParamsTensor> params_tensors(const ModelSpec& model) {
    std::vector<ParamsTensor> rows;
    const auto add = [&](const std::string& where, const WeightList& weights, std::int64_t layers) {
        for (const WeightTensor& tensor : weights) {
            rows.push_back({where, tensor, layers});
        }
    };
    add("input", embedding_weights(model), 1);
    for (const LayerKind& kind : layer_kinds(model)) {
        add(params_layer_of_shape(kind), layer_weights(model, kind), kind.count);
    }
    add("output", head_weights(model, false), 1);
    return rows;
}

bool is_sharded(const ParamsQuestion& o) {
    return o.tp > 1 || o.pp > 1 || o.vp > 1 || o.ep > 1 || o.etp > 1;
}

std::vector<ParamsStage> params_stages(const ModelSpec& model, const ParamsQuestion& o) {
    const StageLayout layout{.pp = o.pp, .vp = o.vp, .blocks = block_count(model)};
    std::vector<ParamsStage> stages;
    for (std::int64_t stage = 0; stage < o.pp; ++stage) {
        std::int64_t layers = 0;
        for (std::int64_t chunk = stage; chunk < o.pp * o.vp; chunk += o.pp) {
            layers += chunk_size(layout, chunk);
        }
        stages.push_back({layers, stage_parameters(model, layout, stage, o.tp, o.ep, o.etp)});
    }
    return stages;
}

void check_params_degrees(const ModelSpec& model, const ParamsQuestion& o) {
    if (o.pp * o.vp > block_count(model)) {
        throw Error(ErrorKind::usage, "--pp " + std::to_string(o.pp) + " with --vp " + std::to_string(o.vp) +
                                          " makes more chunks than the " +
                                          std::to_string(block_count(model)) + " layers");
    }
    std::vector<Problem> problems;
    Checker check(problems, "");
    Parallelism degrees{};
    degrees.tp = o.tp;
    degrees.ep = o.ep;
    validate_degrees(model, degrees, check);
    if (o.tp % o.etp != 0)
        check.divides("parallel.etp", o.etp, o.tp, "--tp");
    for (Problem& problem : problems)
        problem.path = "--" + problem.path.substr(problem.path.find('.') + 1);
    throw_if_any(problems);
}

}  // namespace

ParamsAnswer ask(const ParamsQuestion& question, const Sources& sources) {
    ModelInput input = load_model(question.model, sources);
    check_params_degrees(input.model, question);
    ParamsAnswer answer{.input = std::move(input), .count = {}, .tensors = {}, .stages = {}};
    answer.count = parameter_count(answer.input.model);
    answer.tensors = params_tensors(answer.input.model);
    if (is_sharded(question)) {
        answer.stages = params_stages(answer.input.model, question);
    }
    return answer;
}

}  // namespace traincost
