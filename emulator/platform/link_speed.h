#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/units.h"

namespace morgana {

/// Generations of InfiniBand links. Source: InfiniBand Architecture Specification, volume 2 (lanes and their
/// encoding).
/// The last two are names of products: cables with two lanes of HDR and NDR.
enum class LinkSpeed : std::uint8_t {
  from_rate,
  sdr,
  ddr,
  qdr,
  fdr10,
  fdr,
  edr,
  hdr,
  ndr,
  xdr,
  hdr100,
  ndr200
};
enum class LinkWidth : std::uint8_t { x1, x2, x4, x8, x12 };

/// By value: "rate" for from_rate, then "SDR" to "XDR", "HDR100" and "NDR200"; "1x" to "12x".
const std::vector<std::string>& link_speed_words();
const std::vector<std::string>& link_width_words();

/// What a link carries after its encoding: 8b/10b up to QDR, 64b/66b up to EDR, then 256b/257b and the
/// forward error correction RS(544,514). @param speed  not from_rate @param width  HDR100 and NDR200 have two
/// lanes whatever it is
BitRate link_rate(LinkSpeed speed, LinkWidth width);

/// Whether the word says how many lanes a cable has, too: HDR100, NDR200.
bool says_width(LinkSpeed speed);

}  // namespace morgana
