#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/schema/schema.h"

namespace morgana {

/// A notion that networks of several kinds have, each in keys of its own: what --set means by
/// network.bandwidth and network.latency.
struct Alias {
  /// A key that follows the notion.
  struct Part {
    std::string key;
    /// How often its value counts in the notion's; 0: it only keeps its proportion to the others.
    int times;
  };
  std::string name;
  std::string network;      ///< network.kind
  std::vector<Part> parts;  ///< the first one says how the notion is written
};

/// Every notion of every kind of network that has it.
const std::vector<Alias>& aliases();
/// The names of all notions, each once.
std::vector<std::string> alias_names();
/// What `name` means on that kind of network; nothing if it is no notion there.
const Alias* alias_on(const std::string& network, const std::string& name);
/// "network.bandwidth: network.rate" for each notion and kind, as rows of a table in Markdown.
std::string alias_table();

/// One key's new value.
struct Assignment {
  std::string key;
  Value value;
};
/// A number behind an x, as in "x2" and "x0.5": so many times the present value. Nothing for other texts.
/// @throws Error for "x" without a number more than 0
std::optional<double> multiplier(std::string_view text);
/// So many times a value, rounded to its type's step. @throws Error if there is nothing to multiply (0, or a
/// word that stands for it), or if the result breaks the key's limits
Value multiplied(const Key& key, const Value& value, double factor);
/// What setting a notion to `text` (a value, or a multiplier) sets. A bandwidth of x2 halves a cost per byte.
/// @param key_named, present  a key of the chosen kinds, and its value now
/// @throws Error without place or key
std::vector<Assignment> assignments(const Alias& alias, std::string_view text,
                                    const std::function<const Key&(const std::string&)>& key_named,
                                    const std::function<Value(const Key&)>& present);

}  // namespace morgana
