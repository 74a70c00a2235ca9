#include "emulator/platform/link_speed.h"

#include <array>
#include <cassert>
#include <cstddef>

namespace morgana {
namespace {

/// Of one lane: signalling in bits a second, and the share of it that is data.
struct Lane {
  std::int64_t signalling, data, of;
};

Lane lane_of(LinkSpeed speed) {
  constexpr std::int64_t kilo = 1000;
  // 256b/257b and RS(544,514): 514 / 544 * 256 / 257 = 16 / 17
  constexpr std::array<Lane, 9> lanes{{{2'500'000 * kilo, 8, 10},
                                       {5'000'000 * kilo, 8, 10},
                                       {10'000'000 * kilo, 8, 10},
                                       {10'312'500 * kilo, 64, 66},
                                       {14'062'500 * kilo, 64, 66},
                                       {25'781'250 * kilo, 64, 66},
                                       {53'125'000 * kilo, 16, 17},
                                       {106'250'000 * kilo, 16, 17},
                                       {212'500'000 * kilo, 16, 17}}};
  return lanes.at(static_cast<std::size_t>(speed) - 1);
}

}  // namespace

const std::vector<std::string>& link_speed_words() {
  static const std::vector<std::string> words{"rate", "SDR", "DDR", "QDR", "FDR10",  "FDR",
                                              "EDR",  "HDR", "NDR", "XDR", "HDR100", "NDR200"};
  return words;
}

const std::vector<std::string>& link_width_words() {
  static const std::vector<std::string> words{"1x", "2x", "4x", "8x", "12x"};
  return words;
}

bool says_width(LinkSpeed speed) {
  return speed == LinkSpeed::hdr100 || speed == LinkSpeed::ndr200;
}

BitRate link_rate(LinkSpeed speed, LinkWidth width) {
  assert(speed != LinkSpeed::from_rate);
  if (speed == LinkSpeed::hdr100) return link_rate(LinkSpeed::hdr, LinkWidth::x2);
  if (speed == LinkSpeed::ndr200) return link_rate(LinkSpeed::ndr, LinkWidth::x2);
  constexpr std::array<std::int64_t, 5> widths{1, 2, 4, 8, 12};
  const Lane lane = lane_of(speed);
  return BitRate(lane.signalling * widths.at(static_cast<std::size_t>(width)) / lane.of * lane.data +
                 lane.signalling * widths.at(static_cast<std::size_t>(width)) % lane.of * lane.data /
                     lane.of);
}

}  // namespace morgana
