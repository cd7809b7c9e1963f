#include "traincost/io/specs/accelerator_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/base/scale.hpp"
#include "traincost/io/specs/provenance_fields.hpp"

namespace traincost {

namespace {

template <class Accelerator>
auto& peak_of(Accelerator& x, DataType type) {
    return x.peak[static_cast<std::size_t>(type)];
}

template <class Io, io::Is<AcceleratorSpec> T>
void describe_peaks(Io& io, T& x) {
    io.optional_object("peak_TFLOPs", true, [&](auto& in) {
        in.ignore("fp64");
        in.ignore("fp64_tensor");
        in.optional("fp32", io::scaled(x.vector_fp32, tera));
        in.optional("fp32_matrix", io::scaled(peak_of(x, DataType::fp32), tera));
        in.optional("tf32", io::scaled(peak_of(x, DataType::tf32), tera));
        in.optional("fp16", io::scaled(peak_of(x, DataType::fp16), tera));
        in.ignore("fp16_acc16");  // with 16-bit accumulation: not what training runs
        in.optional("bf16", io::scaled(peak_of(x, DataType::bf16), tera));
        in.optional("fp8", io::scaled(peak_of(x, DataType::fp8), tera));
        in.ignore("fp8_acc16");
        in.optional("mxfp8", io::scaled(peak_of(x, DataType::mxfp8), tera));
        in.ignore("fp6");
        in.optional("fp4", io::scaled(peak_of(x, DataType::fp4), tera));
    });
    const bool int8 = peak_of(x, DataType::int8).has_value();
    io.optional_object("peak_TOPs", int8,
                       [&](auto& in) { in.optional("int8", io::scaled(peak_of(x, DataType::int8), tera)); });
}

/// The keys of a link: `x` is the member to fill or to write.
template <class Io, class Link>
void describe_link(Io& io, const char* key, Link& x) {
    io.optional_object(key, x.has_value(), [&](auto& in) {
        if constexpr (Io::reading) {
            AcceleratorLink link{};
            std::optional<double> rate;
            in.required("type", link.type);
            in.optional("links", link.links);
            in.optional("per_direction_GBps", rate);
            for (const char* fact :
                 {"total_bidirectional_GBps", "per_link_per_direction_GBps", "note", "topology",
                  "intra_node_links", "scaleout_links", "per_neighbour_per_direction_GBps"}) {
                in.ignore(fact);
            }
            if (rate) {  // a link without a published rate is as good as none
                link.per_direction = ByteRate(*rate * giga);
                x = link;
            }
        } else {
            in.required("type", x->type);
            in.required("links", x->links);
            in.required("per_direction_GBps", io::scaled(x->per_direction, giga));
        }
    });
}

template <class Io, class Link>
void describe_pcie(Io& io, Link& x) {
    io.optional_object("pcie", x.has_value(), [&](auto& in) {
        if constexpr (Io::reading) {
            std::int64_t gen = 0;
            std::int64_t lanes = 0;
            AcceleratorLink link{};
            in.required("gen", gen);
            in.required("lanes", lanes);
            in.required("per_direction_GBps", io::scaled(link.per_direction, giga));
            constexpr std::int64_t most = 1024;
            for (const auto& [name, n] : {std::pair{"gen", gen}, std::pair{"lanes", lanes}}) {
                if (n < 1 || n > most) {
                    in.node().fail(std::string(name) + " is " + std::to_string(n) + "; must be from 1 to " +
                                   std::to_string(most));
                }
            }
            link.type = "PCIe " + std::to_string(gen) + " x" + std::to_string(lanes);
            x = link;
        } else {
            const std::size_t split = x->type.find(" x");
            in.required("gen", static_cast<std::int64_t>(std::stoll(x->type.substr(5, split - 5))));
            in.required("lanes", static_cast<std::int64_t>(std::stoll(x->type.substr(split + 2))));
            in.required("per_direction_GBps", io::scaled(x->per_direction, giga));
        }
    });
}

}  // namespace

template <class Io, io::Is<AcceleratorSpec> T>
void describe(Io& io, T& x) {
    io.required("id", x.id);
    io.optional("aliases", x.aliases);
    io.required("vendor", x.vendor);
    io.required("architecture", x.architecture);
    io.object("memory", [&](auto& in) {
        in.ignore("type");
        in.required("capacity_GB", io::scaled(x.memory, giga));
        in.optional("reported_MiB", io::scaled(x.memory_usable, mebi));
        in.ignore("reported_basis");
        in.required("bandwidth_GBps", io::scaled(x.memory_bandwidth, giga));
    });
    describe_peaks(io, x);
    io.optional_object("compute_units", x.compute_units > 0, [&](auto& in) {
        in.required("count", x.compute_units);
        in.ignore("kind");
    });
    io.optional("boost_clock_MHz", io::scaled(x.clock_hz, mega));
    io.optional("l2_MiB", io::scaled(x.l2, mebi));
    describe_link(io, "scale_up", x.scale_up);
    describe_pcie(io, x.pcie);
    io.optional("tdp_W", x.tdp_w);
    io.optional_object("price", x.price.has_value(), [&](auto& in) {
        in.optional("usd", x.price);
        in.ignore("year");
        in.ignore("note");
    });
    io::describe_provenance(io, x.provenance);
}

AcceleratorSpec accelerator_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    AcceleratorSpec accelerator{};
    io::read_schema(io, "accelerator/1");
    describe(io, accelerator);
    for (const char* fact : {"year", "form_factor", "l3_MiB", "default_cluster", "measured"}) {
        io.ignore(fact);
    }
    object.finish();
    io::require_valid(node, accelerator);
    return accelerator;
}

void write_json(JsonWriter& out, const AcceleratorSpec& accelerator) {
    io::write_fields(out, accelerator);
}

}  // namespace traincost
