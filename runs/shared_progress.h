#pragma once

#include <atomic>
#include <cstddef>

namespace morgana {

/// How far each of several runs has come, in memory that processes forked from this one share.
class SharedProgress {
 public:
  /// @throws Error if there is no memory
  explicit SharedProgress(std::size_t runs);
  ~SharedProgress();
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  /// @param share  0 to 1
  void set(std::size_t run, double share) const { shares_[run].store(share, std::memory_order_relaxed); }
  /// Of all runs together: the mean of their shares, 0 if there are none.
  double mean() const;

 private:
  std::size_t runs_;
  std::atomic<double>* shares_ = nullptr;
};

}  // namespace morgana
