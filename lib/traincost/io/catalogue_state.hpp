// What a catalogue keeps: where its records are, and those that were read.
#pragma once

#include <array>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/io/catalogue.hpp"
#include "traincost/io/embedded.hpp"

namespace traincost {

namespace io {

inline constexpr std::array<std::string_view, 5> rooms = {"accelerators", "clusters", "models", "stacks",
                                                          "prices"};
/// Every folder of the data: the rooms, the titles of sources, and measured curves.
inline constexpr std::array<std::string_view, 7> folders = {"accelerators", "clusters", "models", "stacks",
                                                            "prices",       "sources",  "bench"};
inline constexpr std::array<std::string_view, 5> singular = {"accelerator", "cluster", "model", "stack",
                                                             "price list"};
/// What was parsed or built, by name; forgotten as a whole where it grows too large.
template <class T>
class Cache {
public:
    template <class Make>
    T get(const std::string& key, const Make& make) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = values_.find(key); found != values_.end()) {
                return found->second;
            }
        }
        T value = make();
        const std::lock_guard lock(mutex_);
        if (values_.size() >= most)
            values_.clear();
        return values_.emplace(key, std::move(value)).first->second;
    }

private:
    static constexpr std::size_t most = 512;

    std::mutex mutex_;
    std::map<std::string, T> values_;
};

/// A record of a room before it is parsed: built-in text, a user's text, or a user's file.
struct Source {
    std::string id;
    std::vector<std::string> aliases;
    std::string_view text;
    std::string path;     ///< of an override: its file's, or what a text is called
    std::string release;  ///< of a stack: one of the releases in its record; empty: the record itself
};

/// The built-in file of that id; nothing where there is none.
const EmbeddedFile* embedded_file(std::string_view room, std::string_view id);

}  // namespace io

struct Catalogue::State {
    std::string folder;
    std::list<std::pair<Room, RecordText>> records;  ///< of the user's, in no folder
    std::array<std::once_flag, io::rooms.size()> indexed;
    std::array<std::vector<io::Source>, io::rooms.size()> index;
    io::Cache<ModelRecord> models;
    io::Cache<AcceleratorSpec> accelerators;
    io::Cache<StackSpec> stacks;
    io::Cache<ClusterRecord> clusters;
    io::Cache<ClusterChoice> nodes;  ///< by node type or accelerator, count and accelerators a node
    io::Cache<std::vector<std::string>> holders;  ///< node types, by accelerator
    io::Cache<ClusterChoice> mixed;  ///< by node type, accelerator, count and accelerators a node

    std::once_flag bench_read;
    std::list<std::pair<std::string, std::string>> own_bench;  ///< ids and texts that `bench` points to
    std::vector<EmbeddedFile> bench;

    std::string override_path(Room room, std::string_view id) const;
    void add_record(const RecordText& record);
    void add_overrides(Room room, std::vector<io::Source>& sources) const;
    /// The built-in files with the folder's own, in order of their names.
    void read_bench();
    const std::vector<io::Source>& sources(Room room);
    std::optional<io::Source> source(Room room, std::string_view name);
    io::Source require(Room room, std::string_view name);
    static JsonDocument parse(Room room, const io::Source& source);
};

}  // namespace traincost
