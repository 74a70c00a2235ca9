#include "emulator/platform/kept_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "emulator/core/error.h"
#include "emulator/platform/sections.h"

namespace morgana {
namespace {

constexpr double fs_per_second = 1e15, bits_per_byte = 8;

const Key* network_key(const std::string& kind, const std::string& name) {
  for (const Section& section : schema()) {
    if (section.name != "network" || (!section.kind.empty() && section.kind != kind)) continue;
    for (const Key& key : section.keys)
      if (key.name == name) return &key;
  }
  return nullptr;
}

/// The value on another kind; nothing if it has no such key or would not take it.
std::optional<Value> value_on(const Key& from, const Key* to, const Value& value) {
  if (to == nullptr || to->form != from.form) return std::nullopt;
  try {
    return parse_value(*to, to_text(from, value));
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool counts_in(const Alias* alias, const std::string& key) {
  return alias != nullptr && std::ranges::any_of(alias->parts, [&](const Alias::Part& part) {
           return part.times > 0 && part.key == key;
         });
}

bool is_notion_of(const std::string& kind, const std::string& key) {
  return std::ranges::any_of(alias_names(),
                             [&](const std::string& name) { return counts_in(alias_on(kind, name), key); });
}

const Value& value_in(const Settings& settings, const Key& key) {
  const auto set = settings.find(key.name);
  return set == settings.end() ? key.fallback : set->second;
}

/// A latency, or the time of one byte; nothing if it is 0 or has another form.
std::optional<double> amount(const Alias& alias, const std::string& kind, const Settings& settings) {
  double sum = 0;
  for (const Alias::Part& part : alias.parts) {
    if (part.times == 0) continue;
    const Value value = value_in(settings, *network_key(kind, part.key));
    if (const auto* time = std::get_if<SimTime>(&value))
      sum += part.times * static_cast<double>(time->ps());
    else if (const auto* cost = std::get_if<ByteCost>(&value))
      sum += static_cast<double>(cost->fs());
    else if (const auto* rate = std::get_if<BitRate>(&value))
      sum += bits_per_byte * fs_per_second / static_cast<double>(rate->bits_per_second());
    else
      return std::nullopt;
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

/// As a value of the key, which says in which form. @throws Error if it does not fit
Value value_of_amount(const Key& key, double amount) {
  const auto whole = [](double number) { return static_cast<std::int64_t>(std::llround(number)); };
  Value value = SimTime::from_ps(whole(amount));
  if (key.form == ValueForm::byte_cost) value = ByteCost::from_fs(whole(amount));
  if (key.form == ValueForm::rate) value = BitRate(whole(bits_per_byte * fs_per_second / amount));
  Key free = key;
  free.limits = {};  // those of its parts count
  return parse_value(free, to_text(free, value));
}

/// What gives the notion the former amount on the new kind, whose settings are those that are kept so far;
/// nothing if it can't have that.
std::optional<std::vector<Assignment>> keeping(const Alias& alias, const std::string& kind, double former,
                                               const Settings& kept) {
  std::vector<const Alias::Part*> open;
  for (const Alias::Part& part : alias.parts)
    if (part.times > 0 && !kept.contains(part.key)) open.push_back(&part);
  const auto key_named = [&](const std::string& name) -> const Key& { return *network_key(kind, name); };
  const auto bases =
      std::ranges::count_if(alias.parts, [](const Alias::Part& part) { return part.times > 0; });
  if (std::cmp_equal(open.size(), bases)) {
    const Key& first = key_named(alias.parts.front().key);
    const std::string text = to_text(first, value_of_amount(first, former));
    return assignments(alias, text, key_named, [&](const Key& key) { return value_in(kept, key); });
  }
  // Keys of the same names have a part of it: the first of the others has the rest.
  double rest = former;
  for (const Alias::Part& part : alias.parts)
    if (const auto set = kept.find(part.key); set != kept.end() && part.times > 0)
      if (const auto* time = std::get_if<SimTime>(&set->second))
        rest -= part.times * static_cast<double>(time->ps());
  if (rest <= 0) return std::vector<Assignment>();
  if (open.empty()) return std::nullopt;
  const Key& key = key_named(open.front()->key);
  const Value value = value_of_amount(key, rest / open.front()->times);
  return std::vector<Assignment>{{key.name, parse_value(key, to_text(key, value))}};
}

void put(Settings& settings, const std::vector<Assignment>& assignments) {
  for (const Assignment& one : assignments) settings.insert_or_assign(one.key, one.value);
}

KeptSettings kept_with(const std::string& former_kind, const NetworkKind& kind, const Settings& former,
                       bool all_of_same_name) {
  KeptSettings kept;
  Settings settings;
  for (const auto& [name, value] : former) {
    const Key* const from = network_key(former_kind, name);
    if (from == nullptr) continue;
    if (!all_of_same_name && !(is_notion_of(former_kind, name) && is_notion_of(kind.name, name))) continue;
    if (auto same = value_on(*from, network_key(kind.name, name), value))
      kept.same.push_back({name, *std::move(same)});
  }
  put(settings, kept.same);
  for (const std::string& name : alias_names()) {
    const Alias *const from = alias_on(former_kind, name), *const to = alias_on(kind.name, name);
    if (from == nullptr || to == nullptr) continue;
    KeptNotion notion{name, {}, {}, {}};
    for (const Alias::Part& part : from->parts)
      if (part.times > 0 && former.contains(part.key)) notion.former.push_back(part.key);
    const std::optional<double> value = amount(*from, former_kind, former);
    // A name of a link's speed overrules its rate.
    const bool overruled = name == "network.bandwidth" && former.contains("network.link-speed");
    if (notion.former.empty() || !value || overruled) continue;
    try {
      auto assigned = keeping(*to, kind.name, *value, settings);
      if (!assigned) continue;
      notion.assignments = *std::move(assigned);
    } catch (const Error&) {
      continue;  // it is beyond what the new kind can have
    }
    put(settings, notion.assignments);
    for (const Assignment& one : notion.assignments)
      notion.texts.emplace_back(one.key, to_text(*network_key(kind.name, one.key), one.value));
    kept.notions.push_back(std::move(notion));
  }
  return kept;
}

Settings together(const KeptSettings& kept) {
  Settings settings;
  put(settings, kept.same);
  for (const KeptNotion& notion : kept.notions) put(settings, notion.assignments);
  return settings;
}

}  // namespace

KeptSettings kept_settings(const std::string& former_kind, const NetworkKind& kind, const Settings& former) {
  for (const bool all_of_same_name : {true, false}) {
    KeptSettings kept = kept_with(former_kind, kind, former, all_of_same_name);
    if (!kind.check(together(kept))) return kept;
  }
  return {};
}

}  // namespace morgana
