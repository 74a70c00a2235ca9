#include "emulator/network/atm/fifo_switch.h"

namespace morgana::atm {
namespace {
std::int64_t quiet_limit(const SwitchParameters& parameters) {
  std::int64_t limit = unlimited;
  if (parameters.estimate_buffer > 0) limit = std::min(limit, parameters.estimate_buffer);
  if (parameters.buffer == 0) return limit;
  limit = std::min(limit, parameters.buffer);
  if (parameters.policy == DropPolicy::epd) limit = std::min(limit, parameters.epd_threshold + 1);
  return limit;
}

}  // namespace

FifoSwitch::FifoSwitch(const SwitchParameters& parameters, const std::vector<SimTime>& cell_times,
                       SimTime reference_cell_time, std::uint64_t seed, const std::string& name)
    : Switch(parameters.delay, cell_times.size()),
      parameters_(parameters),
      background_(parameters.background, reference_cell_time, static_cast<std::uint32_t>(cell_times.size()),
                  seed, name),
      quiet_(quiet_limit(parameters)) {
  for (const SimTime cell_time : cell_times) {
    Output& output = outputs_.emplace_back();
    output.cell_time = cell_time.ps();
    output.cells_per_picosecond = 1 / static_cast<double>(output.cell_time);
  }
}

std::int64_t FifoSwitch::earliest() const {
  return inputs_.empty() ? never : inputs_.next_at();
}

// Each output's cells leave one cell time apart until its last departure.
void FifoSwitch::count(std::int64_t now) {
  std::int64_t cells = 0, next_departure = never;
  for (const Output& output : outputs_) {
    const std::int64_t ahead = output.last_departure - now;
    if (ahead <= 0) continue;
    // A division, but for the last bit of a product: put right, as whole numbers are exact.
    auto others = static_cast<std::int64_t>(static_cast<double>(ahead - 1) * output.cells_per_picosecond);
    std::int64_t rest = ahead - 1 - others * output.cell_time;
    while (rest < 0) --others, rest += output.cell_time;
    while (rest >= output.cell_time) ++others, rest -= output.cell_time;
    cells += others + 1;
    next_departure = std::min(next_departure, now + rest + 1);
  }
  at_most_ = cells;
  exact_until_ = next_departure;
}

/// So many cells can come without any of them being lost or noted. Not fewer than are `wanted`, if possible.
std::int64_t FifoSwitch::quiet_room(std::int64_t now, std::int64_t wanted) {
  if (quiet_ - at_most_ < wanted && quiet_ != unlimited && now >= exact_until_) count(now);
  return quiet_ == unlimited ? unlimited : quiet_ - at_most_;
}

/// The policies that know packets are in the midst of none that they drop.
bool FifoSwitch::may_go_together(Hop& hop) const {
  return !finite() || parameters_.policy == DropPolicy::tail || !hop.inside || !(hop.damaged || hop.refused);
}

void FifoSwitch::leave_packet_state(Fabric& fabric, const CellRun& run) const {
  if (!finite() || parameters_.policy == DropPolicy::tail) return;
  run.hop->inside = run.index + run.count < fabric.trains[run.train].cells;
  run.hop->damaged = run.hop->refused = false;
}

bool FifoSwitch::refuse(Fabric& fabric, Hop& hop, std::int64_t now, std::uint32_t train,
                        std::uint32_t index) {
  if (parameters_.policy == DropPolicy::tail) return holds(now, parameters_.buffer);
  const bool last = index + 1 == fabric.trains[train].cells;
  const bool first = !hop.inside;  // whatever was lost before: only a packet's end is marked
  hop.inside = !last;
  if (first) {
    hop.damaged = false;
    hop.refused = parameters_.policy == DropPolicy::epd && holds(now, parameters_.epd_threshold + 1);
  }
  if (hop.refused || (hop.damaged && !last)) return true;
  if (!holds(now, parameters_.buffer)) return false;
  hop.damaged = true;
  return true;
}

std::vector<OutputCounters> FifoSwitch::counters(SimTime now) {
  advance_background(now.ps() + 1);
  std::vector<OutputCounters> all;
  for (const Output& output : outputs_) {
    OutputCounters counters;
    counters.cells_in = output.cells_in;
    counters.cells_lost = output.cells_lost;
    counters.background_in = output.background_in;
    counters.background_lost = output.background_lost;
    // Cells still here have been counted to their departure; what lies after now is taken off.
    auto stays = static_cast<double>(output.stays);
    double busy = static_cast<double>(output.cells_in + output.background_in - output.cells_lost -
                                      output.background_lost) *
                  static_cast<double>(output.cell_time);
    if (const std::int64_t ahead = output.last_departure - now.ps(); ahead > 0) {
      const std::int64_t cells = (ahead - 1) / output.cell_time + 1;
      stays -= static_cast<double>(cells) *
               (static_cast<double>(ahead) - 0.5 * static_cast<double>((cells - 1) * output.cell_time));
      busy -= static_cast<double>(ahead);
      counters.queued = SimTime::from_ps(ahead);
    }
    counters.queue_seconds = stays * 1e-12;
    counters.busy_seconds = busy * 1e-12;
    counters.longest_queue = output.longest_stay == 0 ? 0 : (output.longest_stay - 1) / output.cell_time + 1;
    counters.seconds = now.seconds();
    all.push_back(counters);
  }
  return all;
}

}  // namespace morgana::atm
