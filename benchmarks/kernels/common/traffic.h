#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace morgana::kernels {

/// The messages that were sent, by length in bytes.
class Traffic {
 public:
  void add(std::int64_t bytes, std::int64_t messages = 1) { by_length_[bytes] += messages; }

  std::int64_t messages() const;
  std::int64_t bytes() const;
  double mean() const;    ///< 0 without messages
  double median() const;  ///< of an even number, the mean of the two in the middle; 0 without messages
  const std::map<std::int64_t, std::int64_t>& by_length() const { return by_length_; }

  /// "5608 messages, 45875459 bytes, mean 8180.360, median 8192", then a line for each length.
  std::string text() const;

 private:
  std::int64_t length_of(std::int64_t place) const;

  std::map<std::int64_t, std::int64_t> by_length_;
};

}  // namespace morgana::kernels
