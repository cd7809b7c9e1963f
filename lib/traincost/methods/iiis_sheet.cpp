#include "traincost/methods/iiis_sheet.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/methods/tables.hpp"

namespace traincost {

std::span<const IiisGpu> iiis_sheet_gpus() {
    static constexpr std::array<IiisGpu, 6> gpus = {{{"H200", 989, 495, 144, 4900, 900, 1},
                                                     {"H100", 989, 495, 80, 3350, 900, 1},
                                                     {"A100", 312, 156, 80, 2000, 900, 1},
                                                     {"4090", 330, 83, 24, 1000, 32, 10},
                                                     {"3090", 142, 36, 24, 936, 32, 10},
                                                     {"3060", 51, 13, 12, 360, 32, 10}}};
    return gpus;
}

const IiisGpu& iiis_sheet_gpu(std::string_view name) {
    return method_row(iiis_sheet_gpus(), name, "GPU");
}

std::span<const IiisModel> iiis_sheet_models() {
    // (The page's column of heads holds head dimensions here: 64, 64, 96, 128, 80, 128, 128, 128 of GPT-3.)
    static constexpr std::array<IiisModel, 12> models = {{{"LLAMA-7B", 4096, 32, 4096, 32, 32000},
                                                          {"LLAMA-13B", 4096, 40, 5120, 40, 32000},
                                                          {"LLAMA-32B", 4096, 52, 6656, 60, 32000},
                                                          {"LLAMA-65B", 4096, 64, 8192, 80, 32000},
                                                          {"GPT-3 Small", 2048, 64, 768, 12, 50257},
                                                          {"GPT-3 Medium", 2048, 64, 1024, 16, 50257},
                                                          {"GPT-3 Large", 2048, 96, 1536, 16, 50257},
                                                          {"GPT-3 XL", 2048, 128, 2048, 24, 50257},
                                                          {"GPT-3 2.7B", 2048, 80, 2560, 32, 50257},
                                                          {"GPT-3 6.7B", 2048, 128, 4096, 32, 50257},
                                                          {"GPT-3 13B", 2048, 128, 5140, 40, 50257},
                                                          {"GPT-3 175B", 2048, 128, 12288, 96, 50257}}};
    return models;
}

const IiisModel& iiis_sheet_model(std::string_view name) {
    return method_row(iiis_sheet_models(), name, "model");
}

IiisInput iiis_sheet_defaults() {
    return {.gpu = iiis_sheet_gpu("3090"),
            .model = iiis_sheet_model("LLAMA-7B"),
            .network_Gbps = 100.0,
            .minibatch = 32,
            .microbatch = 2,
            .tp = 4,
            .pp = 2,
            .dp = 2,
            .million_tokens = 100.0,
            .epochs = 2.0,
            .recompute = Recompute::full};
}

IiisSheet iiis_sheet(const IiisInput& in) {
    iiis(in);  // what the page refuses has no sheet
    const double s = static_cast<double>(in.model.sequence);
    const double h = static_cast<double>(in.model.hidden);
    const double L = static_cast<double>(in.model.layers);
    const double V = static_cast<double>(in.model.vocab);
    const double B = static_cast<double>(in.minibatch);
    const double t = static_cast<double>(in.tp);
    const double p = static_cast<double>(in.pp);
    const double d = static_cast<double>(in.dp);
    const double W = in.gpu.bus_GBps;
    const double NW = in.network_Gbps;
    const double F32 = in.gpu.fp32_TFLOPs;
    const double m = B / static_cast<double>(in.microbatch);
    const double l = L / p;

    IiisSheet r{};
    r.parameters = iiis_parameters(in.model);
    r.parameters.total -= r.parameters.position_embedding;
    const double phi = r.parameters.total;
    const double activation = 2.0 * L * s * B * h / t;
    r.recommended_tp = std::max(1.0, std::floor(3.0 * h / F32 * W / 2.0 / 1000.0));
    r.recommended_pp = std::ceil(16.0 * phi / t / (in.gpu.memory_GB * 1e9 - activation));
    r.recommended_microbatch = std::max(1.0, B / (4.0 * p));

    r.memory = {.optimizer_states = 12.0 * phi / (t * p),
                .weights = 2.0 * phi / (t * p),
                .gradients = 2.0 * phi / (t * p),
                .activation = activation,
                .overall = 16.0 * phi / (t * p) + activation,
                .out_of_memory = false};
    r.memory.out_of_memory = r.memory.overall >= in.gpu.memory_GB * 1024.0 * 1024.0 * 1024.0;

    const double F = 2.0 * s * B * phi / (t * p * F32 * 1e12);
    r.computation = {.per_device_layers = l,
                     .micro_batches = m,
                     .forward = F,
                     .backward = 2.0 * F,
                     .loop_forward = F / (l * m),
                     .loop_backward = 2.0 * F / (l * m)};

    const double gather = 32.0 * h * h * B * L / (p * W * 1e9);
    const double p2p = 128.0 * h * h * B / (t * NW * 1e9);
    r.communication = {.forward_allgather = gather,
                       .backward_allgather = gather,
                       .backward_reduce_scatter = gather,
                       .p2p = p2p,
                       .loop_forward_allgather = gather / (l * m),
                       .loop_backward_allgather = gather / (l * m),
                       .loop_backward_reduce_scatter = gather / (l * m),
                       .loop_p2p = p2p / m,
                       .embedding_allreduce = 16.0 * h * V / (t * NW * 1e9),
                       .gradient_allreduce = 128.0 * phi / (t * p * NW * 1e9)};

    IiisTimeline& line = r.timeline;
    line.forward = F + gather;
    line.backward = std::max(2.0 * gather, 2.0 * F);
    line.forward_gpu_usage = F / line.forward;
    line.backward_gpu_usage = 2.0 * F / line.backward;
    line.warmup = (p - 1.0) * line.forward / m;
    line.cooldown = (p - 1.0) * line.backward / m;
    line.stable = line.forward + line.backward;
    line.allreduce = r.communication.gradient_allreduce + r.communication.embedding_allreduce;
    line.iteration = line.warmup + line.stable + line.cooldown + line.allreduce;

    constexpr double its_million = 1e7;
    r.gpus = d * t * p;
    r.iterations = std::ceil(in.million_tokens * its_million * in.epochs / (s * d * B));
    r.seconds = r.iterations * line.iteration;
    return r;
}

}  // namespace traincost
