#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace morgana {

/// Closes all files that this process has open but these.
inline void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned next = 0;
  const auto close_up_to = [](unsigned first, unsigned last) {
    if (first <= last) syscall(SYS_close_range, first, last, 0U);
  };
  for (const int descriptor : kept) {
    if (descriptor < 0) continue;
    const auto number = static_cast<unsigned>(descriptor);
    if (number > next) close_up_to(next, number - 1);
    next = std::max(next, number + 1);
  }
  close_up_to(next, ~0U);
}

}  // namespace morgana
