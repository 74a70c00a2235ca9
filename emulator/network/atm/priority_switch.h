#pragma once

#include <memory>
#include <vector>

#include "emulator/network/atm/fabric.h"
#include "emulator/network/atm/reservations.h"

namespace morgana::atm {

/// Output queues with priorities, and push-out: the policy for which a cell's departure does not follow from
/// its offer alone, so that queues are kept. An output that becomes free takes the oldest cell of its
/// highest priority among those offered earlier; a transmission is never broken off. When the buffer is full,
/// a cell that is not evictable takes the place of the youngest evictable one in any queue of the switch;
/// where there is none, it is lost. For ABR, each output may control the rates of sources; for ABT, it
/// keeps a block's rate from the request that passes it to the block's end, or refuses the block.
class PrioritySwitch final : public Switch {
 public:
  PrioritySwitch(const SwitchParameters& parameters, const std::vector<SimTime>& cell_times,
                 SimTime reference_cell_time, std::uint64_t seed, std::uint32_t number);
  std::int64_t earliest() const override;
  void advance(Fabric& fabric, std::int64_t bound) override;
  void commit(std::uint32_t output, double rate) override { outputs_[output].reservations.commit(rate); }
  std::vector<OutputCounters> counters(SimTime now) override;

 private:
  using Slot = std::uint32_t;
  static constexpr Slot none = ~Slot{0};
  struct Ends {
    Slot first = none, last = none;
  };
  struct Cell {
    std::int64_t offered;
    CellRun run;  ///< of this one cell; its train is `none` for background
    std::uint32_t output;
    std::uint8_t priority;
    bool evictable;
    CellSource source;
    Slot before = none, after = none;   ///< in its output's queue
    Slot older = none, younger = none;  ///< among evictable cells
  };
  struct Output {
    std::int64_t cell_time = 0, busy_until = 0;
    std::vector<Ends> queues;  ///< by priority
    std::int64_t waiting = 0, longest_queue = 0;
    std::uint64_t waiting_of_connections = 0;
    double stays = 0;
    std::uint64_t sent = 0;
    OutputCounters counters;
    std::unique_ptr<RateAlgorithm> feedback;  ///< with ABR feedback
    Reservations reservations;
  };

  void start_until(Fabric& fabric, Output& output, std::int64_t now);
  void start_next(Fabric& fabric, Output& output);
  void start_all_until(Fabric& fabric, std::int64_t now);
  bool holds(Fabric& fabric, std::int64_t now, std::int64_t least);
  void offer(Fabric& fabric, const Cell& cell);
  static bool conforms(Connection& connection, const Cell& cell);
  bool admits(Fabric& fabric, const Cell& cell);
  bool admits_block(Connection& connection, std::uint32_t number, const Cell& cell, ResourceCell& resource);
  void discard(Fabric& fabric, const Cell& cell);
  void offer_background(Fabric& fabric);
  void give_feedback(Fabric& fabric, const Cell& cell);
  void lose(Fabric& fabric, const Cell& cell, std::int64_t now);
  void enqueue(const Cell& cell);
  void remove(Slot slot);

  SwitchParameters parameters_;
  std::uint32_t number_;
  std::vector<TrafficContract> background_contracts_;  ///< source n has the (n modulo their number)-th
  bool background_evicts_ = false;                     ///< one of them, when the buffer is full
  Background background_;
  std::vector<Output> outputs_;
  std::vector<Cell> cells_;  ///< by slot
  std::vector<Slot> free_;
  Ends evictable_;  ///< oldest and youngest
  std::int64_t waiting_ = 0;
  std::uint64_t waiting_of_connections_ = 0;
};

}  // namespace morgana::atm
