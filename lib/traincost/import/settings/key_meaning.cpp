#include "traincost/import/settings/key_meaning.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <vector>

#include "traincost/base/name_letter.hpp"

namespace traincost {

namespace {

using NameParts = std::vector<std::string>;
using PartWords = std::initializer_list<std::string_view>;

/// "per", "device", "batch" of "per_device-batch", of "perDeviceBatch" and of "PER_DEVICE_BATCH".
NameParts parts_of_name(std::string_view name) {
    NameParts parts;
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

bool is_among(const std::string& part, PartWords words) {
    return std::find(words.begin(), words.end(), part) != words.end();
}

bool holds_part(const NameParts& parts, PartWords words) {
    return std::any_of(parts.begin(), parts.end(), [&](const std::string& p) { return is_among(p, words); });
}

bool are_all_among(const NameParts& parts, PartWords words) {
    return !parts.empty() &&
           std::all_of(parts.begin(), parts.end(), [&](const std::string& p) { return is_among(p, words); });
}

const PartWords batch_words = {"batch", "batchsize", "bs", "bsz"};
const PartWords batch_beside = {"batch", "batchsize", "bs", "bsz", "size", "train", "training", "per"};

/// Whether the name is of a batch, says one of `which`, and nothing else.
bool is_batch_of(const NameParts& parts, PartWords which) {
    return holds_part(parts, batch_words) && holds_part(parts, which) &&
           std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
               return is_among(part, batch_beside) || is_among(part, which);
           });
}

}  // namespace

bool means_device_batch(std::string_view name) {
    const NameParts parts = parts_of_name(name);
    return is_batch_of(parts, {"device", "gpu", "rank", "micro", "local"}) ||
           (holds_part(parts, {"microbatch"}) && are_all_among(parts, {"microbatch", "size", "train"}));
}

bool means_accumulation(std::string_view name) {
    const NameParts parts = parts_of_name(name);
    const bool accumulates = holds_part(parts, {"accum", "accumulate", "accumulation", "accumulations"}) ||
                             (holds_part(parts, {"acc"}) &&  // alone an accuracy
                              holds_part(parts, {"grad", "grads", "gradient", "gradients"}));
    return accumulates &&
           are_all_among(parts, {"accum", "acc", "accumulate", "accumulation", "accumulations", "grad",
                                 "grads", "gradient", "gradients", "step", "steps", "iter", "iters", "every",
                                 "factor", "freq", "batches", "num", "n"});
}

bool means_whole_batch(std::string_view name) {
    return is_batch_of(parts_of_name(name), {"global", "effective"});
}

bool means_length(std::string_view name) {
    const NameParts parts = parts_of_name(name);
    if (holds_part(parts, {"seqlen"})) {
        return are_all_among(parts, {"seqlen", "max", "train"});
    }
    if (are_all_among(parts, {"ctx", "context", "block", "size", "window", "len", "length"})) {
        return parts.size() == 2 && holds_part(parts, {"ctx", "context", "block"});
    }
    return holds_part(parts, {"len", "length"}) && holds_part(parts, {"max", "seq", "sequence"}) &&
           are_all_among(parts, {"len", "length", "max", "seq", "sequence", "model", "context", "ctx",
                                 "train", "token"});
}

bool means_model(std::string_view name) {
    const NameParts parts = parts_of_name(name);
    return parts.size() > 1 && holds_part(parts, {"model"}) &&
           holds_part(parts, {"name", "path", "id", "key", "dir", "checkpoint", "ckpt", "repo", "base"}) &&
           are_all_among(parts, {"model", "name", "path", "or", "id", "key", "dir", "checkpoint", "ckpt",
                                 "repo", "base", "hf", "pretrained", "llm", "local"});
}

bool means_adapters(std::string_view name) {
    const NameParts parts = parts_of_name(name);
    return holds_part(parts, {"peft", "lora"}) && parts.size() > 1 &&
           are_all_among(parts, {"peft", "lora", "use", "enable", "enabled", "is", "with", "do", "apply"});
}

}  // namespace traincost
