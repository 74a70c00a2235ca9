#pragma once

#include "emulator/collectives/member.h"

namespace morgana::collectives {

/// The largest power of two of members, for algorithms that need one: of the first 2 * rest() members, every
/// second hands its operand to its neighbour beforehand and stays out. Those who stay are numbered in order.
class PowerOfTwoGroup {
 public:
  enum class Staying { odd, even };

  PowerOfTwoGroup(std::int32_t members, Staying staying)
      : size_(power_of_two_within(members)), rest_(members - size_), odd_stays_(staying == Staying::odd) {}

  std::int32_t size() const { return size_; }
  std::int32_t rest() const { return rest_; }
  /// Whether the member hands over to, or takes over from, a neighbour; and which.
  bool is_paired(std::int32_t member) const { return member < 2 * rest_; }
  bool stays_out(std::int32_t member) const { return is_paired(member) && (member % 2 != 0) != odd_stays_; }
  std::int32_t neighbour(std::int32_t member) const { return member ^ 1; }
  /// Number of a member who stays, and the member who has a number.
  std::int32_t number(std::int32_t member) const { return is_paired(member) ? member / 2 : member - rest_; }
  std::int32_t member(std::int32_t number) const {
    return number < rest_ ? 2 * number + (odd_stays_ ? 1 : 0) : number + rest_;
  }
  /// The first of the members for whom the one with this number stands (itself or its even neighbour).
  std::int32_t first_of(std::int32_t number) const { return number < rest_ ? 2 * number : number + rest_; }

 private:
  std::int32_t size_, rest_;
  bool odd_stays_;
};

}  // namespace morgana::collectives
