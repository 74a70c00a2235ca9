#include "emulator/platform/kinds/fabric_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"

namespace morgana {
namespace {

constexpr SimTime latest_storm = SimTime::from_ps(1'000'000'000'000'000);  // as of every time of a platform

bool took(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Takes a whole number from the beginning of `text`.
std::optional<unsigned> took_number(std::string_view& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

[[noreturn]] void refuse_item(const std::string& item, std::string_view write) {
  throw Error(fmt::format("\"{}\" can't be read; write {}", item, write));
}

}  // namespace

std::vector<unsigned> class_weights(const std::vector<std::string>& items) {
  std::vector<unsigned> weights;
  for (const std::string& item : items) {
    std::string_view text = item;
    const auto weight = text == "strict" ? std::optional(0U) : took_number(text);
    if (item != "strict" && (!weight || !text.empty() || *weight == 0))
      refuse_item(item,
                  "a weight from 1 to 255, or \"strict\", for each traffic class, as in \"strict, 3, 1\"");
    weights.push_back(*weight);
  }
  return weights;
}

std::vector<fabric::LaneWeight> lane_weights(const std::vector<std::string>& items, unsigned classes,
                                             unsigned of_routing) {
  // InfiniBand Architecture Specification 1.3, volume 1, section 14.2.5.9 (VLArbitrationTable).
  constexpr std::size_t most_entries = 64;
  constexpr unsigned most_weight = 255;
  if (items.size() > most_entries)
    throw Error(fmt::format("{} entries are more than the {} that a table has", items.size(), most_entries));
  std::vector<fabric::LaneWeight> table;
  for (const std::string& item : items) {
    std::string_view text = item;
    const auto traffic_class = took_number(text);
    const bool has_weight = took(text, ":");
    const auto weight = took_number(text);
    if (!traffic_class || !has_weight || !weight || !text.empty())
      refuse_item(item, "a traffic class and a weight from 1 to 255, as in \"0:64\"");
    if (*traffic_class >= classes)
      throw Error(fmt::format(
          "\"{}\": there is no traffic class {}: those of network.classes = {} are numbered from 0", item,
          *traffic_class, classes));
    if (*weight < 1 || *weight > most_weight)
      throw Error(fmt::format("\"{}\": a weight is 1 to {}", item, most_weight));
    for (unsigned one = 0; one < of_routing; ++one)
      table.push_back({*traffic_class * of_routing + one, *weight});
  }
  return table;
}

bool is_pause_storm(const std::string& item) {
  return item.starts_with("host ");
}

fabric::PauseStorm pause_storm(const std::string& item, unsigned classes) {
  const auto refuse = [&] {
    refuse_item(item, "\"host 5 pauses at 10 ms\" or \"host 5 pauses class 1 at 10 ms for 5 ms\"");
  };
  const auto time = [&](std::string_view text) {
    SimTime read;
    try {
      read = parse_time(text);
    } catch (const Error& error) {
      throw Error(fmt::format("\"{}\": {}", item, error.what()));
    }
    if (read > latest_storm)
      throw Error(fmt::format("\"{}\": a time must be at most {}", item, to_text(latest_storm)));
    return read;
  };
  std::string_view text = item;
  if (!took(text, "host ")) refuse();
  const auto host = took_number(text);
  if (!host || !took(text, " pauses")) refuse();
  fabric::PauseStorm storm;
  storm.host = *host;
  storm.classes = (1U << classes) - 1;
  if (took(text, " class ")) {
    constexpr unsigned most_classes = 8;
    const auto one = took_number(text);
    if (!one) refuse();
    storm.classes = 1U << std::min(*one, most_classes);
  }
  if (!took(text, " at ")) refuse();
  const std::size_t end = text.find(" for ");
  storm.from = time(text.substr(0, end));
  if (end == std::string_view::npos) return storm;
  const SimTime length = time(text.substr(end + 5));
  if (length == SimTime()) throw Error(fmt::format("\"{}\": a pause must take some time", item));
  storm.until = storm.from + length;
  return storm;
}

}  // namespace morgana
