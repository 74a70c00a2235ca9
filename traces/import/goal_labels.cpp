#include "traces/import/goal_labels.h"

#include <algorithm>
#include <cstring>

namespace morgana::goal {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = name.size();
  for (; name.size() > 8; name.remove_prefix(8)) {
    std::uint64_t part = 0;
    std::memcpy(&part, name.data(), 8);
    hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  std::uint64_t part = 0;
  for (const char c : name) part = part << 8 | static_cast<unsigned char>(c);
  hash = (hash ^ part) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

/// Digits without zeros in front.
std::string_view digits_at(std::string_view name, std::size_t& at) {
  while (at < name.size() && name[at] == '0') ++at;
  const std::size_t begin = at;
  while (at < name.size() && is_digit(name[at])) ++at;
  return name.substr(begin, at - begin);
}

}  // namespace

bool label_before(std::string_view one, std::string_view other) {
  std::size_t i = 0;
  // Mostly they have as many digits behind the same word.
  if (one.size() == other.size()) {
    while (i < one.size() && one[i] == other[i]) ++i;
    const auto tail_is_number = [i](std::string_view name) {
      return std::ranges::all_of(name.substr(i), is_digit);
    };
    if (tail_is_number(one) && tail_is_number(other)) return one < other;
    i = 0;
  }
  std::size_t j = 0;
  while (i < one.size() && j < other.size()) {
    if (is_digit(one[i]) && is_digit(other[j])) {
      const std::string_view left = digits_at(one, i), right = digits_at(other, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (one[i] != other[j]) return static_cast<unsigned char>(one[i]) < static_cast<unsigned char>(other[j]);
    ++i;
    ++j;
  }
  if (i < one.size() || j < other.size()) return i == one.size();
  return one < other;  // they differ in zeros, if at all
}

std::uint32_t Labels::number_of(std::string_view name, std::size_t line) {
  if (2 * (labels_.size() + 1) > places_.size()) grow();
  const std::uint64_t hash = hash_of(name);
  const std::size_t mask = places_.size() - 1;
  std::size_t at = hash & mask;
  for (; places_[at].number != 0; at = (at + 1) & mask)
    if (places_[at].hash == hash && labels_[places_[at].number - 1].name == name)
      return places_[at].number - 1;
  labels_.push_back({name, no_node, line});
  places_[at] = {hash, static_cast<std::uint32_t>(labels_.size())};
  return static_cast<std::uint32_t>(labels_.size() - 1);
}

void Labels::clear() {
  if (!labels_.empty()) std::ranges::fill(places_, Place{});
  labels_.clear();
}

void Labels::grow() {
  constexpr std::size_t least = 1024;
  std::vector<Place> old(std::max(least, 2 * places_.size()));
  old.swap(places_);
  const std::size_t mask = places_.size() - 1;
  for (const Place& place : old) {
    if (place.number == 0) continue;
    std::size_t at = place.hash & mask;
    while (places_[at].number != 0) at = (at + 1) & mask;
    places_[at] = place;
  }
}

}  // namespace morgana::goal
