#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace morgana::testing::tcp_reference {

/// The rules of tcp::RoundTrip's header.
struct ReferenceRoundTrip {
  std::int64_t least, most, timeout;  // ps
  std::int64_t srtt = 0, rttvar = 0;
  bool measured = false;

  void sample(std::int64_t r) {
    if (measured) {
      rttvar = (3 * rttvar + std::abs(srtt - r)) / 4;
      srtt = (7 * srtt + r) / 8;
    } else {
      srtt = r;
      rttvar = r / 2;
    }
    measured = true;
    timeout = std::min(std::max(srtt + 4 * rttvar, least), most);
  }
  void back_off() { timeout = std::min(2 * timeout, most); }
};

}  // namespace morgana::testing::tcp_reference
