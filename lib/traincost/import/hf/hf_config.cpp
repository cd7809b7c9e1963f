#include "traincost/import/hf/hf_config.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "traincost/base/text.hpp"
#include "traincost/import/hf/hf_families.hpp"
#include "traincost/import/hf/hf_towers.hpp"
#include "traincost/import/hf/hf_wrappers.hpp"

namespace traincost {

namespace {

/// Hidden size and layers of a text decoder's class, for configurations around one that leave out what the
/// class has.
struct NestedSizes {
    std::string_view type;
    std::int64_t hidden, layers;
};

constexpr std::array nested_sizes = std::to_array<NestedSizes>({
    {"aria_text", 4096, 32},
    {"cohere2", 8192, 40},
    {"deepseek_v3", 7168, 61},
    {"gemma", 3072, 28},
    {"gemma2", 2304, 26},
    {"gemma3_text", 2304, 26},
    {"glm4v_moe_text", 4096, 46},
    {"glm4v_text", 4096, 40},
    {"llama", 4096, 32},
    {"mistral", 4096, 32},
    {"mllama_text_model", 4096, 40},
    {"qwen2", 4096, 32},
    {"qwen3", 4096, 32},
});

void set_nested_sizes(HfKeys& keys) {
    for (const NestedSizes& sizes : nested_sizes) {
        if (sizes.type == keys.type())
            keys.default_sizes(sizes.hidden, sizes.layers);
    }
    // What the first Idefics' text configuration keeps of its own.
    keys.ignore({"is_llama_config", "neftune_noise_alpha", "perceiver_config", "pixel_shuffle_factor",
                 "qk_layer_norms", "use_resampler"});
}

/// Architectures we know of and do not model, and why.
struct Unsupported {
    std::string_view type;
    std::string_view reason;
};

constexpr std::string_view state_space = "has state-space layers, which are not modelled";

constexpr std::array unsupported = std::to_array<Unsupported>({
    {"hymba", state_space},
    {"plamo2", state_space},
});

const std::vector<HfReader>& all_readers() {
    static const std::vector<HfReader> readers = [] {
        std::vector<HfReader> all;
        for (const auto& room :
             {hf_llama_readers(), hf_moe_readers(), hf_gpt_readers(), hf_encoder_readers(),
              hf_recurrent_readers(), hf_hybrid_readers(), hf_state_space_readers(), hf_multimodal_readers(),
              hf_expert_readers(), hf_decoder_readers(), hf_bert_readers(), hf_shared_readers(),
              hf_uneven_readers(), hf_crossing_readers()}) {
            all.insert(all.end(), room.begin(), room.end());
        }
        return all;
    }();
    return readers;
}

const HfReader* find_reader(std::string_view type) {
    const auto& readers = all_readers();
    const auto found = std::find_if(readers.begin(), readers.end(),
                                    [&](const HfReader& reader) { return reader.type == type; });
    return found == readers.end() ? nullptr : &*found;
}

/// Lower case without separators: "gpt_neox" and "GPTNeoX" become the same.
std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c != '_' && c != '-' && c != '.') {
            out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        }
    }
    return out;
}

/// The longest known type that an architecture's class name begins with.
std::optional<std::string_view> type_of_architecture(std::string_view architecture) {
    const std::string name = plain(architecture);
    std::optional<std::string_view> best;
    for (const std::string_view type : hf_model_types()) {
        if (name.starts_with(plain(type)) && (!best || type.size() > best->size())) {
            best = type;
        }
    }
    // Class names that do not begin with their type's.
    if (!best && name.starts_with("rwfor")) {
        best = "RefinedWebModel";
    }
    if (!best && name.starts_with("hunyuan")) {
        best = name.find("moe") == std::string::npos ? "hunyuan_v1_dense" : "hunyuan_v1_moe";
    }
    return best;
}

[[noreturn]] void fail_unknown(const JsonNode& node, std::string_view what, const std::string& name) {
    for (const Unsupported& one : unsupported) {
        if (one.type == name) {
            node.fail("the " + std::string(what) + " '" + name + "' " + std::string(one.reason));
        }
    }
    node.fail("the " + std::string(what) + " '" + name + "' is not known" +
              did_you_mean(name, hf_model_types()));
}

/// The first of `architectures`, where there is one.
std::optional<JsonNode> architecture_of(const JsonNode& root) {
    const JsonValue* value = root.value().find("architectures");
    if (value == nullptr || value->is_null()) {
        return std::nullopt;
    }
    const auto items = JsonNode(root.document(), *value).items();
    if (items.empty()) {
        return std::nullopt;
    }
    return items.front();
}

/// Whether an architecture's type is a younger one than the `model_type` beside it: Ling 2 calls itself
/// bailing_moe, its class BailingMoeV2ForCausalLM.
bool says_more(std::string_view named, std::string_view type) {
    return find_reader(named) != nullptr && find_reader(type) != nullptr && named.size() > type.size() &&
           plain(named).starts_with(plain(type));
}

std::string model_type(const JsonNode& root, std::vector<std::string>& assumptions) {
    const auto architecture = architecture_of(root);
    std::optional<std::string_view> named;
    if (architecture) {
        named = type_of_architecture(architecture->string());
    }
    if (const JsonValue* value = root.value().find("model_type"); value != nullptr && !value->is_null()) {
        const JsonNode node(root.document(), *value);
        const std::string& type = node.string();
        if (find_reader(type) == nullptr && find_hf_wrapper(type) == nullptr) {
            fail_unknown(node, "model_type", type);
        }
        if (architecture && !named) {
            fail_unknown(*architecture, "architecture", architecture->string());
        }
        if (named && says_more(*named, type)) {
            assumptions.push_back(type + " is read as " + std::string(*named) + ", from the architecture " +
                                  architecture->string());
            return std::string(*named);
        }
        return type;
    }
    if (!architecture) {
        root.fail("names neither a model_type nor architectures; a Hugging Face config.json has one");
    }
    if (!named) {
        fail_unknown(*architecture, "architecture", architecture->string());
    }
    assumptions.push_back("model_type = " + std::string(*named) + ", from the architecture " +
                          architecture->string());
    return std::string(*named);
}

/// "LlamaModel": a class without output head.
bool is_headless(const std::string& architecture) {
    // Classes of repositories' own code whose names end as those of classes without a head.
    constexpr std::array headed = {"DreamModel", "InternVLChatModel", "Qwen2_5OmniModel"};
    return architecture.ends_with("Model") && !architecture.ends_with("LMHeadModel") &&
           !architecture.ends_with("DoubleHeadsModel") && !architecture.starts_with("ChatGLM") &&
           std::find(headed.begin(), headed.end(), architecture) == headed.end();
}

void read_architecture(const JsonNode& root, HfModel& read) {
    const auto architecture = architecture_of(root);
    if (!architecture) {
        return;
    }
    const std::string& name = architecture->string();
    ModelSpec& m = read.model;
    if (m.architecture == Architecture::decoder && m.lm_head && !m.tied_embeddings && is_headless(name)) {
        m.lm_head = false;
        m.bias.lm_head = false;
        read.assumptions.push_back(name + " has no output head; none is counted");
    }
    if (m.architecture == Architecture::encoder && !m.lm_head && name.ends_with("ForMaskedLM")) {
        m.masked_lm = true;
        read.assumptions.push_back(name + ": its head is counted in memory and time");
    }
    if (m.architecture == Architecture::encoder_decoder && name.ends_with("EncoderModel")) {
        m.architecture = Architecture::encoder;
        m.decoder_layers = 0;
        m.lm_head = false;
        m.tied_embeddings = true;
        m.position.bias_tables.resize(1);
        read.assumptions.push_back(name + " is the encoder alone");
    }
}

/// What a configuration around a text decoder's says: whether embeddings are tied, and its towers.
void read_wrapper(const JsonNode& root, const std::string& type, bool ties, HfModel& read) {
    if (const JsonValue* tied = root.value().find("tie_word_embeddings");
        ties && tied != nullptr && !tied->is_null())
        read.model.tied_embeddings = JsonNode(root.document(), *tied).boolean();
    const auto holds = [&](const char* key) {
        const JsonValue* value = root.value().find(key);
        return value != nullptr && value->object() != nullptr;
    };
    const bool hears = holds("audio_config") || holds("encoder_config");
    const bool sees = holds("vision_config");
    if (!hears && !sees)
        return;
    const std::string senses = hears && sees ? "audio and vision towers"
                               : hears       ? "audio tower"
                                             : "vision tower";
    if (auto towers = hf_towers(root, type, read.model.hidden)) {
        read.model.towers = std::move(*towers);
        std::int64_t sum = 0;
        for (const ExtraParameters& tower : read.model.towers)
            sum += tower.count;
        read.assumptions.push_back(senses + " and projector, " + std::to_string(sum) +
                                   " parameters, are counted apart");
    } else {
        read.assumptions.push_back("the parameters of the " + senses + " are not counted");
    }
}

/// Biases of experts' scores that are counted though the class in transformers has them as buffers.
std::optional<std::int64_t> corrected_scores(const ModelSpec& model, std::string_view type) {
    constexpr std::array<std::string_view, 4> parameters = {"afmoe", "ernie4_5_moe", "ernie4_5_vl_moe_text",
                                                            "laguna"};
    if (!model.moe || !model.moe->score_correction_bias ||
        std::find(parameters.begin(), parameters.end(), type) != parameters.end()) {
        return std::nullopt;
    }
    return moe_layers(model) * model.moe->experts;
}

/// The file's name, or where that says nothing the name the file gives itself, its folder's, or the type's.
std::string name_of_model(const JsonNode& root, const std::string& type) {
    const std::filesystem::path file(root.document().file);
    if (file.extension() == ".json" && file.stem() != "config") {
        return file.stem().string();
    }
    if (const JsonValue* value = root.value().find("_name_or_path")) {
        if (const auto* path = std::get_if<std::string>(&value->data)) {
            std::string name = std::filesystem::path(*path).filename().string();
            if (!name.empty() && name != ".") {
                return name;
            }
        }
    }
    const std::string folder = file.parent_path().filename().string();
    return file.extension() != ".json" || folder.empty() || folder == "." || folder == ".." ? type : folder;
}

}  // namespace

std::span<const std::string_view> hf_model_types() {
    static const std::vector<std::string_view> types = [] {
        std::vector<std::string_view> all;
        for (const HfReader& reader : all_readers()) {
            all.push_back(reader.type);
        }
        for (const HfWrapper& wrapper : hf_wrappers()) {
            all.push_back(wrapper.type);
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }();
    return types;
}

bool is_hf_config(const JsonDocument& document) {
    return document.root.find("model_type") != nullptr || document.root.find("architectures") != nullptr;
}

HfModel read_hf_config(const JsonDocument& document) {
    const JsonNode root(document);
    if (!root.is_object()) {
        root.fail("must be an object; a Hugging Face config.json is one");
    }
    HfModel read;
    std::string type = model_type(root, read.assumptions);
    const std::string name = name_of_model(root, type);
    JsonNode shape = root;
    const HfWrapper* wrapper = find_hf_wrapper(type);
    const JsonValue* holder = &root.value();  // of the text decoder and of the towers beside it
    const JsonValue* text =
        hf_nested(root.value(), wrapper == nullptr ? "text_config" : wrapper->path, holder);
    if (wrapper != nullptr && (text != nullptr || find_reader(type) == nullptr)) {
        if (text == nullptr || text->object() == nullptr) {
            root.fail("missing key '" + std::string(wrapper->path) + "', or no object; a " + type +
                      " keeps its decoder there");
        }
        shape = JsonNode(document, *text);
        const JsonValue* inner = text->find("model_type");
        type = inner == nullptr || inner->is_null() ? std::string(wrapper->text_type)
                                                    : JsonNode(document, *inner).string();
        if (find_reader(type) == nullptr) {
            fail_unknown(JsonNode(document, inner == nullptr ? *text : *inner), "model_type", type);
        }
        read.assumptions.push_back("only the text decoder is counted");
    }
    const std::string outer = wrapper != nullptr ? std::string(wrapper->type) : "";
    // A decoder of another class keeps its own word on tied embeddings.
    const bool is_whole = wrapper != nullptr && wrapper->path == "llm_config";
    HfKeys keys(shape, type, read.assumptions);
    if (!is_whole)
        keys.inherit(root, {"tie_word_embeddings"});
    keys.ignore({"text_config"});
    if (&shape.value() != &root.value())
        set_nested_sizes(keys);
    read.model = find_reader(type)->read(keys);
    keys.finish();
    read.model.name = name;
    read_architecture(root, read);
    if (!outer.empty()) {
        read_wrapper(JsonNode(document, *holder), outer, !is_whole, read);
    } else if (auto towers = hf_towers(root, type, read.model.hidden); towers && read.model.towers.empty()) {
        read.model.towers = std::move(*towers);
    }
    if (const auto biases = corrected_scores(read.model, type)) {
        read.assumptions.push_back(std::to_string(*biases) +
                                   " biases that correct the scores of experts are counted, " +
                                   "as checkpoints store them; transformers keeps them as buffers");
    }
    for (const char* part : {"talker_config", "code2wav_config", "token2wav_config"}) {
        if (root.value().find(part) != nullptr)
            read.assumptions.push_back(std::string(part) + ": speech output is not counted");
    }

    std::vector<Problem> problems;
    validate(read.model, problems);
    throw_if_any(problems, document.file);
    return read;
}

HfModel load_hf_config(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
        return read_hf_config(read_json_file(path));
    }
    const std::string inside = (std::filesystem::path(path) / "config.json").string();
    if (!std::filesystem::exists(inside, error)) {
        throw Error(ErrorKind::input,
                    std::vector<Problem>{{.path = path, .message = "is a directory without a config.json"}});
    }
    return read_hf_config(read_json_file(inside));
}

}  // namespace traincost
