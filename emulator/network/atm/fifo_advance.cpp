// How a FifoSwitch goes ahead: background in batches, the inputs' cells in runs where nothing comes between.

#include <array>

#include "emulator/network/atm/fifo_switch.h"

namespace morgana::atm {
namespace {
// So many cells are looked for as background may come among them: more would not be taken if it is dense.
constexpr std::uint32_t cells_for_each_of_background = 2;
constexpr std::uint32_t most_cells_at_once = cells_for_each_of_background * Background::Batch::room;
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
  std::array<std::int64_t, Background::Batch::room + 1> times;
  const std::uint32_t copies = batch.copies_for(bit, times.data());
  const std::int64_t cell_time = output.cell_time;
  std::int64_t last = output.last_departure, longest = output.longest_stay;
  Sum stays = 0;
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    last = std::max(last, times[copy]) + cell_time;
    const std::int64_t stay = last - times[copy];
    longest = std::max(longest, stay);
    stays += static_cast<std::uint64_t>(stay);
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
    const GappedRun& run = queue.front();
    if (run.later != 0 || (run.count > 1 && run.at + run.pitch < limit))
      take_cells(fabric, queue, limit);
    else
      take_first(fabric, queue);
  } while (!queue.empty() && queue.front().at < limit);
}

void FifoSwitch::take_first(Fabric& fabric, RunQueue& queue) {
  const CellRun run = queue.front();
  queue.skip_one();
  take_cell(fabric, run.at, run.train, run.index, run.hop);
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
    fabric.lose(train, index, hop, at);
    return;
  }
  fabric.pass_on(enter(output, at), output.cell_time, 1, train, index, hop);
}

/// Takes cells of the first run, or of those that go on with it, as far as they can be taken together.
void FifoSwitch::take_cells(Fabric& fabric, RunQueue& queue, std::int64_t limit) {
  CellRun part = queue.front();
  if (part.last() >= limit) part.count = static_cast<std::uint32_t>((limit - 1 - part.at) / part.pitch + 1);
  if (background_.next_time() <= part.at) advance_background(part.at + 1);
  const std::int64_t room = quiet_room(part.at, part.count);
  if (room <= 0 || !may_go_together(*part.hop)) return take_first(fabric, queue);
  part.count = static_cast<std::uint32_t>(std::min<std::int64_t>(room, part.count));
  if (queue.front().later == 0 && background_.next_time() > part.last())
    take_freely(fabric, part);
  else if (keeps_a_backlog(queue.front()))
    part.count = take_into_backlog(fabric, queue, limit, room);
  else
    part.count = take_among_background(fabric, queue, limit, room);
  queue.skip(part.count);
  cells_seen_ += part.count;
  leave_packet_state(fabric, part);
}

// Nothing else happens meanwhile: while there is a backlog the cells leave one cell time apart, then as far
// apart as they came.
void FifoSwitch::take_freely(Fabric& fabric, const CellRun& run) {
  Output& output = outputs_[run.hop->output];
  output.cells_in += run.count;
  const std::int64_t departure = enter(output, run.at);
  if (run.count == 1) return fabric.pass_on(departure, output.cell_time, 1, run.train, run.index, run.hop);
  CellRun out = run;
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

/// How many cells of background to draw where so many copies and cells of a train can come; there is room for
/// one of the train's.
std::uint32_t FifoSwitch::most_background(std::int64_t room) const {
  const auto outputs = static_cast<std::int64_t>(outputs_.size());
  if (outputs > 64) return 0;
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>((room - 1) / (2 * outputs), Background::Batch::room));
}

/// Lets the first cells of a train before `limit` and the background among them enter; at their output the
/// two are merged in order of time, again without branches. All background up to the first cell must have
/// been taken, and for that cell there must be room. @return how many of the train's cells, at least one
std::uint32_t FifoSwitch::take_among_background(Fabric& fabric, const RunQueue& queue, std::int64_t limit,
                                                std::int64_t room) {
  const CellRun& run = queue.front();
  const auto outputs = static_cast<std::int64_t>(outputs_.size());
  const std::uint32_t background = most_background(room);
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(cells_for_each_of_background * background, 1, room - background * outputs));
  std::array<std::int64_t, most_cells_at_once + RunQueue::copied_beyond> times;
  std::uint32_t cells = queue.copy_times(limit, most, times.data());
  background_.take_batch(times[cells - 1] + 1, background, batch_);
  while (times[cells - 1] >= background_.next_time()) --cells;
  times[cells] = never;

  for (unsigned bit = 0; bit < outputs_.size(); ++bit)
    if (bit != run.hop->output) admit(batch_, outputs_[bit], bit);
  Output& output = outputs_[run.hop->output];
  std::array<std::int64_t, Background::Batch::room + 2> others;
  const std::uint32_t copies = batch_.copies_for(run.hop->output, others.data());
  others[copies] = never;
  std::array<std::int64_t, most_cells_at_once + 1> departures;
  const std::int64_t cell_time = output.cell_time;
  std::int64_t last = output.last_departure, longest = output.longest_stay;
  Sum stays = 0;
  // Both sides' next cells are loaded before it is known whose turn it is: that takes longest.
  std::int64_t theirs = others[0], ours = times[0];
  for (std::uint64_t taken = 0, passed = 0, all = cells + copies; taken + passed < all;) {
    const bool other = theirs <= ours;
    const std::int64_t now = std::min(theirs, ours);
    const std::int64_t next_theirs = others[passed + 1], next_ours = times[taken + 1];
    last = std::max(last, now) + cell_time;
    stays += static_cast<std::uint64_t>(last - now);
    longest = std::max(longest, last - now);
    departures[taken] = last;
    passed += other ? 1 : 0;
    taken += other ? 0 : 1;
    theirs = other ? next_theirs : theirs;
    ours = other ? ours : next_ours;
  }
  output.last_departure = last;
  output.longest_stay = longest;
  output.stays += stays;
  output.background_in += copies;
  output.cells_in += cells;
  may_have_come(batch_.count * outputs + cells);
  fabric.pass_on(departures.data(), cells, run.train, run.index, run.hop);
  return cells;
}

}  // namespace morgana::atm
