#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "emulator/network/atm/run_queue.h"

namespace morgana::atm {

/// The first cells of a queue that go on with each other in one train, in parts of which each has one pitch.
class TrainParts {
 public:
  /// Cells at places one pitch apart, as bits. The first place is taken.
  struct Part {
    std::int64_t at, pitch;
    std::uint64_t places;
    std::uint32_t cells;

    std::int64_t last() const { return at + (static_cast<std::int64_t>(std::bit_width(places)) - 1) * pitch; }
    /// Sum of the places' numbers, of which the first is 0.
    std::int64_t sum_of_places() const {
      const auto width = static_cast<int>(std::bit_width(places));
      std::int64_t sum = std::int64_t{width} * (width - 1) / 2;
      for (std::uint64_t gaps = first_places(width) & ~places; gaps != 0; gaps &= gaps - 1)
        sum -= std::countr_zero(gaps);
      return sum;
    }
    void end_at(std::int64_t time) {
      places &= first_places((time - at) / pitch + 1);
      cells = bits_set(places);
    }
    void leave(std::uint32_t most) {
      for (; cells > most; --cells) places &= ~std::bit_floor(places);
    }
  };
  static constexpr std::uint32_t most_parts = 6;
  static constexpr std::uint32_t most_cells = most_parts * GappedRun::most_places;
  /// Shorter pitches, so that the product with a double finds a time's place.
  static constexpr std::int64_t long_pitch = std::int64_t{1} << 40;

  static std::uint64_t first_places(std::int64_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
  /// Whether such cells are taken, other than one alone.
  static bool fit(const GappedRun& run, std::int64_t least_pitch) {
    return (run.count > 1 || run.later != 0) && run.pitch >= least_pitch && run.pitch < long_pitch;
  }

  /// Takes cells of at least this pitch until `end`, `most` at most; the first must be one.
  TrainParts(const RunQueue& queue, std::int64_t end, std::int64_t most, std::int64_t least_pitch) {
    const std::uint32_t train = queue.front().train, index = queue.front().index;
    for (GappedRun run : queue) {
      if (run.at > end || run.train != train || run.index != index + cells_) return;
      if (run.count == 1 && run.later == 0)
        run.pitch = least_pitch;
      else if (!fit(run, least_pitch))
        return;
      while (run.count > 0) {
        if (count_ == most_parts || run.at > end || cells_ == most) return;
        const std::uint32_t together = std::min(run.count, GappedRun::most_places);
        const std::uint64_t later = run.later == 0 ? 0 : run.later << together;
        const std::uint32_t cells = run.later == 0 ? together : run.all_cells();
        add({run.at, run.pitch, first_places(together) | later, cells}, end, most);
        run.skip(together);
      }
    }
  }

  /// Leaves out the cells after a time; not the first one of all.
  void end_at(std::int64_t time) {
    while (back().at > time) cells_ -= parts_[--count_].cells;
    cells_ -= back().cells;
    back().end_at(time);
    cells_ += back().cells;
  }
  std::uint32_t cells() const { return cells_; }
  std::int64_t last() const { return parts_[count_ - 1].last(); }
  const Part* begin() const { return parts_.data(); }
  const Part* end() const { return parts_.data() + count_; }

 private:
  Part& back() { return parts_[count_ - 1]; }
  void add(Part part, std::int64_t end, std::int64_t most) {
    if (part.last() > end) part.end_at(end);
    if (part.cells > most - cells_) part.leave(static_cast<std::uint32_t>(most - cells_));
    cells_ += part.cells;
    parts_[count_++] = part;
  }

  std::array<Part, most_parts> parts_;
  std::uint32_t count_ = 0, cells_ = 0;
};

}  // namespace morgana::atm
