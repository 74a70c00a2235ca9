#include "traces/otf2/file_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace morgana {

void raise_open_file_limit(std::uint64_t files) {
  constexpr std::uint64_t usual = 256;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files + usual) return;
  limit.rlim_cur = std::min<std::uint64_t>(limit.rlim_max, files + usual);
  setrlimit(RLIMIT_NOFILE, &limit);  // if it fails, opening the file that is one too many says so
}

}  // namespace morgana
