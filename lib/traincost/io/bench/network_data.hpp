// Measured curves of links and fabrics, in JSON ("network/1", data/bench/network-*.json; docs/data.md,
// Network data).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/io/embedded.hpp"
#include "traincost/io/json.hpp"
#include "traincost/spec/network.hpp"
#include "traincost/spec/provenance.hpp"

namespace traincost {

/// Which level of a network a link joins.
enum class LinkKind : std::uint8_t { scale_up, scale_out };

/// Mean absolute error of the curves against the points they were fitted to, in percent of the time.
struct LinkError {
    std::int64_t points;  ///< of 1 MiB and more
    double fit_percent;
    std::optional<double> cross_validated_percent;  ///< each size predicted without it
    std::optional<double> left_out_system_percent;  ///< each machine predicted from the others
    std::int64_t below_1MiB_points;
    std::optional<double> below_1MiB_fit_percent;
    bool operator==(const LinkError&) const = default;
};

/// The curves of one link generation or fabric, and where they come from.
struct LinkRecord {
    std::string id;    ///< "network-nvlink4"
    std::string name;  ///< in words
    LinkKind kind;
    std::vector<std::string> serves;  ///< how link names of clusters begin that it is for
    bool measured;                    ///< false: borrowed or assumed, `provenance.notes` say from what
    std::string date;
    std::string hardware;
    std::string software;
    std::optional<LinkError> error;
    LinkCurves curves;
    Provenance provenance;
    bool operator==(const LinkRecord&) const = default;
};

/// Reads a "network/1" record; `Error` of kind input where a key is unknown, missing or of the wrong type.
LinkRecord link_record_from_json(const JsonNode& node);

/// The record of `files` (the built-in ones, or a catalogue's with its overrides) for a link as clusters name
/// it ("NVLink 4", "IB NDR (CX-7)") or of that id (with or without "network-"): the one that serves the
/// longest beginning of the name. Nothing where none does.
std::optional<LinkRecord> find_link_record(std::string_view link, LinkKind kind,
                                           std::span<const EmbeddedFile> files = embedded_files());

/// The record that stands for links nobody measured; never `measured`.
LinkRecord unmeasured_link_record(LinkKind kind, std::span<const EmbeddedFile> files = embedded_files());

/// Every built-in record, by id.
std::vector<LinkRecord> link_records();

}  // namespace traincost
