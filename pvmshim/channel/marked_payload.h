#pragma once

#include <cstdint>

namespace morgana {

// A payload that leaves its machine is marked, so that an old copy is not taken for what lies at its place
// now. The payload's own mark, which lies in its block, is how many of the owner's have been marked before,
// and whether the owner itself has marked it (then the operation names it so) or its agent. A marked handle
// is the handle and the last digits of that number, which come again after 8 million others: by it alone
// it is not known which of two payloads is newer.

constexpr std::uint32_t marks_of_an_owner = std::uint32_t{1} << 23;
constexpr std::uint32_t by_owner = marks_of_an_owner;
constexpr std::uint64_t whole_by_owner = std::uint64_t{1} << 63;
constexpr std::uint64_t one_mark = std::uint64_t{1} << 40;  ///< 16 TiB of payloads lie below

/// Of a payload that stays on its machine. Handles are 1 more than a multiple of 16.
constexpr std::uint64_t unmarked(std::uint64_t handle) {
  return handle / 16 + 1;
}
constexpr std::uint64_t marked(std::uint64_t handle, std::uint32_t mark) {
  return unmarked(handle) | mark * one_mark;
}
constexpr std::uint64_t without_mark(std::uint64_t marked) {
  return ((marked & (one_mark - 1)) - 1) * 16 + 1;
}
constexpr std::uint32_t mark_of(std::uint64_t marked) {
  return static_cast<std::uint32_t>(marked / one_mark);
}
constexpr bool is_marked_by_owner(std::uint64_t payload) {
  return (mark_of(payload) & by_owner) != 0;
}
/// Of a payload's own mark what stands in its handle.
constexpr std::uint32_t short_mark(std::uint64_t whole) {
  return static_cast<std::uint32_t>(whole % marks_of_an_owner) |
         ((whole & whole_by_owner) != 0 ? by_owner : 0);
}
/// Of own marks of one owner: whether the first was given after the second.
constexpr bool is_newer(std::uint64_t one, std::uint64_t other) {
  return (one & ~whole_by_owner) > (other & ~whole_by_owner);
}

}  // namespace morgana
