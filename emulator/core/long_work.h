#pragma once

#include <cstddef>

namespace morgana {

/// Hears of work that may take minutes. It is called often, and from within the work: what it throws breaks
/// that off.
/// @param what  in words: "routing"
/// @param share  that is done, from 0 to 1
using WorkListener = void (*)(const char* what, double share);

/// From now on all such work of the process is reported to this one. Null: not reported, which is the
/// default.
void tell_work_to(WorkListener listener);

/// Work of so many steps of about the same length.
class LongWork {
 public:
  /// @param what  stays valid
  LongWork(const char* what, std::size_t steps);
  /// One step is done.
  void advance() {
    if (++done_ >= next_told_) tell();
  }

 private:
  void tell();

  const char* what_;
  std::size_t steps_, done_ = 0, next_told_ = 0;
};

}  // namespace morgana
