#include "emulator/core/exponential.h"

#include <cmath>

namespace morgana {
namespace {

constexpr double tail_begins = 7.69711747013104972;  // of 256 layers
constexpr double area = 0.0039496598225815571993;    // of each of them
constexpr double steps = 0x1.0p53;

}  // namespace

Ziggurat::Ziggurat() : inside_{}, width_{}, height_{} {
  double end = tail_begins;
  const double bottom = area / std::exp(-end);  // the lowest layer's width, its tail counted in
  inside_[0] = static_cast<std::uint64_t>(end / bottom * steps);
  inside_[1] = 0;
  width_[0] = bottom / steps;
  width_[255] = end / steps;
  height_[0] = 1;
  height_[255] = std::exp(-end);
  for (std::size_t layer = 254; layer >= 1; --layer) {
    const double next = -std::log(area / end + std::exp(-end));
    inside_[layer + 1] = static_cast<std::uint64_t>(next / end * steps);
    end = next;
    height_[layer] = std::exp(-end);
    width_[layer] = end / steps;
  }
}

double Ziggurat::at_the_edge(std::size_t layer, double x, RandomStream& random) const {
  if (layer == 0) return tail_begins - std::log1p(-random.uniform());  // the tail looks like the whole
  if (height_[layer] + random.uniform() * (height_[layer - 1] - height_[layer]) < std::exp(-x)) return x;
  return exponential(random);
}

const Ziggurat& ziggurat() {
  static const Ziggurat table;
  return table;
}

}  // namespace morgana
