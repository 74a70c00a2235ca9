#include "emulator/topology/listed/listed_items.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"

namespace morgana {
namespace {

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

[[noreturn]] void refuse(const std::string& item, const char* form) {
  throw Error(fmt::format("\"{}\" can't be read; write {}", item, form));
}

SwitchId take_switch(std::string_view& text, const std::string& item, std::uint32_t switches,
                     const char* form) {
  SwitchId number = 0;
  if (!take_number(text, number)) refuse(item, form);
  if (number < switches) return number;
  throw Error(fmt::format("\"{}\": there is no switch {}, network.switches has them from 0 to {}", item,
                          number, switches - 1));
}

/// " at RATE over TIME", each of which may be missing.
Link take_link(std::string_view text, const std::string& item, Link link, const char* form) {
  const auto part = [&](std::string_view word, auto parse, auto& value) {
    if (!text.starts_with(word)) return;
    text.remove_prefix(word.size());
    const std::size_t end = std::min(text.find(" over "), text.size());
    value = parse(text.substr(0, end));
    text.remove_prefix(end);
  };
  try {
    part(" at ", parse_bit_rate, link.rate);
    part(" over ", parse_time, link.propagation);
  } catch (const Error& error) {
    throw Error(fmt::format("\"{}\": {}", item, error.what()));
  }
  if (!text.empty()) refuse(item, form);
  return link;
}

}  // namespace

std::optional<ListedEnd> take_end(std::string_view& text) {
  ListedEnd end;
  if (!take_number(text, end.at)) return std::nullopt;
  if (!text.starts_with(".")) return end;
  text.remove_prefix(1);
  if (!take_number(text, end.port.emplace())) return std::nullopt;
  return end;
}

ListedTrunk listed_trunk(const std::string& item, std::uint32_t switches, const Link& link) {
  constexpr const char* form = "two switches' numbers, such as \"0-1\" or \"0-1 at 622.08 Mb/s over 5 us\"";
  std::string_view text = item;
  ListedTrunk trunk;
  trunk.a = take_switch(text, item, switches, form);
  if (!text.starts_with("-")) refuse(item, form);
  text.remove_prefix(1);
  trunk.b = take_switch(text, item, switches, form);
  if (trunk.a == trunk.b) throw Error(fmt::format("\"{}\" leads from a switch to itself", item));
  trunk.link = take_link(text, item, link, form);
  return trunk;
}

ListedTier listed_tier(const std::string& item, const std::vector<std::string>& names, const Link& link) {
  for (std::size_t tier = 0; tier < names.size(); ++tier) {
    if (!item.starts_with(names[tier] + " ")) continue;
    const std::string form =
        fmt::format("a tier and its link, such as \"{} at 100 Gb/s over 500 ns\"", names[tier]);
    return {tier, take_link(std::string_view(item).substr(names[tier].size()), item, link, form.c_str())};
  }
  refuse(item,
         fmt::format("a tier of this topology ({}) and its link, such as \"{} at 100 Gb/s over 500 ns\"",
                     fmt::join(names, ", "), names.front())
             .c_str());
}

ListedHost listed_host(const std::string& item, std::uint32_t switches, const Link& link) {
  constexpr const char* form = "a switch's number, such as \"0\" or \"0 at 100 Mb/s over 1 us\"";
  std::string_view text = item;
  const SwitchId at = take_switch(text, item, switches, form);
  return {at, take_link(text, item, link, form)};
}

}  // namespace morgana
