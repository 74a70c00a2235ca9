#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/exponential.h"
#include "emulator/core/time.h"

namespace morgana::atm {

/// Other people's cells at a switch. Each source is in one of two states, ON and OFF, for exponential times;
/// in each, cells come at exponential intervals (or, while ON, at a constant one). Each cell of a source is
/// copied to each output of the switch by chance, and ends there: it goes no further than the link.
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// appendix B.1 and Figure B.3.
struct BackgroundTraffic {
  std::uint32_t sources = 0;    ///< at each switch, all alike; 0: none
  double peak = 1;              ///< cells in a cell time while ON, before copying, >= 0
  double low = 0;               ///< the same while OFF, >= 0
  double on_share = 1;          ///< of the time; 1: always ON, so Poisson (or constant) traffic
  SimTime mean_on;              ///< of one time ON; > 0 unless always ON
  double copy_probability = 1;  ///< for each cell and output
  bool constant = false;        ///< while ON, cells come at a constant interval
  /// Bits: which of a switch's first 64 outputs get copies, where not all outputs do.
  std::optional<std::uint64_t> only_outputs = {};

  /// The mean share of an output's link that the sources offer; rho.
  double load() const { return sources * (on_share * peak + (1 - on_share) * low) * copy_probability; }
  /// Sets the peak so that load() is `rho`; low, share, sources and copying must be set before.
  /// @throws Error if the low state alone offers more
  void set_load(double rho);
  /// @throws Error for values out of range
  void check() const;
};

/// The time in picoseconds of what does not happen.
inline constexpr std::int64_t never = SimTime::max().ps();

/// When one source offers cells. Starts in its steady state.
class BackgroundSource {
 public:
  /// @param cell_time  of the links: the unit in which the rates are given
  BackgroundSource(const RandomStream& random, const BackgroundTraffic& traffic, SimTime cell_time);
  /// The next cell's time in picoseconds; never before the last one; never, if the source is silent.
  std::int64_t next() {
    while (true) {
      const bool counting = constant_ && on_;
      const std::int64_t at = mean_ == 0 ? never : at_ + (counting ? rest_ : draw(mean_));
      if (at < until_) [[likely]] {
        rest_ = counting ? constant_interval_ : rest_;
        return at_ = at;
      }
      if (until_ == never) return never;
      // A constant interval goes on counting where the last time ON broke off.
      if (counting && mean_ > 0) rest_ = at - until_;
      change();
    }
  }
  /// Writes the times from `first` on, the last one that `next` gave, that come before `bound`, `most` at
  /// most.
  /// @return how many; `first` becomes the next time.
  std::uint32_t take(std::int64_t& first, std::int64_t bound, std::uint32_t most, std::int64_t* times);

 private:
  std::int64_t draw(double mean) { return draw(mean, random_); }
  std::int64_t draw(double mean, RandomStream& random) const {
    // No longer than simulated time lasts, so that no sum of two overflows.
    return static_cast<std::int64_t>(std::min(table_->exponential(random) * mean + 0.5, longest));
  }
  void change();

  static constexpr double longest = static_cast<double>(EventQueue::latest.ps()) / 2;
  RandomStream random_;
  const Ziggurat* table_;
  double interval_on_, interval_off_;  // mean, in picoseconds; 0: no cells
  double mean_;                        // that of the present state
  double mean_on_, mean_off_;
  std::int64_t constant_interval_;
  std::int64_t rest_;  // of time ON to the next cell, if constant
  std::int64_t at_ = 0;
  std::int64_t until_;  // end of the present state
  bool constant_;
  bool on_;
};

/// All that the sources of one switch offer, in order of time (at the same time, in the order of sources).
class Background {
 public:
  /// @param name  of the switch, for its random streams: "NAME background N" and "NAME copies"
  Background(const BackgroundTraffic& traffic, SimTime cell_time, std::uint32_t outputs, std::uint64_t seed,
             const std::string& name);
  /// When the next cell comes, in picoseconds.
  std::int64_t next_time() const { return next_; }
  /// Whose it is.
  std::uint32_t next_source() const { return first_; }
  /// Takes that cell. @param copies  called with each output's number, in order, that gets one
  template <class Copies>
  void take(Copies&& copies) {
    if (fair_) {
      const std::uint64_t word = bits();
      for (std::uint32_t output = 0; output < outputs_; ++output)
        if (word >> output & 1U) copies(output);
    } else {
      for (std::uint32_t output = 0; output < outputs_; ++output)
        if (gets_copies(output) && (certain_ || copying_.chance(probability_))) copies(output);
    }
    advance();
  }
  /// Cells in a row, in order of time, with the outputs that get a copy of each, as bits.
  struct Batch {
    static constexpr std::uint32_t room = 64;
    std::uint32_t count = 0;
    std::array<std::int64_t, room> times;
    std::array<std::uint64_t, room> sets;

    /// Writes the times of the copies for one output, and one more time that means nothing. @return how many
    std::uint32_t copies_for(std::uint32_t output, std::int64_t* copied) const {
      std::int64_t* end = copied;
      for (std::uint32_t cell = 0, cells = count; cell < cells; ++cell) {
        *end = times[cell];
        end += sets[cell] >> output & 1U;
      }
      return static_cast<std::uint32_t>(end - copied);
    }
  };
  /// Takes the cells before `bound`, `limit` (at most Batch::room) at most. Only for up to 64 outputs.
  void take_batch(std::int64_t bound, std::uint32_t limit, Batch& batch);

 private:
  void toss(Batch& batch);
  bool gets_copies(std::uint32_t output) const { return output >= 64 || (mask_ >> output & 1U) != 0; }
  std::uint64_t bits() {
    if (bits_left_ < outputs_) {
      word_ = copying_.next();
      bits_left_ = 64;
    }
    const std::uint64_t taken = word_ & mask_;
    word_ = outputs_ < 64 ? word_ >> outputs_ : 0;
    bits_left_ -= outputs_;
    return taken;
  }
  void advance() {
    times_[first_] = sources_[first_].next();
    if (times_.size() > 1)
      for (std::uint32_t source = first_ = 0; source < times_.size(); ++source)
        if (times_[source] < times_[first_]) first_ = source;
    next_ = times_[first_];
  }

  std::vector<BackgroundSource> sources_;
  std::vector<std::int64_t> times_;  // of each source's next cell
  std::uint32_t first_ = 0;
  std::int64_t next_ = never;
  RandomStream copying_;
  std::uint64_t word_ = 0, mask_ = 0;
  std::uint32_t bits_left_ = 0, outputs_;
  double probability_;
  bool fair_, certain_;
};

}  // namespace morgana::atm
