#include "runs/shared_progress.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "emulator/core/error.h"

namespace morgana {

static_assert(std::atomic<double>::is_always_lock_free);

SharedProgress::SharedProgress(std::size_t runs) : runs_(runs) {
  void* const mapped = ::mmap(nullptr, std::max<std::size_t>(1, runs) * sizeof(std::atomic<double>),
                              PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    throw Error(fmt::format("no memory in which {} runs could tell how far they have come: {}", runs,
                            std::strerror(errno)));
  shares_ = static_cast<std::atomic<double>*>(mapped);
  std::uninitialized_value_construct_n(shares_, runs);
}

SharedProgress::~SharedProgress() {
  ::munmap(shares_, std::max<std::size_t>(1, runs_) * sizeof(std::atomic<double>));
}

double SharedProgress::mean() const {
  double sum = 0;
  for (std::size_t run = 0; run < runs_; ++run) sum += shares_[run].load(std::memory_order_relaxed);
  return runs_ == 0 ? 0 : sum / static_cast<double>(runs_);
}

}  // namespace morgana
