#include "traincost/methods/iiis.hpp"

#include <algorithm>
#include <array>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "traincost/base/error.hpp"
#include "traincost/methods/tables.hpp"

namespace traincost {

namespace {

// The backend's tables at b73dbc4. (Its bus of the A100 is 900, NVLink 3 has 600; its H200 bandwidth 4900,
// the data sheet 4800; the RTX figures are fp16 with fp16 accumulation.)
constexpr std::array<IiisGpu, 5> gpus = {{
    {"H200", 989, 495, 141, 4900, 900, 1},
    {"H100", 989, 495, 80, 3350, 900, 1},
    {"A100", 312, 156, 80, 2000, 900, 1},
    {"4090", 330, 83, 24, 1000, 64, 10},
    {"3090", 142, 36, 24, 936, 64, 10},
}};

// (GPT-3 Medium and Large have 24 layers in the paper; 13B has h = 5140 there too, which 40 heads do not
// divide. "GPT-32.7B" is GPT-3 2.7B; two sizes are there under two names.)
constexpr std::array<IiisModel, 14> models = {{
    {"LLAMA-7B", 4096, 32, 4096, 32, 32000},
    {"LLAMA-13B", 4096, 40, 5120, 40, 32000},
    {"LLAMA-32B", 4096, 52, 6656, 60, 32000},
    {"LLAMA-65B", 4096, 64, 8192, 80, 32000},
    {"LLaMA2 70B", 4096, 64, 8192, 80, 32000},
    {"Gpt3", 2048, 96, 12288, 96, 50257},
    {"GPT-3 Small", 2048, 12, 768, 12, 50257},
    {"GPT-3 Medium", 2048, 16, 1024, 16, 50257},
    {"GPT-3 Large", 2048, 16, 1536, 16, 50257},
    {"GPT-3 XL", 2048, 24, 2048, 24, 50257},
    {"GPT-32.7B", 2048, 32, 2560, 32, 50257},
    {"GPT-3 6.7B", 2048, 32, 4096, 32, 50257},
    {"GPT-3 13B", 2048, 40, 5140, 40, 50257},
    {"GPT-3 175B", 2048, 96, 12288, 96, 50257},
}};

/// Bytes a GPU keeps of the whole minibatch.
double activation_bytes(const IiisModel& m, double B, double t, Recompute recompute) {
    const double L = static_cast<double>(m.layers);
    const double s = static_cast<double>(m.sequence);
    const double h = static_cast<double>(m.hidden);
    const double a = static_cast<double>(m.heads);
    switch (recompute) {
        case Recompute::full:
            return 2.0 * L * s * B * h / t;
        case Recompute::selective:
            return 34.0 * L * s * B * h / t;
        case Recompute::none:
            break;
    }
    return L * s * B * h * (10.0 + 24.0 / t + 5.0 * a * s / (h * t));
}

void require_valid(const IiisInput& in) {
    std::vector<Problem> problems;
    const auto positive = [&](const char* name, double x) {
        if (!(x > 0.0) || !std::isfinite(x)) {
            problems.push_back({name, fmt::format("{}; must be greater than 0", x)});
        }
    };
    positive("network", in.network_Gbps);
    positive("minibatch", static_cast<double>(in.minibatch));
    positive("microbatch", static_cast<double>(in.microbatch));
    positive("tp", static_cast<double>(in.tp));
    positive("pp", static_cast<double>(in.pp));
    positive("dp", static_cast<double>(in.dp));
    positive("tokens-m", in.million_tokens);
    positive("epochs", in.epochs);
    positive("bus", in.gpu.bus_GBps);
    if (in.tp > 8) {
        problems.push_back({"tp", fmt::format("{}; must be at most 8", in.tp)});
    }
    if (in.pp > in.model.layers) {
        problems.push_back(
            {"pp", fmt::format("{}; must be at most the model's {} layers", in.pp, in.model.layers)});
    }
    if (in.microbatch > 0 && in.minibatch % in.microbatch != 0) {
        problems.push_back({"microbatch", fmt::format("{} does not divide the minibatch size({})",
                                                      in.microbatch, in.minibatch)});
    }
    if (in.pp > 0 && in.pp <= in.model.layers && in.model.layers % in.pp != 0) {
        problems.push_back(
            {"pp", fmt::format("{} does not divide the number of model layers({})", in.pp, in.model.layers)});
    }
    throw_if_any(problems);
}

}  // namespace

std::span<const IiisGpu> iiis_gpus() {
    return gpus;
}

std::span<const IiisModel> iiis_models() {
    return models;
}

const IiisGpu& iiis_gpu(std::string_view name) {
    return method_row(gpus, name, "GPU");
}

const IiisModel& iiis_model(std::string_view name) {
    return method_row(models, name, "model");
}

IiisParameters iiis_parameters(const IiisModel& m) {
    const double h = static_cast<double>(m.hidden);
    const double V = static_cast<double>(m.vocab);
    const double s = static_cast<double>(m.sequence);
    const double L = static_cast<double>(m.layers);
    return {.word_embedding = h * V,
            .self_attention = 4.0 * h * h,
            .feed_forward = 8.0 * h * h + 5.0 * h,
            .position_embedding = h * s,
            .total = h * (V + s) + L * (12.0 * h * h + 5.0 * h)};
}

std::int64_t iiis_recommended_tensor(const IiisGpu& gpu, const IiisModel& model) {
    const double h = static_cast<double>(model.hidden);
    const double W = gpu.bus_GBps;
    // In the backend's order: where the ratio is whole, rounding decides.
    const double ratio = 3.0 * h / gpu.fp32_TFLOPs * W / 2.0 / 1000.0;
    return static_cast<std::int64_t>(std::min(8.0, std::max(1.0, std::floor(ratio))));
}

std::int64_t iiis_recommended_pipeline(const IiisGpu& gpu, const IiisModel& model, std::int64_t minibatch,
                                       Recompute recompute, std::int64_t tp) {
    const double phi = iiis_parameters(model).total;
    const double t = static_cast<double>(tp);
    const double B = static_cast<double>(minibatch);
    double A = activation_bytes(model, B, t, recompute);
    if (recompute ==
        Recompute::none) {  // not the formula of its memory panel: everything is divided by t here
        const double L = static_cast<double>(model.layers);
        const double s = static_cast<double>(model.sequence);
        const double h = static_cast<double>(model.hidden);
        const double a = static_cast<double>(model.heads);
        A = L * s * B * h * (10.0 + 24.0 / t + 5.0 * a * s / h) / t;
    }
    const double left = gpu.memory_GB * 1e9 - A;
    if (left == 0.0) {
        throw Error(ErrorKind::input,
                    "the activations take exactly the GPU's memory: the method divides by zero");
    }
    const double stages = std::ceil(16.0 * phi / t / left);
    constexpr double largest = 9007199254740992.0;
    if (!(std::abs(stages) <= largest)) {
        throw Error(ErrorKind::input,
                    "the activations take the GPU's memory but for nothing: the method "
                    "recommends more than 2^53 stages");
    }
    return static_cast<std::int64_t>(stages);
}

std::int64_t iiis_recommended_microbatch(std::int64_t minibatch, std::int64_t pp) {
    return std::max<std::int64_t>(1, minibatch / (4 * pp));
}

IiisResult iiis(const IiisInput& in) {
    require_valid(in);
    const IiisModel& model = in.model;
    const double h = static_cast<double>(model.hidden);
    const double L = static_cast<double>(model.layers);
    const double s = static_cast<double>(model.sequence);
    const double V = static_cast<double>(model.vocab);
    const double B = static_cast<double>(in.minibatch);
    const double t = static_cast<double>(in.tp);
    const double p = static_cast<double>(in.pp);
    const double d = static_cast<double>(in.dp);
    const double W = in.gpu.bus_GBps;
    const double NW = in.network_Gbps;
    const double F32 = in.gpu.fp32_TFLOPs;

    IiisResult r{};
    r.parameters = iiis_parameters(model);
    const double phi = r.parameters.total;
    r.recommended = {.tp = iiis_recommended_tensor(in.gpu, model),
                     .pp = iiis_recommended_pipeline(in.gpu, model, in.minibatch, in.recompute, in.tp),
                     .microbatch = iiis_recommended_microbatch(in.minibatch, in.pp)};

    IiisMemory& memory = r.memory;
    memory.optimizer_states = 12.0 * phi / (t * p);
    memory.weights = 2.0 * phi / (t * p);
    memory.gradients = 2.0 * phi / (t * p);
    memory.activation = activation_bytes(model, B, t, in.recompute);
    memory.overall = memory.optimizer_states + memory.weights + memory.gradients + memory.activation;
    memory.out_of_memory = memory.overall >= in.gpu.memory_GB * 1024.0 * 1024.0 * 1024.0;

    IiisComputation& work = r.computation;
    const double l = L / p;
    const double m = B / static_cast<double>(in.microbatch);
    work.per_device_layers = l;
    work.micro_batches = m;
    work.forward = 2.0 * s * B * phi / (t * p * F32 * 1e12);
    work.backward = 4.0 * s * B * phi / (t * p * F32 * 1e12);
    work.loop_forward = work.forward / (l * m);
    work.loop_backward = work.backward / (l * m);

    IiisCommunication& traffic = r.communication;
    // 4 linears · 2 bytes · 2 for one direction of the bus · 2; without t.
    const double gather = in.tp == 1 ? 0.0 : 32.0 * h * h * B * L / (p * W * 1e9);
    traffic.forward_allgather = gather;
    traffic.backward_allgather = gather;
    traffic.backward_reduce_scatter = gather;
    traffic.loop_forward_allgather = gather / (l * m);
    traffic.loop_backward_allgather = gather / (l * m);
    traffic.loop_backward_reduce_scatter = gather / (l * m);
    // 2 bytes · 8 bits · 8 GPUs on one network card.
    traffic.p2p = in.pp == 1 ? 0.0 : 128.0 * h * h * B / (t * NW * 1e9);
    traffic.loop_p2p = traffic.p2p / m;
    traffic.embedding_allreduce = 16.0 * h * V / (t * NW * 1e9);
    traffic.gradient_allreduce = 128.0 * phi / (t * p * NW * 1e9);

    IiisTimeline& line = r.timeline;
    const double backward_traffic = traffic.backward_allgather + traffic.backward_reduce_scatter;
    const double whole_backward = std::max(backward_traffic, work.backward);
    line.forward = (work.forward + traffic.forward_allgather) / m;
    line.backward = whole_backward / m;
    line.forward_gpu_usage = work.forward / (work.forward + traffic.forward_allgather);
    line.backward_gpu_usage = work.backward / whole_backward;
    line.warmup = (p - 1.0) * line.forward;
    line.cooldown = (p - 1.0) * line.backward;
    line.stable = m * (line.forward + line.backward);
    line.allreduce = traffic.gradient_allreduce + traffic.embedding_allreduce;
    line.iteration = (p - 1.0 + m) * (line.forward + line.backward) + line.allreduce;

    r.total.global_minibatch = d * B;
    r.total.iterations = in.million_tokens * 1e6 * in.epochs / (s * d * B);
    r.total.seconds = r.total.iterations * line.iteration;
    r.total.gpus = in.dp * in.tp * in.pp;
    return r;
}

}  // namespace traincost
