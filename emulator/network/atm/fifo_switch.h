#pragma once

#include "emulator/network/atm/fabric.h"

namespace morgana::atm {

class TrainParts;

/// A buffer's size where there is no end of it; times may be added without overflow.
inline constexpr std::int64_t unlimited = never / 4;

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
  std::int64_t free_from(std::uint32_t output) const override { return outputs_[output].last_departure; }
  std::vector<OutputCounters> counters(SimTime now) override;

 private:
  /// Of picoseconds that many cells stay.
  __extension__ using Sum = unsigned __int128;
  struct Output {
    std::int64_t last_departure = 0;
    std::int64_t cell_time = 0;
    double cells_per_picosecond = 0;  // its inverse, not quite
    std::int64_t longest_stay = 0;    // from an offer to the departure
    Sum stays = 0;                    // sum of all of them
    std::uint64_t cells_in = 0, cells_lost = 0, background_in = 0, background_lost = 0;
  };

  bool finite() const { return parameters_.buffer > 0; }
  void count(std::int64_t now);
  /// Counts only when what has come since the last count could make the difference.
  bool holds(std::int64_t now, std::int64_t cells) {
    if (at_most_ < cells) return false;
    if (now >= exact_until_) count(now);
    return at_most_ >= cells;
  }
  std::int64_t quiet_room(std::int64_t now, std::int64_t wanted);
  /// Not all of them need have.
  void may_have_come(std::int64_t cells) {
    at_most_ += cells;
    exact_until_ = 0;
  }
  std::int64_t enter(Output& output, std::int64_t now) {
    ++at_most_;
    output.last_departure = std::max(output.last_departure, now) + output.cell_time;
    const std::int64_t stay = output.last_departure - now;
    output.stays += static_cast<std::uint64_t>(stay);
    output.longest_stay = std::max(output.longest_stay, stay);
    exact_until_ = std::min(exact_until_, output.last_departure);
    return output.last_departure;
  }
  void advance_background(std::int64_t bound);
  void take_background_cell();
  static void admit(const Background::Batch& batch, Output& output, unsigned bit);
  void take_until(Fabric& fabric, RunQueue& queue, std::int64_t limit);
  void take_cell(Fabric& fabric, std::int64_t at, std::uint32_t train, std::uint32_t index, Hop* hop);
  void take_first(Fabric& fabric, RunQueue& queue);
  void take_cells(Fabric& fabric, RunQueue& queue, std::int64_t limit);
  bool may_go_together(Hop& hop) const;
  void leave_packet_state(Fabric& fabric, const CellRun& run) const;
  void take_freely(Fabric& fabric, const CellRun& run);
  std::uint32_t most_background(std::int64_t room) const;
  std::uint32_t take_among_background(Fabric& fabric, const RunQueue& queue, std::int64_t limit,
                                      std::int64_t room);
  bool keeps_a_backlog(const GappedRun& run) const;
  std::uint32_t take_into_backlog(Fabric& fabric, const RunQueue& queue, std::int64_t limit,
                                  std::int64_t room);
  void enter_backlog(Fabric& fabric, const CellRun& first, const TrainParts& parts);
  bool refuse(Fabric& fabric, Hop& hop, std::int64_t now, std::uint32_t train, std::uint32_t index);

  SwitchParameters parameters_;
  Background background_;
  std::vector<Output> outputs_;
  std::int64_t at_most_ = 0;      // cells in the buffer: what was counted last and has come since
  std::int64_t exact_until_ = 0;  // it is so many until then: no cell leaves before
  std::int64_t quiet_;            // with up to so many, all that comes is admitted and nothing is to be noted
  Background::Batch batch_;
};

}  // namespace morgana::atm
