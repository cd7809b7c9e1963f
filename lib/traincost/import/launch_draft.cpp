#include "traincost/import/launch_draft.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/import/named_models.hpp"
#include "traincost/spec/draft/job_values.hpp"
#include "traincost/spec/draft/recompute_policies.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

/// The optimizer that a framework's name means: adamw_torch_fused, paged_adamw_8bit, dist_muon.
std::optional<Optimizer> optimizer_of(const std::string& text) {
    const std::string name = lower(text);
    const bool bits8 = holds(name, "8bit") || holds(name, "8-bit");
    if (holds(name, "adafactor"))
        return Optimizer::adafactor;
    if (holds(name, "muon"))
        return Optimizer::muon;
    if (holds(name, "lion"))
        return bits8 ? std::nullopt : std::optional(Optimizer::lion);
    if (holds(name, "adam")) {
        if (holds(name, "paged"))
            return bits8 ? Optimizer::paged_adam8bit : Optimizer::paged_adamw;
        return bits8 ? Optimizer::adam8bit : Optimizer::adamw;
    }
    if (name == "mcore_distributed_optim")  // NeMo's name of Adam with sharded states
        return Optimizer::adamw;
    return name == "sgd" ? std::optional(Optimizer::sgd) : std::nullopt;
}

std::optional<AttentionKernel> attention_of(const std::string& text) {
    const std::string name = lower(text);
    for (const char* written_out : {"eager", "math", "unfused", "dot_product", "global", "disabled"}) {
        if (holds(name, written_out))
            return AttentionKernel::math;
    }
    for (const char* fused : {"flash", "sdpa", "fused", "fa2", "fa3", "cudnn", "xformers", "auto"}) {
        if (holds(name, fused))
            return AttentionKernel::flash;
    }
    return std::nullopt;
}

/// flash-attn's own kernels, by the names that Transformers has for them.
std::optional<AttentionGeneration> generation_of(const std::string& text) {
    const std::string name = lower(text);
    if (name == "flash_attention_2" || name == "fa2")
        return AttentionGeneration::flash2;
    if (name == "flash_attention_3" || name == "fa3")
        return AttentionGeneration::flash3;
    return std::nullopt;
}

/// Makes a draft of facts, one after the other.
class Drafting {
public:
    Drafting(const LaunchReading& reading, const Catalogue& catalogue)
        : reading_(reading), catalogue_(catalogue) {
    }

    LaunchDraft draft() {
        JobDraft& d = out_.draft;
        out_.contradictions = reading_.contradictions;
        add_unread();
        add_stack();
        add_model();
        count(Fact::sequence, d.sequence);
        add_batches();
        for (const auto& [fact, field] :
             {std::pair{Fact::tp, &d.tp}, std::pair{Fact::pp, &d.pp}, std::pair{Fact::vp, &d.vp},
              std::pair{Fact::cp, &d.cp}, std::pair{Fact::ep, &d.ep}, std::pair{Fact::zero, &d.zero},
              std::pair{Fact::gpus_per_node, &d.per_node}, std::pair{Fact::lora_rank, &d.lora_rank}})
            count(fact, *field);
        if (is_stated(Fact::dp) && !is_stated(Fact::gpus))
            count(Fact::dp, d.dp);
        else
            count(Fact::gpus, d.gpus);
        truth(Fact::sequence_parallel, d.sequence_parallel);
        truth(Fact::tp_overlap, d.tp_overlap);
        truth(Fact::compile, d.compile);
        number(Fact::dropout, d.dropout);
        add_precision();
        number(Fact::lora_dropout, d.adapter_dropout);
        if (const auto targets = word(Fact::lora_targets))
            d.lora_targets = {adapter_targets(*targets), where(Fact::lora_targets)};
        mapped(Fact::optimizer, d.optimizer, optimizer_of);
        mapped(Fact::attention, d.attention, attention_of);
        add_generation();
        add_recompute();
        add_offload();
        add_quantization();
        return std::move(out_);
    }

private:
    /// What scales a product in fp8 says which format it is: mxfp8 has its own.
    void add_precision() {
        JobDraft& d = out_.draft;
        const auto text = word(Fact::precision);
        if (!text)
            return;
        d.precision = {stays_narrow() ? *text + "-pure" : *text, where(Fact::precision)};
        const auto scaling = *text == "fp8" ? word(Fact::fp8_scaling) : std::nullopt;
        if (scaling == "mxfp8")
            d.precision = {"mxfp8-mixed", where(Fact::fp8_scaling)};
        else if (const auto known = value_of<Fp8Scaling>(scaling.value_or("")))
            d.fp8_scaling = {*known, where(Fact::fp8_scaling)};
    }

    const LaunchFact* fact(Fact which) const {
        const auto found = reading_.facts.find(which);
        return found == reading_.facts.end() ? nullptr : &found->second;
    }
    const std::string& where(Fact which) const {
        return reading_.facts.at(which).where;
    }
    bool is_stated(Fact which) const {
        return fact(which) != nullptr && fact(which)->how == How::stated;
    }
    std::optional<std::string> word(Fact which) const {
        const LaunchFact* f = fact(which);
        const auto* text = f != nullptr ? std::get_if<std::string>(&f->value) : nullptr;
        return text != nullptr ? std::optional(*text) : std::nullopt;
    }
    void count(Fact which, Stated<std::int64_t>& field) {
        const LaunchFact* f = fact(which);
        const auto* n = f != nullptr ? std::get_if<std::int64_t>(&f->value) : nullptr;
        if (n != nullptr)
            field = {*n, f->where};
    }
    void number(Fact which, Stated<double>& field) {
        const LaunchFact* f = fact(which);
        const auto* x = f != nullptr ? std::get_if<double>(&f->value) : nullptr;
        if (x != nullptr)
            field = {*x, f->where};
    }
    void truth(Fact which, Stated<bool>& field) {
        const LaunchFact* f = fact(which);
        const auto* on = f != nullptr ? std::get_if<bool>(&f->value) : nullptr;
        if (on != nullptr)
            field = {*on, f->where};
    }
    template <class T, class Meaning>
    void mapped(Fact which, Stated<T>& field, Meaning meaning) {
        const auto text = word(which);
        if (!text)
            return;
        if (const auto value = meaning(*text))
            field = {*value, where(which)};
        else
            leave(which, *text);
    }
    /// A kernel that the stack takes anyway says nothing more.
    void add_generation() {
        const auto text = word(Fact::attention);
        const auto asked = text ? generation_of(*text) : std::nullopt;
        const bool usual =
            asked && out_.draft.stack && catalogue_.stack(*out_.draft.stack).attention.generation == *asked;
        if (asked && !usual)
            out_.draft.attention_generation = {*asked, where(Fact::attention)};
    }
    /// Whether weights that are loaded in 16 bits are trained so: Accelerate widens those that it shards,
    /// DeepSpeed keeps a master copy, and adapters are trained beside theirs.
    bool stays_narrow() const {
        const LaunchFact* stage = fact(Fact::zero);
        const auto* zero = stage != nullptr ? std::get_if<std::int64_t>(&stage->value) : nullptr;
        return reading_.loads_narrow && is_16_bit(word(Fact::precision)) && !reading_.deepspeed &&
               (zero == nullptr || *zero < 2) && fact(Fact::lora_rank) == nullptr &&
               fact(Fact::quantization) == nullptr;
    }
    void leave(Fact which, const std::string& text) {
        out_.unread.push_back(where(which) + ": " + std::string(fact_name(which)) + " '" + text +
                              "' is not modelled");
    }

    void add_unread() {
        for (const UnreadSetting& unread : reading_.unread) {
            if (unread.matters)
                out_.unread.push_back(unread.where + " " + unread.key +
                                      (unread.why.empty() ? "" : ": " + unread.why));
        }
    }
    void add_stack() {
        const std::string where = "a launch file of " + reading_.format;
        const std::string_view beside = reading_.deepspeed    ? "-deepspeed"
                                        : reading_.dispatches ? "-deepep"
                                        : reading_.as_recipe  ? "-recipes"
                                                              : "";
        const auto under = beside.empty()
                               ? std::nullopt
                               : catalogue_.find(Room::stacks, reading_.format + std::string(beside));
        if (under)
            out_.draft.stack = {*under, where + (reading_.deepspeed    ? " under DeepSpeed"
                                                 : reading_.dispatches ? " with DeepEP"
                                                                       : ", a recipe as it stands")};
        else if (const auto id = catalogue_.find(Room::stacks, reading_.format))
            out_.draft.stack = {*id, where};
    }
    void add_model() {
        if (const auto name = word(Fact::model)) {
            std::string id = model_named(*name, catalogue_).value_or(*name);
            // A registry's name is that of a shape; of the models that have it, the one whose tokenizer it
            // is.
            const auto named = model_named(reading_.tokenizer, catalogue_);
            if (named && *named != id && name->find(' ') != name->npos && same_shape(*named, id, catalogue_))
                id = *named;
            out_.draft.model = {id, where(Fact::model)};
            return;
        }
        const LaunchFact* f = fact(Fact::model);
        const auto* dimensions = f != nullptr ? std::get_if<ModelDimensions>(&f->value) : nullptr;
        if (dimensions == nullptr)
            return;
        const std::vector<std::string> ids = models_of(*dimensions, catalogue_);
        if (ids.size() == 1) {
            out_.draft.model = {ids.front(), f->where};
            return;
        }
        // Models that differ in what is no dimension: the one whose tokenizer it is.
        const auto named = model_named(reading_.tokenizer, catalogue_);
        if (named && std::find(ids.begin(), ids.end(), *named) != ids.end()) {
            out_.draft.model = {*named, f->where};
            return;
        }
        std::string some;
        for (std::size_t i = 0; i < std::min<std::size_t>(ids.size(), 3); ++i)
            some += (some.empty() ? ": " : ", ") + ids[i];
        out_.model_hint = f->where + " says " + to_text(f->value) + ", the dimensions of " +
                          (ids.empty() ? "no model" : std::to_string(ids.size()) + " models") +
                          " of the catalogue" + some + (ids.size() > 3 ? ", ..." : "");
    }
    void add_batches() {
        JobDraft& d = out_.draft;
        count(Fact::micro_batch, d.micro_batch);
        const bool follows = fact(Fact::global_batch) == nullptr || !is_stated(Fact::global_batch);
        if (follows && fact(Fact::accumulation) != nullptr && d.micro_batch)
            count(Fact::accumulation, d.accumulation);
        else
            count(Fact::global_batch, d.global_batch);
    }
    void add_recompute() {
        const auto text = word(Fact::recompute);
        if (!text)
            return;
        if (const auto kind = value_of<Recompute>(lower(*text))) {
            RecomputeChoice choice{.kind = *kind, .layers = {}};
            for (const std::string& name : split(word(Fact::recompute_modules).value_or(""), ',')) {
                if (const auto module = recompute_module(name); module != nullptr)
                    choice.modules.*module = true;
            }
            if (const LaunchFact* blocks = fact(Fact::recompute_layers))
                choice.layers = std::get<std::int64_t>(blocks->value);
            out_.draft.recompute = {choice, where(Fact::recompute)};
        } else if (const auto policy = recompute_policy(*text))
            out_.draft.recompute = {*policy, where(Fact::recompute)};
        else
            leave(Fact::recompute, *text);
    }
    void add_offload() {
        const auto text = word(Fact::offload);
        if (!text || *text == "none")
            return;
        // "nvme (optimizer), cpu (parameters, activations)"
        Offload place = Offload::cpu;
        const std::string& at = where(Fact::offload);
        for (const std::string& part : split(*text, ')')) {
            if (holds(part, "nvme") || holds(part, "cpu"))
                place = holds(part, "nvme") ? Offload::nvme : Offload::cpu;
            if (holds(part, "optimizer"))
                out_.draft.offload_optimizer = {place, at};
            if (holds(part, "parameters"))
                out_.draft.offload_parameters = {place, at};
            if (holds(part, "activations"))
                out_.draft.offload_activations = {1.0, at};
        }
        if (!holds(*text, "(") && !holds(*text, "optimizer"))
            leave(Fact::offload, *text);
    }
    void add_quantization() {
        const auto text = word(Fact::quantization);
        if (!text)
            return;
        const bool four = holds(lower(*text), "nf4") || text->starts_with("4");
        if (!four) {
            leave(Fact::quantization, *text);
            return;
        }
        out_.draft.tuning = {Tuning::qlora, where(Fact::quantization)};
        out_.draft.precision.reset();  // adapters over such a base have a recipe of their own
    }

    const LaunchReading& reading_;
    const Catalogue& catalogue_;
    LaunchDraft out_{};
};

}  // namespace

LaunchDraft launch_draft(const LaunchReading& reading, const Catalogue& catalogue) {
    return Drafting(reading, catalogue).draft();
}

}  // namespace traincost
