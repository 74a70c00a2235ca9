#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace morgana {

/// While only one rank runs at a time (as in a ping-pong), it and the emulator take turns, and each turn
/// wakes an idle core, which costs far more than the switch itself. So they are kept on one core for as long
/// as that lasts; as soon as two ranks run at once, or one computes for long, all may run anywhere again.
/// Only where threads run is affected, never what they compute. Leaves the processor masks that the user has
/// set as it has found them.
class SharedCore {
 public:
  explicit SharedCore(std::size_t ranks) : ranks_(ranks) {}
  ~SharedCore() { part(); }
  SharedCore(const SharedCore&) = delete;
  SharedCore& operator=(const SharedCore&) = delete;

  /// Before the emulator wakes a rank. @param others  ranks that run
  void before_waking(std::size_t rank, pid_t process, std::size_t others);
  /// Whether the emulator must look after a short sleep whether the rank still computes.
  bool together() const { return core_.has_value(); }
  /// All may run anywhere again.
  void part();
  /// The same if no rank was woken for so long.
  void part_after(std::chrono::nanoseconds longest);

 private:
  struct Placed {
    bool on_core = false;
    pid_t process = 0;
    bool was_woken = false;                ///< since the last look
    std::chrono::nanoseconds computed{0};  ///< CPU time at the last look before which it was
    cpu_set_t before{};                    ///< where it may run if not on the shared core
    std::vector<pid_t> elsewhere;          ///< threads with masks of their own
  };

  void meet();
  void look();
  std::chrono::nanoseconds computed_since_last_look();

  std::vector<Placed> ranks_;
  std::vector<std::size_t> placed_;  ///< those on the core
  std::optional<int> core_;
  std::chrono::steady_clock::time_point last_turn_{};
  cpu_set_t emulator_before_{};
  unsigned alone_ = 0;           ///< turns that have followed each other without two ranks running at once
  unsigned turns_together_ = 0;  ///< since they met
  unsigned pause_ = 0, turns_left_ = 0;  ///< turns before they meet again
  // Since the last look:
  unsigned turns_ = 0;
  std::vector<std::size_t> woken_;
  std::size_t others_ = 0;  ///< the sum over turns
  bool is_quick_ = false;   ///< at the last look: what ranks do in a turn is not worth a core of its own
};

}  // namespace morgana
