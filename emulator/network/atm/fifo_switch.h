#pragma once

#include "emulator/network/atm/fabric.h"

namespace morgana::atm {

/// Output queues that are first in, first out. No cell needs an event, nor a place in a queue: the departure
/// follows from the offer and the output's last departure, and as all cells take equally long, so does
/// the number of cells still in the queue.
class FifoSwitch final : public Switch {
 public:
  /// @param cell_times  of the outputs' links
  /// @param reference_cell_time  in which the background's rates are given
  FifoSwitch(const SwitchParameters& parameters, const std::vector<SimTime>& cell_times,
             SimTime reference_cell_time, std::uint64_t seed, const std::string& name);
  std::int64_t earliest() const override;
  void advance(Fabric& fabric, std::int64_t bound) override;
  std::vector<OutputCounters> counters(SimTime now) override;

 private:
  /// Of picoseconds that many cells stay.
  __extension__ using Sum = unsigned __int128;
  struct Output {
    std::int64_t last_departure = 0;
    std::int64_t cell_time = 0;
    std::int64_t longest_stay = 0;  // from an offer to the departure
    Sum stays = 0;                  // sum of all of them
    std::uint64_t cells_in = 0, cells_lost = 0, background_in = 0, background_lost = 0;
  };

  bool finite() const { return parameters_.buffer > 0; }
  std::int64_t occupancy(std::int64_t now) const;
  bool holds(std::int64_t now, std::int64_t cells);
  std::int64_t enter(Output& output, std::int64_t now);
  void advance_background(std::int64_t bound);
  void advance_background_of_infinite_buffer(std::int64_t bound);
  void take_run(Fabric& fabric, Run& run, std::int64_t bound);
  void take_freely(Fabric& fabric, const Run& run);
  void take_among_background(Fabric& fabric, const Run& run);
  void offer(Fabric& fabric, const Run& run);
  bool refuse(Hop& hop, std::int64_t now, bool last);

  SwitchParameters parameters_;
  Background background_;
  std::vector<Output> outputs_;
  std::int64_t at_most_ = 0;  // cells in the buffer: what was counted last and has come since
};

}  // namespace morgana::atm
