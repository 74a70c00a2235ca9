#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace morgana {

/// How long an agent has said nothing, and when that means that it is gone: after 5 s, and longer where its
/// machine has lately let its signs of life wait. So a stopped process is distinguished from a busy machine.
/// (A failure detector that adapts to delays, as in W. Chen, S. Toueg, M. Aguilera, On the Quality of Service
/// of Failure Detectors, IEEE Transactions on Computers 51(5), 2002; the rule is ours.)
class Silence {
 public:
  using Time = std::chrono::milliseconds;
  static constexpr Time least_patience{5'000}, most_patience{30'000};
  /// A delay so many times the longest one of the last signs is still thought possible.
  static constexpr int margin = 4;
  static constexpr std::size_t remembered_signs = 60;

  /// The agent has said something.
  void heard() { lasted_ = Time(0); }
  /// That was a sign of life. @param delay  by which its own machine let it wait
  void heard_sign(Time delay) {
    heard();
    delays_[next_++ % remembered_signs] = delay;
  }
  /// It has said nothing for so long again, in which this process ran.
  void add(Time passed) { lasted_ += passed; }

  Time lasted() const { return lasted_; }
  Time patience() const {
    // (Compared before it is multiplied: what agents say is not trusted.)
    const Time worst = std::clamp(*std::ranges::max_element(delays_), Time(0), most_patience);
    return std::min(least_patience + margin * worst, most_patience);
  }
  bool is_too_long() const { return lasted_ >= patience(); }

 private:
  Time lasted_{0};
  std::array<Time, remembered_signs> delays_{};
  std::size_t next_ = 0;
};

/// Whether the machine at the other end of a connection has not confirmed for too long what was sent to it,
/// as this machine's system knows: a stopped process's system still confirms, so it is the machine or the
/// network between. Looks count, not time in which this process did not run.
class UnansweredConnection {
 public:
  using Time = std::chrono::milliseconds;
  static constexpr std::chrono::seconds between_looks{1};
  static constexpr int looks_to_wait = Silence::least_patience / between_looks;

  /// A look. @param unconfirmed  whether anything sent has not been confirmed
  /// @param heard  when anything has come last, data or confirmation. @param now  on the same clock
  /// @return whether that has been so for too many looks, and nothing has come since the first of them
  bool look(bool unconfirmed, Time heard, Time now) {
    ++looks_;
    if (!unconfirmed || heard >= since_) {
      since_ = now;
      looks_ = 0;
    }
    return looks_ >= looks_to_wait;
  }

 private:
  Time since_{0};
  int looks_ = 0;
};

}  // namespace morgana
