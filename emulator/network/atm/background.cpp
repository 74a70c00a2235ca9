#include "emulator/network/atm/background.h"

#include <cassert>

#include "emulator/core/error.h"

namespace morgana::atm {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw Error(std::string("ATM background traffic: ") + what);
}

double interval(SimTime cell_time, double rate) {
  return rate > 0 ? static_cast<double>(cell_time.ps()) / rate : 0;
}

/// Each change between ON and OFF is worked out, also if nothing comes in between.
void check_thinness(const BackgroundTraffic& traffic, SimTime cell_time) {
  const bool silent = traffic.sources == 0 || (traffic.peak == 0 && traffic.low == 0);
  if (silent || traffic.on_share == 1) return;
  constexpr double most_changes = 1e6;
  const double cell_times_on = traffic.mean_on.seconds() / cell_time.seconds();
  const double cell_times_off = cell_times_on * (1 - traffic.on_share) / traffic.on_share;
  require(traffic.peak * cell_times_on + traffic.low * cell_times_off >= 1 / most_changes,
          "a source offers less than a cell in a million times ON and OFF: set network.background.load to 0, "
          "or to more, or make those longer (network.background.mean-on)");
}

}  // namespace

void BackgroundTraffic::set_load(double rho) {
  const double from_low = sources * (1 - on_share) * low * copy_probability;
  require(rho >= from_low, "the low state alone offers more than the load: set a lower one or more load");
  peak = (rho - from_low) / (sources * on_share * copy_probability);
}

void BackgroundTraffic::check() const {
  if (sources == 0) return;
  require(peak >= 0 && low >= 0 && peak <= 1e3 && low <= 1e3, "rates must lie in 0 to 1000 times the link's");
  require(on_share > 0 && on_share <= 1, "the share of time ON must be more than 0 and at most 1");
  require(on_share == 1 || mean_on > SimTime(), "the mean time ON must be more than 0");
  require(copy_probability > 0 && copy_probability <= 1,
          "the probability of a copy must be more than 0 and at most 1");
}

BackgroundSource::BackgroundSource(const RandomStream& random, const BackgroundTraffic& traffic,
                                   SimTime cell_time)
    : random_(random),
      table_(&ziggurat()),
      interval_on_(interval(cell_time, traffic.peak)),
      interval_off_(interval(cell_time, traffic.low)),
      mean_(0),
      mean_on_(static_cast<double>(traffic.mean_on.ps())),
      mean_off_(mean_on_ * (1 - traffic.on_share) / traffic.on_share),
      constant_interval_(static_cast<std::int64_t>(std::min(interval_on_ + 0.5, longest))),
      rest_(traffic.constant ? static_cast<std::int64_t>(std::min(random_.uniform() * interval_on_, longest))
                             : 0),
      until_(never),
      constant_(traffic.constant),
      on_(traffic.on_share >= 1 || random_.chance(traffic.on_share)) {
  mean_ = on_ ? interval_on_ : interval_off_;
  if (traffic.on_share < 1) until_ = draw(on_ ? mean_on_ : mean_off_);
}

// As `next`, in registers as long as the source does not change its state.
std::uint32_t BackgroundSource::take(std::int64_t& first, std::int64_t bound, std::uint32_t most,
                                     std::int64_t* times) {
  std::uint32_t count = 0;
  while (first < bound && count < most) {
    times[count++] = first;
    if (constant_ && on_) {
      first = next();
      continue;
    }
    RandomStream random = random_;
    const std::int64_t until = until_;
    const double mean = mean_;
    std::int64_t at = first + draw(mean, random);
    while (at < bound && count < most && at < until) {
      times[count++] = first = at;
      at += draw(mean, random);
    }
    random_ = random;
    at_ = first;
    if (at < until) {
      first = at_ = at;
      return count;
    }
    if (until == never) {
      first = never;
      return count;
    }
    change();
    first = next();
  }
  return count;
}

void BackgroundSource::change() {
  if (until_ > EventQueue::latest.ps()) {
    until_ = never;
    mean_ = 0;
    return;
  }
  at_ = until_;
  on_ = !on_;
  mean_ = on_ ? interval_on_ : interval_off_;
  until_ += draw(on_ ? mean_on_ : mean_off_);
}

Background::Background(const BackgroundTraffic& traffic, SimTime cell_time, std::uint32_t outputs,
                       std::uint64_t seed, const std::string& name)
    : copying_(seed, name + " copies"),
      mask_(outputs < 64 ? (std::uint64_t{1} << outputs) - 1 : ~std::uint64_t{0}),
      outputs_(outputs),
      probability_(traffic.copy_probability),
      fair_(traffic.copy_probability == 0.5 && outputs <= 64),
      certain_(traffic.copy_probability >= 1) {
  traffic.check();
  check_thinness(traffic, cell_time);
  if (traffic.only_outputs && traffic.sources > 0) {
    assert(outputs <= 64);
    mask_ &= *traffic.only_outputs;
  }
  if (traffic.peak == 0 && (traffic.low == 0 || traffic.on_share == 1)) return;
  for (std::uint32_t source = 0; source < traffic.sources; ++source) {
    sources_.emplace_back(RandomStream(seed, name + " background " + std::to_string(source)), traffic,
                          cell_time);
    times_.push_back(sources_.back().next());
    if (times_[source] < times_[first_]) first_ = source;
  }
  if (!times_.empty()) next_ = times_[first_];
}

// In loops of one thing each, which the processor can work on ahead: the times of a single source, then the
// coins.
void Background::take_batch(std::int64_t bound, std::uint32_t limit, Batch& batch) {
  if (sources_.size() == 1) {
    batch.count = sources_[0].take(next_, bound, limit, batch.times.data());
    times_[0] = next_;
  } else {
    for (batch.count = 0; next_ < bound && batch.count < limit; advance()) batch.times[batch.count++] = next_;
  }
  if (fair_) return toss(batch);
  for (std::uint32_t cell = 0; cell < batch.count; ++cell) {
    if (certain_) {
      batch.sets[cell] = mask_;
    } else {
      std::uint64_t set = 0;
      for (std::uint32_t output = 0; output < outputs_; ++output)
        if (gets_copies(output)) set |= std::uint64_t{copying_.chance(probability_)} << output;
      batch.sets[cell] = set;
    }
  }
}

/// One bit for each output.
void Background::toss(Batch& batch) {
  // Not in memory, which a batch's sets could be for all that the compiler knows.
  std::uint64_t word = word_;
  std::uint32_t left = bits_left_;
  const std::uint32_t outputs = outputs_, shift = outputs_ & 63;
  const std::uint64_t mask = mask_;
  for (std::uint32_t cell = 0; cell < batch.count; ++cell) {
    if (left < outputs) {
      word = copying_.next();
      left = 64;
    }
    batch.sets[cell] = word & mask;
    word >>= shift;  // of 64 outputs, each takes a word of its own
    left -= outputs;
  }
  word_ = word;
  bits_left_ = left;
}

}  // namespace morgana::atm
