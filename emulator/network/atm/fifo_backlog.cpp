// How a FifoSwitch takes cells at an output that won't idle meanwhile. They leave one cell time apart, so
// only the order of the train's cells and of background's copies is looked for: for each copy, how many of
// the train's cells come before it. The train's cells cost nothing one by one.

#include <array>
#include <bit>

#include "emulator/network/atm/fifo_switch.h"
#include "emulator/network/atm/train_parts.h"

namespace morgana::atm {
namespace {
constexpr std::int64_t long_backlog = 16;  // cells: with fewer it is not worth the preparations
// In picoseconds, of the cells that are taken at once, so that their times can be summed up.
constexpr std::int64_t longest_span = std::int64_t{1} << 52;

/// Places in the order of departure, as bits.
class Places {
 public:
  void add(std::uint64_t place) { words_[place / 64] |= std::uint64_t{1} << place % 64; }
  std::uint64_t word(std::uint32_t number) const { return words_[number]; }

 private:
  std::array<std::uint64_t, TrainParts::most_parts + Background::Batch::room / 64> words_{};
};

}  // namespace

/// Whether it is worth while to look at once for all cells that come before their output can idle.
bool FifoSwitch::keeps_a_backlog(const GappedRun& run) const {
  const Output& output = outputs_[run.hop->output];
  return output.last_departure - run.at >= long_backlog * output.cell_time &&
         TrainParts::fit(run, output.cell_time);
}

/// As take_among_background, where the output keeps a backlog. @return how many of the train's cells
std::uint32_t FifoSwitch::take_into_backlog(Fabric& fabric, const RunQueue& queue, std::int64_t limit,
                                            std::int64_t room) {
  const GappedRun& first = queue.front();
  const Output& output = outputs_[first.hop->output];
  const auto outputs = static_cast<std::int64_t>(outputs_.size());
  const std::uint32_t background = most_background(room);
  const std::int64_t end = std::min({limit - 1, output.last_departure, first.at + longest_span});
  TrainParts parts(queue, end, room - background * outputs, output.cell_time);
  background_.take_batch(parts.last() + 1, background, batch_);
  if (background_.next_time() <= parts.last()) parts.end_at(background_.next_time() - 1);
  for (unsigned bit = 0; bit < outputs_.size(); ++bit)
    if (bit != first.hop->output) admit(batch_, outputs_[bit], bit);
  may_have_come(batch_.count * outputs + parts.cells());
  enter_backlog(fabric, first, parts);
  return parts.cells();
}

/// Merges cells of a train with the batch's copies for their output.
void FifoSwitch::enter_backlog(Fabric& fabric, const CellRun& first, const TrainParts& parts) {
  Output& output = outputs_[first.hop->output];
  std::array<std::int64_t, Background::Batch::room + 1> others;
  const std::uint32_t copies = batch_.copies_for(first.hop->output, others.data());
  others[copies] = never;
  const std::int64_t cell_time = output.cell_time, next_departure = output.last_departure + cell_time;
  Places places_of_others;
  // The longest stay is a copy's or that of a cell right behind one: the train's cells are no closer to each
  // other than their departures. Both less the time of the next departure.
  std::int64_t longest = output.longest_stay - next_departure;
  std::int64_t arrived = 0;  // of all cells, how long after the first
  std::uint32_t cells = 0, copy = 0;
  for (const TrainParts::Part& part : parts) {
    const std::int64_t at = part.at, pitch = part.pitch, last = part.last();
    const std::uint64_t places = part.places;
    const double places_per_picosecond =
        pitch == cell_time ? output.cells_per_picosecond : 1 / static_cast<double>(pitch);
    std::int64_t longest_behind = (cells + copy) * cell_time;
    for (; others[copy] <= last; ++copy) {
      const std::int64_t now = others[copy], after = std::max<std::int64_t>(now - at, 0);
      auto place = static_cast<std::int64_t>(static_cast<double>(after) * places_per_picosecond);
      place += after > place * pitch ? 1 : 0;
      const std::uint32_t order = cells + copy + bits_set(places & ((std::uint64_t{1} << place) - 1));
      const std::int64_t next_place = place + std::countr_zero(places >> place);
      const std::int64_t wait = order * cell_time;
      places_of_others.add(order);
      longest = std::max(longest, wait - now);
      longest_behind = std::max(longest_behind, wait + cell_time - next_place * pitch);
      arrived += now - first.at;
    }
    longest = std::max(longest, longest_behind - at);
    cells += part.cells;
    arrived += part.cells * (at - first.at) + part.sum_of_places() * pitch;
  }
  // More can have come after the train's last cell, when the batch was full.
  for (; copy < copies; ++copy) {
    places_of_others.add(cells + copy);
    longest = std::max(longest, (cells + copy) * cell_time - others[copy]);
    arrived += others[copy] - first.at;
  }
  const std::uint32_t all = cells + copies;
  output.stays += static_cast<Sum>(all) * static_cast<Sum>(output.last_departure - first.at) +
                  static_cast<Sum>(all) * (all + 1) / 2 * static_cast<Sum>(cell_time) -
                  static_cast<Sum>(arrived);
  output.longest_stay = longest + next_departure;
  output.last_departure += all * cell_time;
  output.background_in += copies;
  output.cells_in += cells;

  GappedRun out{first};
  out.pitch = cell_time;
  for (std::uint32_t order = 0; order < all; order += 64) {
    std::uint64_t ours = ~places_of_others.word(order / 64) & TrainParts::first_places(all - order);
    if (ours == 0) continue;
    const auto lead = static_cast<std::uint32_t>(std::countr_zero(ours));
    ours >>= lead;
    out.at = next_departure + (order + lead) * cell_time;
    out.count = static_cast<std::uint32_t>(std::countr_one(ours));
    out.later = out.count < 64 ? ours >> out.count : 0;
    fabric.pass_on(out);
    out.index += out.all_cells();
  }
}

}  // namespace morgana::atm
