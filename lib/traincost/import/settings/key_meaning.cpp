#include "traincost/import/settings/key_meaning.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "traincost/base/name_letter.hpp"
#include "traincost/base/name_words.hpp"

namespace traincost {

namespace {

/// "per", "device", "batch" of "per_device-batch", of "perDeviceBatch" and of "PER_DEVICE_BATCH".
NameWords parts_of_name(std::string_view name) {
    NameWords parts;
    bool joined = false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (!is_name_letter(name[i]) || name[i] == '_') {
            joined = false;
            continue;
        }
        const bool begins_word =
            i > 0 && std::isupper(c) != 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
        if (!joined || begins_word) {
            parts.emplace_back();
        }
        parts.back() += static_cast<char>(std::tolower(c));
        joined = true;
    }
    return parts;
}

const WordList batch_words = {"batch", "batchsize", "bs", "bsz"};
const WordList batch_beside = {"batch", "batchsize", "bs", "bsz", "size", "train", "training", "per"};

/// Whether the name is of a batch, says one of `which`, and nothing else.
bool is_batch_of(const NameWords& parts, WordList which) {
    return has_word(parts, batch_words) && has_word(parts, which) &&
           std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
               return is_word_of(batch_beside, part) || is_word_of(which, part);
           });
}

}  // namespace

namespace {

bool is_device_batch(const NameWords& parts) {
    return is_batch_of(parts, {"device", "gpu", "rank", "micro", "local"}) ||
           (has_word(parts, {"microbatch"}) &&
            only_words(parts, {"microbatch", "size", "train", "rank", "device", "gpu", "per", "local"}));
}

/// The other words of a name that counts tokens; nothing where it does not.
NameWords beside_tokens(std::string_view name) {
    NameWords parts = parts_of_name(name);
    const std::size_t all = parts.size();
    std::erase(parts, "tokens");
    return parts.size() + 1 == all ? parts : NameWords{};
}

}  // namespace

bool means_device_batch(std::string_view name) {
    return is_device_batch(parts_of_name(name));
}

bool means_device_tokens(std::string_view name) {
    return is_device_batch(beside_tokens(name));
}

bool means_step_tokens(std::string_view name) {
    return is_batch_of(beside_tokens(name), {"global", "effective", "total"});
}

bool means_accumulation(std::string_view name) {
    const NameWords parts = parts_of_name(name);
    const bool accumulates = has_word(parts, {"accum", "accumulate", "accumulation", "accumulations"}) ||
                             (has_word(parts, {"acc"}) &&  // alone an accuracy
                              has_word(parts, {"grad", "grads", "gradient", "gradients", "steps"}));
    return accumulates &&
           only_words(parts, {"accum", "acc", "accumulate", "accumulation", "accumulations", "grad", "grads",
                              "gradient", "gradients", "step", "steps", "iter", "iters", "every", "factor",
                              "freq", "batches", "num", "n"});
}

bool means_whole_batch(std::string_view name) {
    return is_batch_of(parts_of_name(name), {"global", "effective"});
}

bool means_length(std::string_view name) {
    const NameWords parts = parts_of_name(name);
    if (parts.size() == 1 && has_word(parts, {"ctx", "seq"})) {
        return true;
    }
    if (has_word(parts, {"seqlen"})) {
        return only_words(parts, {"seqlen", "max", "train"});
    }
    if (only_words(parts, {"ctx", "context", "block", "size", "window", "len", "length"})) {
        return parts.size() == 2 && has_word(parts, {"ctx", "context", "block"});
    }
    return has_word(parts, {"len", "length"}) && has_word(parts, {"max", "seq", "sequence"}) &&
           only_words(parts, {"len", "length", "max", "seq", "sequence", "model", "context", "ctx", "train",
                              "token"});
}

bool means_model(std::string_view name) {
    const NameWords parts = parts_of_name(name);
    return parts.size() > 1 && has_word(parts, {"model", "llm", "vlm"}) &&
           has_word(parts, {"name", "path", "id", "key", "dir", "checkpoint", "ckpt", "repo", "base"}) &&
           only_words(parts, {"model", "name", "path", "or", "id", "key", "dir", "checkpoint", "ckpt", "repo",
                              "base", "hf", "pretrained", "llm", "vlm", "local"});
}

namespace {

const WordList degree_words = {"parallel", "parallelism", "size", "degree", "ways"};

/// Whether a name says one of `which`, that it is a degree unless it is `alone`, and nothing else.
bool is_degree_of(std::string_view name, WordList which, WordList alone) {
    NameWords parts = parts_of_name(name);
    if (parts.size() == 1) {
        return has_word(parts, alone);
    }
    const bool counts = has_word(parts, which) && has_word(parts, degree_words);
    return counts && std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
               return is_word_of(which, part) || is_word_of(degree_words, part);
           });
}

/// "model_size" and "sequence_size" are no degrees.
bool is_parallel(std::string_view name) {
    return has_word(parts_of_name(name), {"parallel", "parallelism"});
}

}  // namespace

bool means_tensor_parts(std::string_view name) {
    return is_degree_of(name, {"tp", "mp"}, {"tp", "mp"}) ||
           (is_parallel(name) && is_degree_of(name, {"tensor", "model", "tp", "mp"}, {}));
}

bool means_stages(std::string_view name) {
    return is_degree_of(name, {"pp"}, {"pp"}) ||
           (is_parallel(name) && is_degree_of(name, {"pipeline", "pipe", "model", "pp"}, {}) &&
            has_word(parts_of_name(name), {"pipeline", "pipe", "pp"}));
}

bool means_sequence_parts(std::string_view name) {
    return is_degree_of(name, {"cp", "sp", "ulysses"}, {"cp", "sp"}) ||
           (is_parallel(name) &&
            is_degree_of(name, {"sequence", "seq", "context", "ulysses", "cp", "sp"}, {}));
}

bool means_recomputing(std::string_view name) {
    const NameWords parts = parts_of_name(name);
    const bool saves = has_word(parts, {"checkpointing", "checkpoint", "ckpt"}) &&  // else of files
                       has_word(parts, {"grad", "gradient", "activation", "activations", "act"});
    return (saves || has_word(parts, {"remat", "recompute"})) &&
           only_words(parts,
                      {"checkpointing", "checkpoint", "ckpt", "grad", "gradient", "activation", "activations",
                       "act", "remat", "recompute", "use", "enable", "enabled", "is", "with"});
}

bool means_attention(std::string_view name) {
    const NameWords parts = parts_of_name(name);
    return has_word(parts, {"attn", "attention"}) &&
           has_word(parts, {"impl", "implementation", "backend", "kernel"}) &&
           only_words(parts, {"attn", "attention", "impl", "implementation", "backend", "kernel"});
}

bool means_adapters(std::string_view name) {
    const NameWords parts = parts_of_name(name);
    return has_word(parts, {"peft", "lora"}) && parts.size() > 1 &&
           only_words(parts, {"peft", "lora", "use", "enable", "enabled", "is", "with", "do", "apply"});
}

}  // namespace traincost
