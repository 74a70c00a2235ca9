#include "emulator/platform/aliases.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "emulator/core/error.h"

namespace morgana {
namespace {

constexpr const char* bandwidth_notion = "network.bandwidth";
constexpr const char* latency_notion = "network.latency";

/// A value as the number of its steps.
double steps_of(const Value& value) {
  if (const auto* time = std::get_if<SimTime>(&value)) return static_cast<double>(time->ps());
  if (const auto* size = std::get_if<Bytes>(&value)) return static_cast<double>(size->count());
  if (const auto* rate = std::get_if<BitRate>(&value)) return static_cast<double>(rate->bits_per_second());
  if (const auto* cost = std::get_if<ByteCost>(&value)) return static_cast<double>(cost->fs());
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  return std::get<double>(value);
}

/// The value of the same type with so many steps.
Value with_steps(const Value& like, double steps) {
  if (std::holds_alternative<double>(like)) return steps;
  constexpr double most = 9e18;  // below 2^63
  if (!(steps < most)) throw Error("the result is too large");
  const std::int64_t whole = std::llround(steps);
  if (std::holds_alternative<SimTime>(like)) return SimTime::from_ps(whole);
  if (std::holds_alternative<Bytes>(like)) return Bytes(whole);
  if (std::holds_alternative<BitRate>(like)) return BitRate(whole);
  if (std::holds_alternative<ByteCost>(like)) return ByteCost::from_fs(whole);
  return whole;
}

/// "between groups at 100 Gb/s over 500 ns, ...": each rate so many times; others have trunk-rate's.
std::string multiplied_tiers(const std::string& list, double factor) {
  std::vector<std::string> items = items_of(list);
  for (std::string& item : items) {
    constexpr std::string_view before = " at ", after = " over ";
    const std::size_t at = item.find(before);
    if (at == std::string::npos) continue;
    const std::size_t from = at + before.size(), to = std::min(item.find(after, from), item.size());
    const double rate =
        static_cast<double>(parse_bit_rate(std::string_view(item).substr(from, to - from)).bits_per_second());
    item.replace(from, to - from, to_text(std::get<BitRate>(with_steps(BitRate(1), rate * factor))));
  }
  return joined(items);
}

/// A bandwidth that is written as a cost per byte goes the other way.
bool is_inverse(const Alias& alias, const Key& key) {
  return alias.name == bandwidth_notion && key.form == ValueForm::byte_cost;
}

}  // namespace

const std::vector<Alias>& aliases() {
  static const std::vector<Alias> all{
      {bandwidth_notion, "loggp", {{"network.gap-per-byte", 1}, {"network.latency-per-byte", 0}}},
      {bandwidth_notion, "ethernet-shared", {{"network.rate", 1}}},
      {bandwidth_notion, "ethernet-switched", {{"network.rate", 1}, {"network.trunk-rate", 0}}},
      {bandwidth_notion, "ethernet-cable", {{"network.rate", 1}}},
      {bandwidth_notion, "fddi", {{"network.rate", 1}}},
      {bandwidth_notion, "atm", {{"network.rate", 1}, {"network.trunk-rate", 0}}},
      // Buffers that last as long as before, or more would come behind a stop than they have room for.
      {bandwidth_notion,
       "myrinet",
       {{"network.rate", 1}, {"network.slack", 0}, {"network.stop-above", 0}, {"network.go-below", 0}}},
      {bandwidth_notion,
       "fabric",
       {{"network.rate", 1}, {"network.trunk-rate", 0}, {"network.tiers", 0}, {"network.ejection-rate", 0}}},
      {latency_notion, "loggp", {{"network.latency", 1}}},
      {latency_notion, "ethernet-shared", {{"network.propagation", 1}}},
      {latency_notion, "ethernet-switched", {{"network.propagation", 2}, {"network.forwarding", 1}}},
      {latency_notion, "ethernet-cable", {{"network.propagation", 1}}},
      {latency_notion, "fddi", {{"network.propagation", 1}, {"network.station-latency", 1}}},
      {latency_notion, "atm", {{"network.propagation", 2}, {"network.switch-delay", 1}}},
      {latency_notion,
       "myrinet",
       {{"network.cable", 2}, {"network.routing", 1}, {"network.control-delay", 0}}},
      {latency_notion,
       "fabric",
       {{"network.propagation", 2},
        {"network.switch-latency", 1},
        {"network.injection-latency", 1},
        {"network.delivery-latency", 1}}},
  };
  return all;
}

std::vector<std::string> alias_names() {
  return {bandwidth_notion, latency_notion};
}

const Alias* alias_on(const std::string& network, const std::string& name) {
  for (const Alias& alias : aliases())
    if (alias.network == network && alias.name == name) return &alias;
  return nullptr;
}

std::string alias_table() {
  std::string text = "| `--set` | `network.kind` | is |\n| --- | --- | --- |\n";
  for (const Alias& alias : aliases()) {
    std::string sum, along;
    for (const Alias::Part& part : alias.parts) {
      std::string& list = part.times > 0 ? sum : along;
      if (!list.empty()) list += part.times > 0 ? " + " : ", ";
      list += (part.times > 1 ? std::to_string(part.times) + " x " : "") + "`" + part.key + "`";
    }
    if (!along.empty()) along = "; " + along + " in proportion";
    text += "| `" + alias.name + "` | " + alias.network + " | " + sum + along + " |\n";
  }
  return text;
}

std::optional<double> multiplier(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::string_view rest = text.substr(0, text.size() - 1);
  if (text.back() == 'x' && !rest.empty() && rest.find_first_not_of("0123456789.") == std::string_view::npos)
    throw Error("\"" + std::string(text) + "\" has no unit; to multiply write x" + std::string(rest));
  if (text.front() != 'x') return std::nullopt;
  const double factor = parse_factor(text.substr(1));
  if (!(factor > 0))
    throw Error("\"" + std::string(text) + "\" multiplies by 0; write a factor above 0, or the value itself");
  return factor;
}

Value multiplied(const Key& key, const Value& value, double factor) {
  if (const auto* text = std::get_if<std::string>(&value))
    throw Error("\"" + *text + "\" can't be multiplied; write the value itself");
  const double steps = steps_of(value);
  if (steps == 0)
    throw Error("it is " + to_text(key, value) +
                " here, of which there is no multiple: write the value itself, " + form_with_article(key) +
                (key.form == ValueForm::factor ? " such as 0.5" : ""));
  const Value result = with_steps(value, steps * factor);
  if (steps_of(result) == 0) throw Error("the result is too small to be told from 0");
  return parse_value(key, to_text(key, result));  // which checks limits
}

std::vector<Assignment> assignments(const Alias& alias, std::string_view text,
                                    const std::function<const Key&(const std::string&)>& key_named,
                                    const std::function<Value(const Key&)>& present) {
  const Key& first = key_named(alias.parts.front().key);
  std::vector<Assignment> result;
  const auto put = [&](const Alias::Part& part, double factor) {
    const Key& key = key_named(part.key);
    const Value now = present(key);
    if (const auto* const tiers = std::get_if<std::string>(&now)) {
      if (!tiers->empty()) result.push_back({part.key, multiplied_tiers(*tiers, factor)});
      return;
    }
    if (key.form == ValueForm::rate_or_share && std::holds_alternative<double>(now))
      return;                        // it follows by itself
    if (steps_of(now) == 0) return;  // nothing to keep a proportion with: a trunk-rate that is "same"
    result.push_back({part.key, multiplied(key, now, is_inverse(alias, key) ? 1 / factor : factor)});
  };
  double sum = 0;
  for (const Alias::Part& part : alias.parts)
    if (part.times > 0) sum += part.times * steps_of(present(key_named(part.key)));
  if (const auto factor = multiplier(text)) {
    if (sum == 0) multiplied(first, present(first), *factor);  // throws: it is 0
    for (const Alias::Part& part : alias.parts) put(part, *factor);
    return result;
  }
  // A notion may be larger or smaller than its first key: limits are those of the parts.
  Key whole = first;
  if (alias.parts.size() > 1) whole.limits = {};
  const Value wanted = parse_value(whole, text);
  const double steps = steps_of(wanted);
  if (alias.parts.size() == 1) return {{first.name, wanted}};
  if (steps == 0 || sum == 0) {  // no proportion to keep: the first key has it all
    for (const Alias::Part& part : alias.parts) {
      if (part.times == 0) continue;
      const double all = &part == &alias.parts.front() ? steps / part.times : 0;
      const Key& key = key_named(part.key);
      result.push_back({part.key, parse_value(key, to_text(key, with_steps(wanted, all)))});
    }
    return result;
  }
  const double factor = is_inverse(alias, first) ? sum / steps : steps / sum;
  for (const Alias::Part& part : alias.parts) put(part, factor);
  return result;
}

}  // namespace morgana
