#include "pvmshim/channel/shared_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

namespace morgana {
namespace {

/// So many turns in a row make it worth while to move.
constexpr unsigned turns_before_meeting = 16;
/// Between looks at what turns take.
constexpr unsigned turns_between_looks = 64;
/// To wake an idle core takes as long (20 to 40 us on virtual machines).
constexpr std::chrono::microseconds quick_turn{30};
/// To move threads to and fro costs more than so few turns save; the pause doubles each time.
constexpr unsigned few_turns = 128, least_pause = 64, longest_pause = 1024;

cpu_set_t only(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return set;
}

/// Gives the threads of a process that may run on the processors `from` those of `to`, but for `not_these`.
/// A thread that another one starts at this moment has inherited a mask: looks until there is none.
/// @return those that may run on others
std::vector<pid_t> move_threads(pid_t process, const cpu_set_t& from, const cpu_set_t& to,
                                const std::vector<pid_t>& not_these) {
  constexpr int most_looks = 4;
  std::vector<pid_t> left = not_these;
  bool has_moved = true;
  for (int look = 0; has_moved && look < most_looks; ++look) {
    std::error_code ignored;
    has_moved = false;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), ignored)) {
      const pid_t thread = std::atoi(entry.path().filename().c_str());
      cpu_set_t mask;
      if (std::ranges::find(left, thread) != left.end() || sched_getaffinity(thread, sizeof mask, &mask) != 0)
        continue;
      if (CPU_EQUAL(&mask, &from))
        has_moved = sched_setaffinity(thread, sizeof to, &to) == 0 || has_moved;
      else if (look == 0)
        left.push_back(thread);
    }
  }
  return left;
}

/// Of all its threads; none of one that has ended.
std::optional<std::chrono::nanoseconds> cpu_time_of(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

void SharedCore::before_waking(std::size_t rank, pid_t process, std::size_t others) {
  Placed& placed = ranks_[rank];
  placed.process = process;
  if (!std::exchange(placed.was_woken, true)) woken_.push_back(rank);
  others_ += others;
  if (++turns_ == turns_between_looks) look();
  alone_ = others == 0 ? alone_ + 1 : 0;
  if (others > 0 && !is_quick_) {
    part();
    return;
  }
  if (turns_left_ > 0) --turns_left_;
  if (core_) ++turns_together_;
  if (!core_ && turns_left_ == 0 && (alone_ >= turns_before_meeting || is_quick_)) meet();
  if (core_) last_turn_ = std::chrono::steady_clock::now();
  if (!core_ || placed.on_core) return;
  const cpu_set_t core = only(*core_);
  // A process that may not be moved, may not run there, or has died stays where it is.
  if (sched_getaffinity(process, sizeof placed.before, &placed.before) != 0 ||
      !CPU_ISSET(static_cast<std::size_t>(*core_), &placed.before))
    return;
  placed.elsewhere = move_threads(process, placed.before, core, {});
  placed.on_core = true;
  placed_.push_back(rank);
}

/// Few ranks run at once, and for less time than it takes to wake a core?
void SharedCore::look() {
  const bool few_run = others_ <= turns_;
  // One that computes for long beside quick ones is not woken.
  for (std::size_t i = 0; others_ > 0 && few_run && i < placed_.size(); ++i)
    if (!std::exchange(ranks_[placed_[i]].was_woken, true)) woken_.push_back(placed_[i]);
  is_quick_ = few_run && computed_since_last_look() <= turns_ * quick_turn;
  for (const std::size_t rank : woken_) ranks_[rank].was_woken = false;
  woken_.clear();
  turns_ = 0;
  others_ = 0;
}

std::chrono::nanoseconds SharedCore::computed_since_last_look() {
  std::chrono::nanoseconds sum{0};
  for (const std::size_t number : woken_) {
    Placed& rank = ranks_[number];
    if (const auto now = cpu_time_of(rank.process)) sum += *now - std::exchange(rank.computed, *now);
  }
  return sum;
}

void SharedCore::meet() {
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE) return;
  const cpu_set_t core = only(here);
  turns_together_ = 0;
  if (sched_getaffinity(0, sizeof emulator_before_, &emulator_before_) == 0 &&
      sched_setaffinity(0, sizeof core, &core) == 0)
    core_ = here;
}

void SharedCore::part_after(std::chrono::nanoseconds longest) {
  if (core_ && std::chrono::steady_clock::now() - last_turn_ >= longest) part();
}

void SharedCore::part() {
  alone_ = 0;
  is_quick_ = false;
  if (!core_) return;
  pause_ = turns_together_ < few_turns ? std::clamp(2 * pause_, least_pause, longest_pause) : 0;
  turns_left_ = pause_;
  for (const std::size_t rank : placed_) {
    Placed& placed = ranks_[rank];
    move_threads(placed.process, only(*core_), placed.before, placed.elsewhere);
    placed.on_core = false;
  }
  placed_.clear();
  sched_setaffinity(0, sizeof emulator_before_, &emulator_before_);
  core_.reset();
}

}  // namespace morgana
