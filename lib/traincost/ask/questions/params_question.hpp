// How many parameters a model has, by module and tensor, and how many a rank of a layout holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traincost/ask/model_input.hpp"
#include "traincost/cost/params.hpp"

namespace traincost {

struct ParamsQuestion {
    std::string model;  ///< as `load_model` takes it
    std::int64_t tp = 1;
    std::int64_t pp = 1;
    std::int64_t vp = 1;
    std::int64_t ep = 1;
    std::int64_t etp = 1;
};

/// One weight tensor of the model, and how many layers have it.
struct ParamsTensor {
    std::string where;
    WeightTensor tensor;
    std::int64_t layers;
};

/// The parameters that one rank of a stage holds, and the stage's layers.
struct ParamsStage {
    std::int64_t layers;
    ShardedCount count;
};

struct ParamsAnswer {
    ModelInput input;
    ParameterCount count;
    std::vector<ParamsTensor> tensors;
    std::vector<ParamsStage> stages;  ///< none where nothing is sharded
};

/// `Error` where the model is unknown, or the degrees do not suit it.
ParamsAnswer ask(const ParamsQuestion& question, const Sources& sources);

}  // namespace traincost
