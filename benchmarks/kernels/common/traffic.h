#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace morgana::kernels {

/// Counts sent messages by their length, and computes statistics of the lengths. All lengths are in bytes.
class Traffic {
 public:
  /// Counts `messages` messages of `bytes` bytes each.
  void add(std::int64_t bytes, std::int64_t messages = 1) { by_length_[bytes] += messages; }

  std::int64_t messages() const;  ///< the number of messages
  std::int64_t bytes() const;     ///< the sum of their lengths
  double mean() const;            ///< length; 0 without messages
  double median() const;  ///< length; of an even number, the mean of the two middle ones; 0 without messages
  /// The number of messages of each length that occurs.
  const std::map<std::int64_t, std::int64_t>& by_length() const { return by_length_; }

  /// For people: "5608 messages, 45875459 bytes, mean 8180.360, median 8192", then a line for each length,
  /// shortest first. Each line ends with a newline.
  std::string text() const;

 private:
  std::int64_t length_of(std::int64_t place) const;

  std::map<std::int64_t, std::int64_t> by_length_;
};

}  // namespace morgana::kernels
