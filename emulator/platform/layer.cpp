#include "emulator/platform/layer.h"

#include <toml++/toml.h>

#include <set>
#include <sstream>

#include "emulator/core/error.h"
#include "emulator/platform/toml_keys.h"

namespace morgana {
namespace {

std::string place(const std::string& origin, const toml::source_region& region) {
  return origin + ":" + std::to_string(region.begin.line) + ":" + std::to_string(region.begin.column);
}

decltype(LayerEntry::value) value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  if (node.is_table()) return LayerEntry::Table{};
  const auto* array = node.as_array();
  if (!array) return LayerEntry::Other{"a date or time"};
  LayerEntry::List list;
  for (const toml::node& item : *array) {
    if (const auto* text = item.as_string())
      list.items.push_back(text->get());
    else if (const auto* number = item.as_integer())
      list.items.push_back(std::to_string(number->get()));
    else
      return LayerEntry::Other{"an array of other things than texts and whole numbers"};
  }
  return list;
}

/// Depth is bounded by the TOML reader.
void flatten(const toml::table& table, const std::string& prefix, Layer& layer) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    layer.entries.push_back(
        {name, place(layer.origin, key.source()), place(layer.origin, node.source()), value_of(node)});
    if (const toml::table* inner = node.as_table()) flatten(*inner, name + ".", layer);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// An override's list that is written as in a file. Inside an inline table nothing may stand behind it: no
/// comment, no further line.
decltype(LayerEntry::value) list_of(const std::string& where, const std::string& key,
                                    std::string_view value) {
  try {
    const toml::table outer = toml::parse("only = { list = " + std::string(value) + " }");
    const toml::table& inner = *outer.get_as<toml::table>("only");
    if (outer.size() == 1 && inner.size() == 1) return value_of(*inner.get("list"));
  } catch (const toml::parse_error&) {  // refused below
  }
  throw Error(
      where + ": " + key +
      ": this is not a list, or more than one; write its items without brackets and quotes, with commas "
      "between them, such as --set \"" +
      key + "=ITEM, ITEM\", and each key in a --set of its own");
}

}  // namespace

Layer read_layer(const std::string& text, const std::string& origin) {
  constexpr std::size_t most_parts = 64;  // our keys have five at most
  if (const auto line = line_of_key_deeper_than(most_parts, text))
    throw Error(origin + ":" + std::to_string(*line) + ": a key of more than " + std::to_string(most_parts) +
                " parts; no key of a platform has so many, correct the line");
  Layer layer{origin, {}};
  toml::table table;
  try {
    table = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    throw Error(place(origin, error.source()) + ": this is not TOML: " + std::string(error.description()) +
                "; correct the line (text values are in quotes)");
  }
  flatten(table, "", layer);
  // "a.b" as one quoted key and b in table a are two keys to TOML, but one to us.
  std::set<std::string> seen;
  std::string twice;
  for (const LayerEntry& entry : layer.entries)
    if (!std::holds_alternative<LayerEntry::Table>(entry.value) && !seen.insert(entry.key).second)
      twice += (twice.empty() ? "" : "\n") + entry.key_where + ": " + entry.key +
               " is given twice; keep one of the two";
  if (!twice.empty()) throw Error(twice);
  return layer;
}

Layer read_overrides(std::span<const std::string> overrides) {
  Layer layer{"--set", {}};
  for (const std::string& override : overrides) {
    const std::string where = "--set " + override;
    const std::size_t equals = override.find('=');
    const std::string_view key = trimmed(std::string_view(override).substr(0, equals));
    if (equals == std::string::npos || key.empty())
      throw Error(where + ": an override is a key, \"=\" and a value, such as network.latency=\"5 us\"");
    std::string_view value = trimmed(std::string_view(override).substr(equals + 1));
    if (value.starts_with('[')) {
      layer.entries.push_back({std::string(key), where, where, list_of(where, std::string(key), value)});
      continue;
    }
    if (value.size() >= 2 && value.front() == value.back() && (value.front() == '"' || value.front() == '\''))
      value = value.substr(1, value.size() - 2);
    layer.entries.push_back({std::string(key), where, where, std::string(value)});
  }
  return layer;
}

}  // namespace morgana
