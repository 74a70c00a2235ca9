#include "emulator/transport/uet/inbound.h"

#include <algorithm>

namespace morgana::uet {

Inbound::Taken Inbound::take(const Data& data, Bytes acknowledge_bytes) {
  unreported_ += data.size;
  if (has(data.psn)) return {.is_new = false, .acknowledges = true};
  bool acknowledges = bytes_ == 0 || data.marked || data.asks;
  bytes_ += data.size.count();
  asked_ = asked_ || data.asks;
  const std::size_t place = data.psn - expected_;
  if (place >= came_.size()) came_.resize(place + 1);
  came_[place] = true;
  if (place > 0) {
    ++ahead_;
    ++early_;
  } else {
    came_.pop_front();
    ++expected_;
    while (!came_.empty() && came_.front()) {
      came_.pop_front();
      ++expected_;
      --ahead_;
    }
    if (ahead_ == 0 && asked_) {
      acknowledges = true;
      asked_ = false;
    }
  }
  return {.is_new = true, .acknowledges = acknowledges || unreported_ >= acknowledge_bytes};
}

Acknowledgement Inbound::acknowledge(const Data& data) {
  unreported_ = Bytes();
  const Psn before = std::min<Psn>(data.psn, bitmap_size - 1);
  Acknowledgement report{.expected = expected_,
                         .base = std::max(data.psn - before, expected_ + 1),
                         .packet = data.psn,
                         .marked = data.marked,
                         .repeated = data.repeated,
                         .bytes = bytes_};
  const std::size_t first = report.base - expected_;
  const std::size_t end = std::min<std::size_t>(came_.size(), first + bitmap_size);
  for (std::size_t place = first; place < end; ++place)
    if (came_[place]) report.came |= std::uint64_t{1} << (place - first);
  return report;
}

}  // namespace morgana::uet
