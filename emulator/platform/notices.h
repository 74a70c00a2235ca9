#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/platform/resolve.h"
#include "emulator/schema/schema.h"

namespace morgana {

/// Settings that a layer dropped as it chose another kind for their section.
struct DroppedKeys {
  using ValueText = std::pair<std::string, std::string>;  ///< a key with its value as text

  std::string choice;  ///< "network.kind = fabric"
  std::vector<ValueText> keys;
  /// "network.bandwidth" and the keys by which the new kind keeps its value.
  std::vector<std::pair<std::string, std::vector<ValueText>>> kept = {};
};

/// A platform before --set.
struct BeforeOverrides {
  std::string network;  ///< its kind
  Settings settings;
};

/// Which layer each setting comes from. A layer is the user's own unless it is a file of the library.
struct KeyOrigins {
  std::vector<bool> own;                        ///< by layer
  std::vector<bool> overrides;                  ///< by layer: it is what --set says
  std::map<std::string, std::size_t> layer_of;  ///< by key, of those that are set
  std::vector<DroppedKeys> dropped;             ///< by the user's own layers
  /// "network.bandwidth" of keys that were last set by a notion.
  std::map<std::string, std::string> by_notion = {};
  std::optional<BeforeOverrides> before = {};  ///< nothing: nothing is overridden
  bool is_own(const std::string& key) const {
    const auto place = layer_of.find(key);
    return place != layer_of.end() && own[place->second];
  }
  bool is_override(const std::string& key) const {
    const auto place = layer_of.find(key);
    return place != layer_of.end() && overrides[place->second];
  }
  bool is_of_library(const std::string& key) const { return layer_of.contains(key) && !is_own(key); }
};

/// What the user's own files and overrides change or ignore without an error, a sentence each:
///   - settings that another kind of network, transport, interface or overlay drops
///   - links that were made faster than their hosts' buses (PCIe)
///   - headroom that pauses (PFC) are too late for
///   - a base round trip of DCTCP that is shorter than the network's
///   - keys that another key overrules, and keys of other topologies than the one chosen
/// @param find  the key of that name that the platform's kinds have; null if none has
std::vector<std::string> platform_notices(const Resolved& platform, const KeyOrigins& origins,
                                          const std::function<const Key*(const std::string&)>& find);

/// What the key says: what is set, or else its default.
const Value& value_now(const Resolved& platform, const Key& key);
/// "network.buffer = 32 KiB, ...".
std::string keys_with_values(const std::vector<std::pair<std::string, std::string>>& keys);

}  // namespace morgana
