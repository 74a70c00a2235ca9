#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/own_processor_clock.h"
#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/channel/thread_clocks.h"

namespace morgana {

/// CPU time of a rank's program, stretch by stretch (rank_channel.h), as the rank sums it up and shows
/// it to the emulator on its page. With ComputeMode::none no clock is read, and the sum stays 0.
class StretchClock {
 public:
  StretchClock(ClockPage& page, const ChannelSettings& settings)
      : page_(page), measures_(settings.compute != ComputeMode::none) {
    threads_.show_in(page_.threads, settings.cores_per_rank);
  }

  /// Before the first stretch.
  void calibrate() { clock_.calibrate(); }
  /// Takes the sum and the number of the stretch from the page: another program of this process wrote them.
  void go_on() {
    computed_ns_ = page_.computed_ns.load();
    stretch_ = page_.stretch.load();
  }

  /// Begins a new sum. What follows it is seen later than that it is 0.
  void begin_sum() {
    computed_ns_ = 0;
    page_.computed_ns.store(0, std::memory_order_relaxed);
  }
  /// The program goes on: begins a stretch.
  void leave() {
    if (!measures_) return;
    if (threads_.several()) {
      at_leave_ns_ = own_processor_ns();
      threads_.stretch_begins(at_leave_ns_);
      clock_.has_rested();
    } else {
      at_leave_ns_ = clock_.at_exit();
      threads_.stretch_of_one_begins(at_leave_ns_);
    }
    page_.cpu_at_leave_ns.store(at_leave_ns_, std::memory_order_relaxed);
    page_.overhead_ns.store(clock_.overhead(), std::memory_order_relaxed);
    page_.stretch.store(++stretch_, std::memory_order_release);
  }
  /// The program has called: ends the stretch.
  void enter() {
    if (!measures_) return;
    page_.stretch.store(++stretch_, std::memory_order_seq_cst);  // all see it before the clock is read
    if (threads_.several())
      computed_ns_ += threads_.stretch_ends(own_processor_ns());
    else
      computed_ns_ += stretch_ns(at_leave_ns_, clock_.at_entry(), clock_.overhead());
    page_.computed_ns.store(computed_ns_, std::memory_order_relaxed);
  }

  /// Of the stretches that have ended, since begin_sum().
  std::chrono::nanoseconds sum() const { return std::chrono::nanoseconds(computed_ns_); }
  /// With the stretch that goes on, as far as that is known without a system call.
  std::optional<std::chrono::nanoseconds> sum_in_passing() {
    if (!measures_ || threads_.several()) return std::nullopt;
    const std::optional<std::int64_t> now = clock_.in_passing();
    if (!now) return std::nullopt;
    return std::chrono::nanoseconds(computed_ns_ + stretch_ns(at_leave_ns_, *now, clock_.overhead()));
  }
  /// With the stretch that goes on, up to now.
  std::chrono::nanoseconds sum_by_now() const {
    if (!measures_) return {};
    const std::int64_t now = own_processor_ns();
    return std::chrono::nanoseconds(computed_ns_ + (threads_.several()
                                                        ? threads_.stretch_ends(now)
                                                        : stretch_ns(at_leave_ns_, now, clock_.overhead())));
  }

  /// The thread may have slept, or given way to another.
  void has_rested() { clock_.has_rested(); }

 private:
  ClockPage& page_;
  bool measures_;
  std::uint64_t stretch_ = 0;  ///< odd while the program runs
  std::int64_t at_leave_ns_ = 0;
  std::int64_t computed_ns_ = 0;
  OwnProcessorClock clock_;
  ThreadClocks& threads_ = ThreadClocks::own();
};

}  // namespace morgana
