#include "emulator/platform/resolve.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "emulator/core/error.h"
#include "emulator/platform/aliases.h"
#include "emulator/platform/background.h"
#include "emulator/platform/hints.h"
#include "emulator/platform/kept_settings.h"
#include "emulator/platform/key_names.h"
#include "emulator/platform/notices.h"
#include "emulator/platform/rails.h"

namespace morgana {
namespace {

constexpr std::string_view whole_file = "source.everything";

constexpr const char* override_layer = "--set";  // origin of their layer

bool starts_with(const std::string& key, const std::string& prefix) {
  return key.compare(0, prefix.size(), prefix) == 0;
}

/// The value of an entry for a key; an error of the value becomes one that names place and key.
Value read_value(const Key& key, const LayerEntry& entry) {
  const auto refuse = [&](const std::string& why) -> Value {
    throw Error(entry.where + ": " + key.name + ": " + why);
  };
  const auto refuse_type = [&](const std::string& what) {
    return refuse(what + " does not fit; write " + form_with_article(key) + ", such as \"" +
                  to_text(key, key.fallback) + "\"");
  };
  try {
    if (const auto* text = std::get_if<std::string>(&entry.value)) return parse_value(key, *text);
    if (const auto* number = std::get_if<std::int64_t>(&entry.value)) return value_of(key, *number);
    if (const auto* number = std::get_if<double>(&entry.value)) return value_of(key, *number);
    if (const auto* list = std::get_if<LayerEntry::List>(&entry.value); list && key.form == ValueForm::list)
      return parse_value(key, joined(list->items));
  } catch (const Error& error) {
    const auto* word = std::get_if<std::string>(&entry.value);
    return refuse(error.what() + (word != nullptr ? kinds_with_word(key, *word) : std::string()));
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

std::int64_t year_of(const LayerEntry& entry) {
  constexpr std::int64_t first = 1950, last = 2100;
  const auto* const year = std::get_if<std::int64_t>(&entry.value);
  if (year != nullptr && *year >= first && *year <= last) return *year;
  throw Error(entry.where + ": year must be a year from 1950 to 2100, without quotes");
}

[[noreturn]] void refuse_on_native(const std::string& where, const std::string& key) {
  const bool overrides = starts_with(where, std::string(override_layer) + " ");
  throw Error(
      where + ": " + key +
      " has no meaning on a native platform, which is this machine itself, without a model of its "
      "network; leave it out, or " +
      (overrides ? "choose a modelled platform (`morgana platforms` lists them)" : "set native = false"));
}

class Resolver {
 public:
  void add(const Layer& layer) {
    origins_.own.push_back(!layer.library);
    if (layer.origin == override_layer) origins_.before = BeforeOverrides{result_.network, result_.settings};
    origins_.overrides.push_back(layer.origin == override_layer);
    choose_kinds(layer);
    for (const LayerEntry& entry : layer.entries)
      if (entry.key == "native") note_mistake([&] { result_.native = truth_of(entry); });
    std::vector<std::string> set_here;
    for (const LayerEntry& entry : layer.entries)
      note_mistake([&] { add(entry, layer.origin == override_layer, set_here); });
    note_mistake([&] { refuse_notions_beside_their_keys(layer); });
    note_mistake([&] { add_sources(layer, set_here); });
  }

  Resolved finish(Checks checks) {
    finish_mistakes();
    check_whole(checks);
    finish_mistakes();
    const auto find = [this](const std::string& name) { return find_key(name); };
    result_.notices = platform_notices(result_, origins_, find);
    result_.hints = platform_hints(result_, origins_, find);
    return std::move(result_);
  }

 private:
  /// A mistake does not hide those that are found after it.
  template <class Step>
  void note_mistake(const Step& step) {
    try {
      step();
    } catch (const Error& error) {
      mistakes_.emplace_back(error.what());
    }
  }

  /// @throws Error with all mistakes so far, each in a line
  void finish_mistakes() const {
    std::string all;
    for (const std::string& mistake : mistakes_) all += (all.empty() ? "" : "\n") + mistake;
    if (!all.empty()) throw Error(all);
  }

  /// Whether what a key means depends on a kind that there is not.
  bool is_unjudged(const std::string& key) const {
    const std::string section = key.substr(0, key.find('.'));
    return unjudged_.contains(section) || (unjudged_.contains("network") && section != "hosts");
  }

  /// In a file no key comes before another: which of the two would count is not clear.
  void refuse_notions_beside_their_keys(const Layer& layer) const {
    if (layer.origin == override_layer || layer.library) return;
    for (const LayerEntry& entry : layer.entries) {
      const Alias* const alias = alias_on(result_.network, entry.key);
      if (alias == nullptr) continue;
      for (const LayerEntry& other : layer.entries)
        for (const Alias::Part& part : alias->parts)
          if (part.key == other.key && other.key != entry.key)
            throw Error(other.key_where + ": " + other.key + " is set by " + entry.key +
                        ", too; leave one of the two out");
    }
  }

  void add(const LayerEntry& entry, bool from_overrides, std::vector<std::string>& set_here) {
    if (std::holds_alternative<LayerEntry::Table>(entry.value) && names_a_table(entry.key)) return;
    if (entry.key == "description") {
      result_.description = text_of(entry);
    } else if (entry.key == "year") {
      result_.year = year_of(entry);
    } else if (is_kind_key(entry.key) || entry.key == "native" || entry.key == "source" ||
               entry.key == "name" || entry.key == "extends" || starts_with(entry.key, "source.")) {
      return;  // not here
    } else if (!is_unjudged(entry.key)) {
      if (from_overrides && result_.native) refuse_on_native(entry.where, entry.key);
      for (Assignment& assignment : assignments_of(entry)) {
        result_.settings.insert_or_assign(assignment.key, std::move(assignment.value));
        result_.where[assignment.key] = entry.where;
        origins_.layer_of[assignment.key] = origins_.own.size() - 1;
        if (assignment.key == entry.key)
          origins_.by_notion.erase(assignment.key);
        else
          origins_.by_notion[assignment.key] = entry.key;
        result_.sources.erase(assignment.key);
        set_here.push_back(assignment.key);
      }
    }
  }

  /// What an entry sets: its key, or the keys that its notion stands for.
  std::vector<Assignment> assignments_of(const LayerEntry& entry) const {
    const bool by_user = origins_.own.back();
    const Alias* alias = by_user ? alias_on(result_.network, entry.key) : nullptr;
    const auto* text = std::get_if<std::string>(&entry.value);
    if (alias != nullptr && text == nullptr && find_key(entry.key) == nullptr) {
      Key notion = *find_key(alias->parts.front().key);
      notion.name = entry.key;
      read_value(notion, entry);  // throws: it has no unit
      alias = nullptr;
    }
    if (alias != nullptr && text != nullptr) {
      try {
        return assignments(
            *alias, *text, [&](const std::string& name) -> const Key& { return *find_key(name); },
            [&](const Key& key) { return value_now(key); });
      } catch (const Error& error) {
        throw Error(entry.where + ": " + entry.key + ": " + error.what());
      }
    }
    const Key& key = key_of(entry);
    if (by_user && text != nullptr && key.form != ValueForm::word && key.form != ValueForm::text &&
        key.form != ValueForm::list && key.form != ValueForm::file) {
      try {
        if (const auto factor = multiplier(*text))
          return {{key.name, multiplied(key, value_now(key), *factor)}};
      } catch (const Error& error) {
        throw Error(entry.where + ": " + entry.key + ": " + error.what());
      }
    }
    return {{key.name, read_value(key, entry)}};
  }

  Value value_now(const Key& key) const {
    const auto set = result_.settings.find(key.name);
    return set == result_.settings.end() ? key.fallback : set->second;
  }

  /// Before a layer's other keys, as their meaning depends on the kind.
  void choose_kinds(const Layer& layer) {
    const auto chosen = [&](const std::string& section) -> std::optional<std::string> {
      const Key key = kind_key(section);
      std::optional<std::string> kind;
      for (const LayerEntry& entry : layer.entries) {
        if (entry.key != key.name) continue;
        result_.where[entry.key] = entry.where;
        note_mistake([&] { kind = std::get<std::string>(read_value(key, entry)); });
        if (!kind) unjudged_.insert(section);
      }
      return kind;
    };
    if (const auto network = chosen("network")) switch_to(result_.network, *network, "network");
    if (const auto transport = chosen("transport")) said_transport_ = transport;
    const std::string transport =
        said_transport_.value_or(usual_transport(network_kind(result_.network), result_.settings));
    switch_to(result_.transport, transport, "transport");
    if (const auto interface = chosen("interface")) switch_to(result_.interface, *interface, "interface");
    if (const auto overlay = chosen("overlay")) switch_to(result_.overlay, *overlay, "overlay");
  }

  void switch_to(std::string& current, const std::string& kind, const std::string& section) {
    if (current == kind) return;
    // A file of the library says all that it means.
    const bool keeps = origins_.own.back() && section == "network";
    const KeptSettings kept =
        keeps ? kept_settings(current, network_kind(kind), result_.settings) : KeptSettings();
    if (origins_.own.back()) note_dropped(kind, section, kept);
    const auto where = result_.where;
    const auto sources = result_.sources;
    const auto layer_of = origins_.layer_of;
    current = kind;
    const auto forget = [&](auto& map) {
      std::erase_if(map, [&](const auto& item) {
        return starts_with(item.first, section + ".") && !is_kind_key(item.first);
      });
    };
    forget(result_.settings);
    forget(result_.where);
    forget(result_.sources);
    forget(origins_.layer_of);
    const auto keep = [&](const Assignment& one, const std::string& former) {
      result_.settings.insert_or_assign(one.key, one.value);
      if (const auto said = where.find(former); said != where.end()) result_.where[one.key] = said->second;
      if (const auto said = sources.find(former); said != sources.end())
        result_.sources[one.key] = said->second;
      if (const auto layer = layer_of.find(former); layer != layer_of.end())
        origins_.layer_of[one.key] = layer->second;
    };
    for (const Assignment& one : kept.same) keep(one, one.key);
    for (const KeptNotion& notion : kept.notions)
      for (const Assignment& one : notion.assignments) keep(one, notion.former.front());
  }

  void note_dropped(const std::string& kind, const std::string& section, const KeptSettings& kept) {
    DroppedKeys dropped{kind_key(section).name + " = " + kind, {}};
    const auto is_kept = [&](const std::string& name) {
      return std::ranges::any_of(kept.notions, [&](const KeptNotion& notion) {
        return std::ranges::find(notion.former, name) != notion.former.end();
      });
    };
    for (const auto& [name, value] : result_.settings)
      if (const Key* key = find_key(name); key != nullptr && starts_with(name, section + ".") &&
                                           (value != key->fallback || is_rate_of_notion(name, value)) &&
                                           !is_kept(name))
        dropped.keys.emplace_back(name, to_text(*key, value));
    for (const KeptNotion& notion : kept.notions)
      if (!notion.texts.empty()) dropped.kept.emplace_back(notion.name, notion.texts);
    if (!dropped.keys.empty() || !dropped.kept.empty()) origins_.dropped.push_back(std::move(dropped));
  }

  /// Whether the key is the network's bandwidth: then the default matters, too, as that of another kind
  /// differs.
  bool is_rate_of_notion(const std::string& name, const Value& value) const {
    return std::holds_alternative<BitRate>(value) &&
           std::ranges::any_of(alias_names(), [&](const std::string& notion) {
             const Alias* const alias = alias_on(result_.network, notion);
             return alias != nullptr && std::ranges::any_of(alias->parts, [&](const Alias::Part& part) {
                      return part.times > 0 && part.key == name;
                    });
           });
  }

  /// The key of that name that this platform's kinds have; nothing if none has.
  const Key* find_key(const std::string& name) const {
    for (const Section& section : schema()) {
      if (!section.kind.empty() && section.kind != kind_of(section.name)) continue;
      for (const Key& key : section.keys)
        if (key.name == name) return &key;
    }
    return nullptr;
  }

  const Key& key_of(const LayerEntry& entry) const {
    if (const Key* key = find_key(entry.key)) return *key;
    refuse_key(entry, result_);
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
        if (!names_a_table(named.key) && !is_kind_key(named.key) &&
            alias_on(result_.network, named.key) == nullptr)
          key_of(named);
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
      if (find_key(name) != nullptr || is_kind_key(name)) result_.sources[name] = source;
      const Alias* const alias = find_key(name) == nullptr ? alias_on(result_.network, name) : nullptr;
      for (const std::string& key : set_here)
        if (starts_with(key, name + ".") ||
            (alias != nullptr &&
             std::ranges::any_of(alias->parts, [&](const Alias::Part& part) { return part.key == key; })))
          result_.sources[key] = source;
    }
  }

  std::string origin_of(const Layer& layer, const LayerEntry* everything, const std::string& key) const {
    if (everything) return text_of(*everything);
    if (layer.origin != override_layer) return {};
    return result_.where.at(key);
  }

  void check_whole(Checks checks) {
    if (result_.native) {
      for (const auto& setting : result_.where)
        note_mistake([&] { refuse_on_native(setting.second, setting.first); });
      return;
    }
    const NetworkKind& network = network_kind(result_.network);
    const TransportKind& transport = transport_kind(result_.transport);
    complain(check_hosts(result_.settings));
    complain(check_networks(network));
    if (checks == Checks::network_alone) return;
    std::vector<std::optional<Complaint>> complaints;
    if (transport.needs_cells && !network.carries_cells)
      complaints.emplace_back(
          Complaint{"transport.kind", transport.name + " cuts packets into cells, which a network of kind " +
                                          network.name +
                                          " does not carry; set network.kind = \"atm\" or "
                                          "another transport.kind"});
    else
      complaints.push_back(transport.check(result_.settings, unit_service(network, result_.settings)));
    complaints.push_back(
        check_messages(result_.settings, transport, result_.overlay != overlay_kinds().front().name));
    complaints.push_back(check_pcie(result_.settings, transport));
    complaints.push_back(check_rails(result_));
    complaints.push_back(interface_kind(result_.interface).check(result_.settings, network, transport));
    complaints.push_back(overlay_kind(result_.overlay).check(result_.settings, network, transport));
    complaints.push_back(check_background(result_));
    for (const std::optional<Complaint>& complaint : complaints) note_mistake([&] { complain(complaint); });
  }

  /// Each rail by itself, if some have faults of their own.
  std::optional<Complaint> check_networks(const NetworkKind& network) const {
    const auto faults = result_.settings.find("network.faults");
    const std::size_t rails = faults == result_.settings.end() ? 1 : rails_of(result_.settings);
    try {
      for (std::size_t rail = 0; rail < rails; ++rail)
        if (auto complaint = network.check(settings_of_rail(result_.settings, rail))) return complaint;
    } catch (const NoSuchRail& error) {
      return Complaint{"network.faults", error.what()};
    }
    return std::nullopt;
  }

  void complain(const std::optional<Complaint>& complaint) const {
    if (!complaint) return;
    const std::string place = place_of(*complaint);
    throw Error(place + (place.empty() ? "" : ": ") + complaint->key + ": " + complaint->why);
  }

  /// Where the key is set; else, where it has its default, the last of the keys that it does not go with.
  std::string place_of(const Complaint& complaint) const {
    if (const auto set = result_.where.find(complaint.key); set != result_.where.end()) return set->second;
    const std::string* place = nullptr;
    std::size_t latest = 0;
    for (const auto& [key, where] : result_.where) {
      const std::size_t at = complaint.why.find(key), end = at + key.size();
      if (at == std::string::npos) continue;
      const bool goes_on =
          end < complaint.why.size() &&
          (complaint.why[end] == '-' || std::isalnum(static_cast<unsigned char>(complaint.why[end])) != 0);
      const auto layer = origins_.layer_of.find(key);
      if (goes_on || layer == origins_.layer_of.end() || layer->second < latest) continue;
      latest = layer->second;
      place = &where;
    }
    return place == nullptr ? "" : *place;
  }

  Resolved result_;
  KeyOrigins origins_;
  std::optional<std::string> said_transport_;
  std::vector<std::string> mistakes_;
  std::set<std::string> unjudged_;  // sections of a kind that there is not
};

}  // namespace

const std::string& kind_of_section(const Resolved& platform, const std::string& section) {
  if (section == "interface") return platform.interface;
  if (section == "overlay") return platform.overlay;
  return section == "network" ? platform.network : platform.transport;
}

const std::string& text_of(const LayerEntry& entry) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return *text;
  throw Error(entry.where + ": " + entry.key + " must be a text in quotes");
}

Resolved resolve(std::span<const Layer> layers, Checks checks) {
  Resolver resolver;
  for (const Layer& layer : layers) resolver.add(layer);
  return resolver.finish(checks);
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
