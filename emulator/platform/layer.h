#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace morgana {

/// One key of a file or one override, as written, with its place.
struct LayerEntry {
  struct Table {
    bool operator==(const Table&) const = default;
  };
  struct List {
    std::vector<std::string> items;  ///< of texts and whole numbers
    bool operator==(const List&) const = default;
  };
  struct Other {
    std::string what;  ///< "a date or time"
    bool operator==(const Other&) const = default;
  };
  std::string key;        ///< in full: "network.latency"
  std::string key_where;  ///< "my.toml:3:1" or "--set network.latency=5 us"
  std::string where;      ///< of the value
  std::variant<std::string, std::int64_t, double, bool, Table, List, Other> value;
};

/// What one file, or the overrides together, say. Later layers override earlier ones.
struct Layer {
  std::string origin;  ///< the file's name, for messages
  std::vector<LayerEntry> entries;
  bool library = false;  ///< a file that comes with Morgana, not the user's own
};

/// @throws Error naming line and column of what is no TOML, and of keys given twice
Layer read_layer(const std::string& text, const std::string& origin);

/// @param overrides  "network.latency=5 us"; quotes around the value are taken off
/// @throws Error for one without key or "="
Layer read_overrides(std::span<const std::string> overrides);

}  // namespace morgana
