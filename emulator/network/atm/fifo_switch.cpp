#include "emulator/network/atm/fifo_switch.h"

#include <limits>

namespace morgana::atm {
namespace {
constexpr std::int64_t never = BackgroundSource::never;
}

FifoSwitch::FifoSwitch(const SwitchParameters& parameters, const std::vector<SimTime>& cell_times,
                       SimTime reference_cell_time, std::uint64_t seed, const std::string& name)
    : Switch(parameters.delay),
      parameters_(parameters),
      background_(parameters.background, reference_cell_time, static_cast<std::uint32_t>(cell_times.size()),
                  seed, name) {
  inputs_.resize(cell_times.size());
  for (const SimTime cell_time : cell_times) outputs_.emplace_back().cell_time = cell_time.ps();
}

std::int64_t FifoSwitch::earliest() const {
  std::int64_t first = never;
  for (const RunQueue& input : inputs_)
    if (!input.empty()) first = std::min(first, input.front().at);
  return first;
}

// Each output's cells leave one cell time apart until its last departure.
std::int64_t FifoSwitch::occupancy(std::int64_t now) const {
  std::int64_t cells = 0;
  for (const Output& output : outputs_)
    if (output.last_departure > now) cells += (output.last_departure - now - 1) / output.cell_time + 1;
  return cells;
}

// Counts only when what has come since the last count could make the difference.
bool FifoSwitch::holds(std::int64_t now, std::int64_t cells) {
  if (at_most_ < cells) return false;
  at_most_ = occupancy(now);
  return at_most_ >= cells;
}

std::int64_t FifoSwitch::enter(Output& output, std::int64_t now) {
  ++at_most_;
  output.last_departure = std::max(output.last_departure, now) + output.cell_time;
  const std::int64_t stay = output.last_departure - now;
  output.stays += static_cast<std::uint64_t>(stay);
  output.longest_stay = std::max(output.longest_stay, stay);
  return output.last_departure;
}

void FifoSwitch::advance_background(std::int64_t bound) {
  if (background_.next_time() >= bound) return;
  if (!finite()) return advance_background_of_infinite_buffer(bound);
  while (background_.next_time() < bound) {
    const std::int64_t now = background_.next_time();
    background_.take([&](std::uint32_t number) {
      Output& output = outputs_[number];
      ++output.background_in;
      if (holds(now, parameters_.buffer))
        ++output.background_lost;
      else
        enter(output, now);
    });
  }
}

// Whether an output gets a copy can't be foreseen: no branch depends on it.
void FifoSwitch::advance_background_of_infinite_buffer(std::int64_t bound) {
  if (background_.fair()) {
    background_.take_before(bound, [outputs = outputs_.data(), end = outputs_.data() + outputs_.size()](
                                       std::int64_t now, std::uint64_t set) {
      for (Output* output = outputs; output != end; ++output, set >>= 1) {
        const auto copies = static_cast<std::int64_t>(set & 1U);
        const std::int64_t departure = std::max(output->last_departure, now) + output->cell_time;
        const std::int64_t stay = (departure - now) & -copies;
        output->last_departure = copies != 0 ? departure : output->last_departure;
        output->longest_stay = std::max(output->longest_stay, stay);
        output->stays += static_cast<std::uint64_t>(stay);
        output->background_in += static_cast<std::uint64_t>(copies);
      }
    });
    at_most_ = std::numeric_limits<std::int64_t>::max() / 2;  // not counted on the way
    return;
  }
  while (background_.next_time() < bound) {
    const std::int64_t now = background_.next_time();
    background_.take([&](std::uint32_t number) {
      Output& output = outputs_[number];
      ++output.background_in;
      enter(output, now);
    });
  }
}

void FifoSwitch::advance(Fabric& fabric, std::int64_t bound) {
  while (true) {
    RunQueue* next = nullptr;
    std::int64_t first = never, second = never;  // of two at the same time the first input goes first
    for (RunQueue& input : inputs_) {
      if (input.empty()) continue;
      const std::int64_t at = input.front().at;
      if (at < first) {
        second = first;
        first = at;
        next = &input;
      } else {
        second = std::min(second, at);
      }
    }
    if (first >= bound) return;
    // At least the first cell goes; the others as long as they are before all other inputs' cells.
    const std::int64_t limit = std::max(first + 1, std::min(bound, second));
    do {
      Run& run = next->front();
      take_run(fabric, run, limit);
      if (run.count > 0) break;
      next->pop_front();
    } while (!next->empty() && next->front().at < limit);
  }
}

void FifoSwitch::take_run(Fabric& fabric, Run& run, std::int64_t bound) {
  Run part = run;
  if (run.last() >= bound) part.count = static_cast<std::uint32_t>((bound - 1 - run.at) / run.pitch + 1);
  run.skip(part.count);
  cells_seen_ += part.count;
  if (finite() || parameters_.estimate_buffer > 0)
    for (; part.count > 0; part.skip(1)) offer(fabric, part);
  else if (background_.next_time() > part.last())
    take_freely(fabric, part);
  else
    take_among_background(fabric, part);
}

// Nothing else happens meanwhile: while there is a backlog the cells leave one cell time apart, then as far
// apart as they came.
void FifoSwitch::take_freely(Fabric& fabric, const Run& run) {
  Output& output = outputs_[run.output];
  output.cells_in += run.count;
  Run out = run;
  out.at = enter(output, run.at);
  std::uint32_t together = run.count;
  if (run.pitch > output.cell_time) {
    const std::int64_t slack = out.at - output.cell_time - run.at;
    together = static_cast<std::uint32_t>(
        std::min<std::int64_t>(run.count, 1 + slack / (run.pitch - output.cell_time)));
  }
  const std::int64_t first_stay = out.at - run.at;
  const std::int64_t growth = output.cell_time - run.pitch;
  const std::int64_t last_stay = first_stay + (together - 1) * growth;
  output.stays += static_cast<Sum>(together - 1) * static_cast<Sum>(first_stay + growth + last_stay) / 2;
  output.longest_stay = std::max(output.longest_stay, last_stay);
  out.pitch = output.cell_time;
  out.count = together;
  output.last_departure = out.last();
  fabric.pass_on(out);
  if (together == run.count) return;
  out = run;
  out.skip(together);
  out.at += output.cell_time;
  output.stays += static_cast<Sum>(out.count) * static_cast<Sum>(output.cell_time);
  output.last_departure = out.last();
  fabric.pass_on(out);
}

// Background delays cells, so that they leave at any distance: two of them always make a run.
void FifoSwitch::take_among_background(Fabric& fabric, const Run& run) {
  Output& output = outputs_[run.output];
  output.cells_in += run.count;
  Run out = run;
  out.count = 0;
  std::int64_t now = run.at;
  for (std::uint32_t cell = 0; cell < run.count; ++cell, now += run.pitch) {
    if (background_.next_time() <= now) advance_background_of_infinite_buffer(now + 1);
    const std::int64_t departure = enter(output, now);
    if (out.count == 1) out.pitch = departure - out.at;
    if (out.count > 1 && departure != out.at + out.count * out.pitch) {
      fabric.pass_on(out);
      out.count = 0;
    }
    if (out.count == 0) {
      out.at = departure;
      out.index = run.index + cell;
      out.pitch = output.cell_time;
    }
    ++out.count;
  }
  fabric.pass_on(out);
}

void FifoSwitch::offer(Fabric& fabric, const Run& run) {
  const std::int64_t now = run.at;
  advance_background(now + 1);
  Output& output = outputs_[run.output];
  ++output.cells_in;
  if (parameters_.estimate_buffer > 0 && holds(now, parameters_.estimate_buffer)) ++estimated_lost_;
  if (finite()) {
    const Train& train = fabric.trains[run.train];
    Hop& hop = fabric.connections[train.connection].path[run.hop];
    if (refuse(hop, now, run.index + 1 == train.cells)) {
      ++output.cells_lost;
      fabric.lose(run.train, run.hop, now);
      return;
    }
  }
  Run out = run;
  out.at = enter(output, now);
  out.pitch = output.cell_time;
  out.count = 1;
  fabric.pass_on(out);
}

bool FifoSwitch::refuse(Hop& hop, std::int64_t now, bool last) {
  if (parameters_.policy == DropPolicy::tail) return holds(now, parameters_.buffer);
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
