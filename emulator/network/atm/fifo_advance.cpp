// How a FifoSwitch goes ahead: background in batches, the inputs' cells in runs where nothing comes between.

#include <array>

#include "emulator/network/atm/fifo_switch.h"

namespace morgana::atm {
namespace {
constexpr std::uint32_t most_cells_at_once = 256;
}  // namespace

void FifoSwitch::take_background_cell() {
  const std::int64_t now = background_.next_time();
  background_.take([&](std::uint32_t number) {
    Output& output = outputs_[number];
    ++output.background_in;
    if (finite() && holds(now, parameters_.buffer))
      ++output.background_lost;
    else
      enter(output, now);
  });
}

void FifoSwitch::advance_background(std::int64_t bound) {
  const auto outputs = static_cast<std::int64_t>(outputs_.size());
  while (background_.next_time() < bound) {
    const std::int64_t room = finite() ? quiet_room(background_.next_time(), 8 * outputs) : unlimited;
    const std::int64_t cells = std::min<std::int64_t>(room / outputs, Background::Batch::room);
    if (cells <= 0 || outputs > 64) {
      take_background_cell();
      continue;
    }
    background_.take_batch(bound, static_cast<std::uint32_t>(cells), batch_);
    for (unsigned bit = 0; bit < outputs_.size(); ++bit) admit(batch_, outputs_[bit], bit);
    may_have_come(batch_.count * outputs);
  }
}

// Whether an output gets a copy can't be foreseen: no branch depends on it.
void FifoSwitch::admit(const Background::Batch& batch, Output& output, unsigned bit) {
  const std::int64_t cell_time = output.cell_time;
  std::int64_t last = output.last_departure, longest = output.longest_stay;
  Sum stays = 0;
  std::uint64_t copies = 0;
  for (std::uint32_t cell = 0; cell < batch.count; ++cell) {
    const std::int64_t now = batch.times[cell];
    const std::uint64_t copy = batch.sets[cell] >> bit & 1U;
    const std::int64_t departure = std::max(last, now) + cell_time;
    const std::int64_t stay = (departure - now) & -static_cast<std::int64_t>(copy);
    last = copy != 0 ? departure : last;
    longest = std::max(longest, stay);
    stays += static_cast<std::uint64_t>(stay);
    copies += copy;
  }
  output.last_departure = last;
  output.longest_stay = longest;
  output.stays += stays;
  output.background_in += copies;
}

void FifoSwitch::advance(Fabric& fabric, std::int64_t bound) {
  while (!inputs_.empty()) {
    const std::int64_t first = inputs_.next_at();
    if (first >= bound) return;
    // At least the first cell goes; the others as long as they are before all other inputs' cells.
    take_until(fabric, inputs_.next(), std::max(first + 1, std::min(bound, inputs_.other_at(never))));
    inputs_.taken();
  }
}

/// Takes an input's cells before `limit`; there is at least one.
void FifoSwitch::take_until(Fabric& fabric, RunQueue& queue, std::int64_t limit) {
  do {
    Run& run = queue.front();
    if (run.count == 1 || run.at + run.pitch >= limit) {
      const std::int64_t at = run.at;
      const std::uint32_t train = run.train, index = run.index;
      Hop* const hop = run.hop;
      run.skip(1);
      if (run.count == 0) queue.pop_front();
      take_cell(fabric, at, train, index, hop);
      continue;
    }
    Run part = run;
    if (run.last() >= limit) part.count = static_cast<std::uint32_t>((limit - 1 - run.at) / run.pitch + 1);
    run.skip(part.count);
    if (run.count == 0) queue.pop_front();
    take_cells(fabric, part);
  } while (!queue.empty() && queue.front().at < limit);
}

void FifoSwitch::take_cell(Fabric& fabric, std::int64_t at, std::uint32_t train, std::uint32_t index,
                           Hop* hop) {
  ++cells_seen_;
  if (background_.next_time() <= at) advance_background(at + 1);
  Output& output = outputs_[hop->output];
  ++output.cells_in;
  if (parameters_.estimate_buffer > 0 && holds(at, parameters_.estimate_buffer)) ++estimated_lost_;
  if (finite() && refuse(fabric, *hop, at, train, index)) {
    ++output.cells_lost;
    fabric.lose(train, hop, at);
    return;
  }
  fabric.pass_on(enter(output, at), output.cell_time, 1, train, index, hop);
}

void FifoSwitch::take_cells(Fabric& fabric, Run run) {
  while (run.count > 0) {
    if (background_.next_time() <= run.at) advance_background(run.at + 1);
    const std::int64_t room = quiet_room(run.at, run.count);
    Run part = run;
    if (room <= 0 || !may_go_together(*run.hop)) {
      part.count = 1;
      take_cell(fabric, run.at, run.train, run.index, run.hop);
    } else {
      part.count = static_cast<std::uint32_t>(std::min<std::int64_t>(room, run.count));
      if (background_.next_time() > part.last())
        take_freely(fabric, part);
      else
        part.count = take_among_background(fabric, part, room);
      cells_seen_ += part.count;
      leave_packet_state(fabric, part);
    }
    run.skip(part.count);
  }
}

// Nothing else happens meanwhile: while there is a backlog the cells leave one cell time apart, then as far
// apart as they came.
void FifoSwitch::take_freely(Fabric& fabric, const Run& run) {
  Output& output = outputs_[run.hop->output];
  output.cells_in += run.count;
  const std::int64_t departure = enter(output, run.at);
  if (run.count == 1) return fabric.pass_on(departure, output.cell_time, 1, run.train, run.index, run.hop);
  Run out = run;
  out.at = departure;
  at_most_ += run.count - 1;
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

/// Takes the run's first cells and the background among them; at their output the two are merged in order of
/// time, again without branches. All background up to the first cell must have been taken, and for that cell
/// there must be room. @return how many of the run's cells, at least one
std::uint32_t FifoSwitch::take_among_background(Fabric& fabric, const Run& run, std::int64_t room) {
  const auto outputs = static_cast<std::int64_t>(outputs_.size());
  std::int64_t limit = outputs > 64 ? 0 : (room - 1) / (2 * outputs);
  limit = std::min<std::int64_t>(limit, Background::Batch::room);
  auto cells = static_cast<std::uint32_t>(
      std::min<std::int64_t>({room - limit * outputs, run.count, most_cells_at_once}));
  if (limit == 0) cells = 1;
  background_.take_batch(run.at + (cells - 1) * run.pitch + 1, static_cast<std::uint32_t>(limit), batch_);
  if (const std::int64_t next = background_.next_time(); run.at + (cells - 1) * run.pitch >= next)
    cells = static_cast<std::uint32_t>((next - 1 - run.at) / run.pitch + 1);

  for (unsigned bit = 0; bit < outputs_.size(); ++bit)
    if (bit != run.hop->output) admit(batch_, outputs_[bit], bit);
  Output& output = outputs_[run.hop->output];
  std::array<std::int64_t, Background::Batch::room + 1> others;
  std::uint32_t copies = 0;
  for (std::uint32_t cell = 0; cell < batch_.count; ++cell) {
    others[copies] = batch_.times[cell];
    copies += static_cast<std::uint32_t>(batch_.sets[cell] >> run.hop->output & 1U);
  }
  others[copies] = never;
  std::array<std::int64_t, most_cells_at_once + 1> departures;
  const std::int64_t cell_time = output.cell_time;
  std::int64_t last = output.last_departure, longest = output.longest_stay, ours = run.at;
  Sum stays = 0;
  for (std::uint32_t taken = 0, theirs = 0; taken + theirs < cells + copies;) {
    const bool other = others[theirs] <= ours;
    const std::int64_t now = other ? others[theirs] : ours;
    last = std::max(last, now) + cell_time;
    stays += static_cast<std::uint64_t>(last - now);
    longest = std::max(longest, last - now);
    departures[taken] = last;
    theirs += other ? 1 : 0;
    taken += other ? 0 : 1;
    ours += other ? 0 : run.pitch;
  }
  output.last_departure = last;
  output.longest_stay = longest;
  output.stays += stays;
  output.background_in += copies;
  output.cells_in += cells;
  may_have_come(batch_.count * outputs + cells);
  pass_on_departures(fabric, run, departures.data(), cells);
  return cells;
}

// Background delays cells, so that they leave at any distance: two of them always make a run.
void FifoSwitch::pass_on_departures(Fabric& fabric, const Run& run, const std::int64_t* departures,
                                    std::uint32_t cells) {
  const std::int64_t cell_time = outputs_[run.hop->output].cell_time;
  for (std::uint32_t begin = 0, end = 0; begin < cells; begin = end) {
    end = begin + 1;
    const std::int64_t pitch = end < cells ? departures[end] - departures[begin] : cell_time;
    while (end < cells && departures[end] - departures[end - 1] == pitch) ++end;
    fabric.pass_on(departures[begin], pitch, end - begin, run.train, run.index + begin, run.hop);
  }
}

}  // namespace morgana::atm
