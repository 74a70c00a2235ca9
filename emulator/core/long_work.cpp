#include "emulator/core/long_work.h"

#include <algorithm>

namespace morgana {
namespace {

WorkListener listener_of_all = nullptr;
/// How often one piece of work is told of.
constexpr std::size_t tellings = 1000;

}  // namespace

void tell_work_to(WorkListener listener) {
  listener_of_all = listener;
}

LongWork::LongWork(const char* what, std::size_t steps) : what_(what), steps_(steps) {
  tell();
}

void LongWork::tell() {
  next_told_ = done_ + std::max<std::size_t>(1, steps_ / tellings);
  if (listener_of_all != nullptr)
    listener_of_all(what_, steps_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(steps_));
}

}  // namespace morgana
