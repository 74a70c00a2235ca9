#include "benchmarks/kernels/common/traffic.h"

#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {

std::int64_t Traffic::messages() const {
  std::int64_t sum = 0;
  for (const auto& [length, count] : by_length_) sum += count;
  return sum;
}

std::int64_t Traffic::bytes() const {
  std::int64_t sum = 0;
  for (const auto& [length, count] : by_length_) sum += length * count;
  return sum;
}

double Traffic::mean() const {
  const std::int64_t count = messages();
  return count == 0 ? 0.0 : static_cast<double>(bytes()) / static_cast<double>(count);
}

/// The length of the message that stands at `place` when all are sorted by length.
std::int64_t Traffic::length_of(std::int64_t place) const {
  for (const auto& [length, count] : by_length_) {
    if (place < count) return length;
    place -= count;
  }
  return 0;
}

double Traffic::median() const {
  const std::int64_t count = messages();
  if (count == 0) return 0.0;
  return 0.5 * static_cast<double>(length_of((count - 1) / 2) + length_of(count / 2));
}

std::string Traffic::text() const {
  std::string result =
      text_of("%lld messages, %lld bytes, mean %.3f, median %g\n", static_cast<long long>(messages()),
              static_cast<long long>(bytes()), mean(), median());
  for (const auto& [length, count] : by_length_) {
    result +=
        text_of("  %8lld x %lld bytes\n", static_cast<long long>(count), static_cast<long long>(length));
  }
  return result;
}

}  // namespace morgana::kernels
