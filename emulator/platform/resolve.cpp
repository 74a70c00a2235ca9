#include "emulator/platform/resolve.h"

#include <algorithm>
#include <optional>

#include "emulator/core/error.h"
#include "emulator/platform/nearest.h"

namespace morgana {
namespace {

const std::vector<std::string> file_keys{"name", "description", "extends", "native", "source"};
constexpr std::string_view whole_file = "source.everything";

bool starts_with(const std::string& key, const std::string& prefix) {
  return key.compare(0, prefix.size(), prefix) == 0;
}

/// Every key of every kind, once.
std::vector<std::string> make_all_keys() {
  std::vector<std::string> keys = file_keys;
  const auto add = [&](const std::string& key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  };
  for (const Section& section : schema()) {
    if (has_kinds(section.name)) add(kind_key(section.name).name);
    for (const Key& key : section.keys) add(key.name);
  }
  return keys;
}

const std::vector<std::string>& all_keys() {
  static const std::vector<std::string> keys = make_all_keys();
  return keys;
}

std::vector<std::string> make_all_tables() {
  std::vector<std::string> tables{"source"};
  for (const std::string& key : all_keys()) {
    for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
      const std::string table = key.substr(0, dot);
      if (std::find(tables.begin(), tables.end(), table) == tables.end()) tables.push_back(table);
    }
  }
  return tables;
}

/// Sections and groups of keys: what may stand in a file as a table.
const std::vector<std::string>& all_tables() {
  static const std::vector<std::string> tables = make_all_tables();
  return tables;
}

bool names_a_table(const std::string& name) {
  if (starts_with(name, "source.")) return true;
  const std::vector<std::string>& tables = all_tables();
  return std::find(tables.begin(), tables.end(), name) != tables.end();
}

[[noreturn]] void refuse_unknown(const LayerEntry& entry) {
  const bool table = std::holds_alternative<LayerEntry::Table>(entry.value);
  const std::vector<std::string>& names = table ? all_tables() : all_keys();
  const auto near = nearest(entry.key, names);
  throw Error(entry.key_where + ": unknown " + (table ? "table " : "key ") + entry.key +
              (near ? "; did you mean " + *near + "?" : "; docs/platforms.md lists all keys"));
}

/// The value of an entry for a key; an error of the value becomes one that names place and key.
Value read_value(const Key& key, const LayerEntry& entry) {
  const auto refuse = [&](const std::string& why) -> Value {
    throw Error(entry.where + ": " + key.name + ": " + why);
  };
  const auto refuse_type = [&](const std::string& what) {
    return refuse(what + " does not fit; write a " + form_of(key) + ", such as \"" +
                  to_text(key, key.fallback) + "\"");
  };
  try {
    if (const auto* text = std::get_if<std::string>(&entry.value)) return parse_value(key, *text);
    if (const auto* number = std::get_if<std::int64_t>(&entry.value)) return value_of(key, *number);
    if (const auto* number = std::get_if<double>(&entry.value)) return value_of(key, *number);
    if (const auto* list = std::get_if<LayerEntry::List>(&entry.value); list && key.form == Form::list)
      return parse_value(key, joined(list->items));
  } catch (const Error& error) {
    return refuse(error.what());
  }
  if (std::holds_alternative<bool>(entry.value)) return refuse_type("true or false");
  if (std::holds_alternative<LayerEntry::List>(entry.value)) return refuse_type("an array");
  if (const auto* other = std::get_if<LayerEntry::Other>(&entry.value)) return refuse_type(other->what);
  return refuse_type("a table");
}

bool truth_of(const LayerEntry& entry) {
  if (const auto* truth = std::get_if<bool>(&entry.value)) return *truth;
  if (const auto* text = std::get_if<std::string>(&entry.value);
      text && (*text == "true" || *text == "false"))
    return *text == "true";
  throw Error(entry.where + ": " + entry.key + " must be true or false");
}

const std::string& kind_of_section(const Resolved& platform, const std::string& section) {
  if (section == "interface") return platform.interface;
  return section == "network" ? platform.network : platform.transport;
}

class Resolver {
 public:
  void add(const Layer& layer) {
    choose_kinds(layer);
    std::vector<std::string> set_here;
    for (const LayerEntry& entry : layer.entries) add(entry, set_here);
    add_sources(layer, set_here);
  }

  Resolved finish() {
    check_whole();
    return std::move(result_);
  }

 private:
  void add(const LayerEntry& entry, std::vector<std::string>& set_here) {
    if (std::holds_alternative<LayerEntry::Table>(entry.value) && names_a_table(entry.key)) return;
    if (entry.key == "description") {
      result_.description = text_of(entry);
    } else if (entry.key == "native") {
      result_.native = truth_of(entry);
    } else if (is_kind_key(entry.key) || entry.key == "source" || entry.key == "name" ||
               entry.key == "extends" || starts_with(entry.key, "source.")) {
      return;  // not here
    } else {
      result_.settings.insert_or_assign(entry.key, read_value(key_of(entry), entry));
      result_.where[entry.key] = entry.where;
      result_.sources.erase(entry.key);
      set_here.push_back(entry.key);
    }
  }

  /// Before a layer's other keys, as their meaning depends on the kind.
  void choose_kinds(const Layer& layer) {
    const auto chosen = [&](const std::string& section) -> std::optional<std::string> {
      const Key key = kind_key(section);
      std::optional<std::string> kind;
      for (const LayerEntry& entry : layer.entries) {
        if (entry.key != key.name) continue;
        result_.where[entry.key] = entry.where;
        kind = std::get<std::string>(read_value(key, entry));
      }
      return kind;
    };
    if (const auto network = chosen("network")) switch_to(result_.network, *network, "network");
    if (const auto transport = chosen("transport")) said_transport_ = transport;
    const std::string transport =
        said_transport_.value_or(usual_transport(network_kind(result_.network), result_.settings));
    switch_to(result_.transport, transport, "transport");
    if (const auto interface = chosen("interface")) switch_to(result_.interface, *interface, "interface");
  }

  void switch_to(std::string& current, const std::string& kind, const std::string& section) {
    if (current == kind) return;
    current = kind;
    const auto forget = [&](auto& map) {
      std::erase_if(map, [&](const auto& item) {
        return starts_with(item.first, section + ".") && !is_kind_key(item.first);
      });
    };
    forget(result_.settings);
    forget(result_.where);
    forget(result_.sources);
  }

  const Key& key_of(const LayerEntry& entry) const {
    std::string owners;
    for (const Section& section : schema()) {
      const bool chosen = section.kind.empty() || section.kind == kind_of(section.name);
      for (const Key& key : section.keys) {
        if (key.name != entry.key) continue;
        if (chosen) return key;
        owners += (owners.empty() ? "" : " and ") + ("\"" + section.kind + "\"");
      }
    }
    if (owners.empty()) refuse_unknown(entry);
    const std::string section = entry.key.substr(0, entry.key.find('.'));
    throw Error(entry.key_where + ": " + entry.key + " belongs to " + kind_key(section).name + " " + owners +
                ", but the kind here is \"" + kind_of(section) + "\"; leave it out or choose that kind");
  }

  const std::string& kind_of(const std::string& section) const { return kind_of_section(result_, section); }

  /// `source` as a string and source.everything speak of all that the layer sets, "source.network" of its
  /// keys there, "source.network.latency" of one key, whether it is set there or not.
  void add_sources(const Layer& layer, const std::vector<std::string>& set_here) {
    const LayerEntry* everything = nullptr;
    std::vector<std::pair<std::string, std::string>> by_name;
    for (const LayerEntry& entry : layer.entries) {
      if (std::holds_alternative<LayerEntry::Table>(entry.value)) continue;
      if (entry.key == "source" || entry.key == whole_file) {
        everything = &entry;
      } else if (starts_with(entry.key, "source.")) {
        LayerEntry named = entry;
        named.key = entry.key.substr(std::string("source.").size());
        if (!names_a_table(named.key) && !is_kind_key(named.key)) key_of(named);
        by_name.emplace_back(named.key, text_of(entry));
      }
    }
    if (everything) result_.source = text_of(*everything);
    for (const std::string& key : set_here)
      if (const std::string origin = origin_of(layer, everything, key); !origin.empty())
        result_.sources[key] = origin;
    // Longer names are more special; a name that is a key speaks of that key alone.
    std::stable_sort(by_name.begin(), by_name.end(),
                     [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
    for (const auto& [name, source] : by_name) {
      if (!names_a_table(name)) result_.sources[name] = source;
      for (const std::string& key : set_here)
        if (starts_with(key, name + ".")) result_.sources[key] = source;
    }
  }

  static std::string origin_of(const Layer& layer, const LayerEntry* everything, const std::string& key) {
    if (everything) return text_of(*everything);
    if (layer.origin != "--set") return {};
    for (const LayerEntry& entry : layer.entries)
      if (entry.key == key) return entry.where;
    return {};
  }

  void check_whole() const {
    if (result_.native) {
      for (const auto& [key, where] : result_.where)
        throw Error(where + ": " + key +
                    " has no meaning on a native platform, which is this machine itself; leave it out or set "
                    "native = false");
      return;
    }
    const NetworkKind& network = network_kind(result_.network);
    const TransportKind& transport = transport_kind(result_.transport);
    complain(check_hosts(result_.settings));
    complain(network.check(result_.settings));
    if (transport.needs_cells && !network.carries_cells)
      complain(Complaint{"transport.kind", transport.name +
                                               " cuts packets into cells, which a network of kind " +
                                               network.name +
                                               " does not carry; set network.kind = \"atm\" or "
                                               "another transport.kind"});
    complain(transport.check(result_.settings, network.largest_unit(result_.settings)));
    complain(interface_kind(result_.interface).check(result_.settings, network, transport));
  }

  void complain(const std::optional<Complaint>& complaint) const {
    if (!complaint) return;
    const auto set = result_.where.find(complaint->key);
    throw Error((set == result_.where.end() ? "" : set->second + ": ") + complaint->key + ": " +
                complaint->why);
  }

  Resolved result_;
  std::optional<std::string> said_transport_;
};

}  // namespace

const std::string& text_of(const LayerEntry& entry) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return *text;
  throw Error(entry.where + ": " + entry.key + " must be a text in quotes");
}

Resolved resolve(std::span<const Layer> layers) {
  Resolver resolver;
  for (const Layer& layer : layers) resolver.add(layer);
  return resolver.finish();
}

std::vector<const Section*> sections_of(const Resolved& platform) {
  std::vector<const Section*> sections;
  for (const Section& section : schema()) {
    if (section.kind.empty() || section.kind == kind_of_section(platform, section.name))
      sections.push_back(&section);
  }
  return sections;
}

}  // namespace morgana
