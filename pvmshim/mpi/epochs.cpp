#include "pvmshim/mpi/epochs.h"

namespace morgana::mpi {

bool Epochs::fence(bool goes_on) {
  const bool fits = (is_free() || access_ == Access::fence) && exposure_ != Exposure::post;
  if (!fits) return false;
  access_ = goes_on ? Access::fenced : Access::none;
  exposure_ = goes_on ? Exposure::fenced : Exposure::none;
  return true;
}

bool Epochs::start(const std::vector<int>& targets) {
  if (!is_free()) return false;
  access_ = Access::start;
  started_.assign(started_.size(), false);
  for (const int target : targets) started_[static_cast<std::size_t>(target)] = true;
  return true;
}

bool Epochs::complete() {
  if (access_ != Access::start) return false;
  access_ = Access::none;
  return true;
}

bool Epochs::post() {
  if (exposure_ != Exposure::none && exposure_ != Exposure::fenced) return false;
  exposure_ = Exposure::post;
  return true;
}

bool Epochs::lock(int target) {
  const bool fits = locks_ == 0 ? is_free() : access_ == Access::lock;
  if (!fits || locked_[static_cast<std::size_t>(target)]) return false;
  access_ = Access::lock;
  locked_[static_cast<std::size_t>(target)] = true;
  ++locks_;
  return true;
}

bool Epochs::unlock(int target) {
  if (access_ != Access::lock || !locked_[static_cast<std::size_t>(target)]) return false;
  locked_[static_cast<std::size_t>(target)] = false;
  if (--locks_ == 0) access_ = Access::none;
  return true;
}

bool Epochs::lock_all() {
  if (!is_free()) return false;
  access_ = Access::lock_all;
  return true;
}

bool Epochs::unlock_all() {
  if (access_ != Access::lock_all) return false;
  access_ = Access::none;
  return true;
}

bool Epochs::access(int target) {
  const auto place = static_cast<std::size_t>(target);
  switch (access_) {
    case Access::none:
      return false;
    case Access::fenced:
      if (exposure_ == Exposure::fenced) {
        access_ = Access::fence;
        exposure_ = Exposure::fence;
      }
      return true;
    case Access::fence:
    case Access::lock_all:
      return true;
    case Access::start:
      return started_[place];
    case Access::lock:
      return locked_[place];
  }
  return false;
}

bool Epochs::flush(int target) const {
  return access_ == Access::lock_all ||
         (access_ == Access::lock && locked_[static_cast<std::size_t>(target)]);
}

bool Epochs::may_free() const {
  return is_free() && (exposure_ == Exposure::none || exposure_ == Exposure::fenced);
}

}  // namespace morgana::mpi
