#include "benchmarks/kernels/common/kernel.h"

#include <bit>

namespace morgana::kernels {

Sizes Kernel::sizes_of_class(std::size_t place) const {
  Sizes result;
  for (const SizeOption& size : sizes) result.push_back(size.of_class.at(place));
  return result;
}

std::string Kernel::class_of(const Sizes& chosen) const {
  for (std::size_t place = 0; place < class_names.size(); ++place) {
    if (sizes_of_class(place) == chosen) return class_names[place];
  }
  return "";
}

void require_power_of_two(const std::string& option, int value) {
  if (std::has_single_bit(static_cast<unsigned>(value))) return;
  throw Refusal("--" + option + " must be a power of two, not " + std::to_string(value));
}

}  // namespace morgana::kernels
