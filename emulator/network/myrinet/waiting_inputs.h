#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/myrinet/worms.h"

namespace morgana::myrinet {

/// For each output of the switches, the inputs of its switch whose front packet waits for it.
class WaitingInputs {
 public:
  /// @param outputs  of all switches. @param most_ports  of a switch, >= 1
  WaitingInputs(std::size_t outputs, unsigned most_ports)
      : words_((most_ports + 63) / 64), mask_(outputs * words_) {}

  void set(Index output, PortNumber port, bool waits) {
    std::uint64_t& word = mask_[output * words_ + port / 64];
    const std::uint64_t bit = std::uint64_t{1} << port % 64;
    word = waits ? word | bit : word & ~bit;
  }
  bool any(Index output) const;
  /// The first input behind the port `last`, cyclically; there is one.
  RouteByte next_after(Index output, RouteByte last) const;

 private:
  std::size_t words_;  // of 64 inputs each
  std::vector<std::uint64_t> mask_;
};

}  // namespace morgana::myrinet
