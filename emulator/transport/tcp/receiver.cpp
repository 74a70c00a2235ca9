#include "emulator/transport/tcp/receiver.h"

#include <algorithm>

namespace morgana::tcp {

Receiver::Due Receiver::take(const Segment& segment, bool marked, std::optional<Acknowledgement>& before) {
  bool at_once = false;
  if (parameters_->control == TcpParameters::Control::dctcp) {
    if (marked != echoes_mark_) {
      if (owes()) before = acknowledge(true);
      echoes_mark_ = marked;
      at_once = true;
    }
  } else if (parameters_->ecn) {
    if (segment.reduced) echoes_mark_ = false;
    if (marked) echoes_mark_ = true;
  }
  if (segment.data.begin <= last_acknowledged_) echo_ = std::max(echo_, segment.value);
  if (segments_ < parameters_->quick_acknowledgements) {
    ++segments_;
    at_once = true;
  }
  const bool gap = !early_.empty();
  const Place expected_before = expected_;
  place(segment.data);
  ++owed_;
  if (gap || expected_ == expected_before || owed_ >= parameters_->acknowledge_every) at_once = true;
  return at_once ? Due::at_once : Due::later;
}

void Receiver::place(Range data) {
  data.begin = std::max(data.begin, expected_);
  if (data.begin >= data.end) return;
  std::erase_if(early_, [&data](const Range& range) {
    if (range.end < data.begin || data.end < range.begin) return false;
    data = {std::min(range.begin, data.begin), std::max(range.end, data.end)};
    return true;
  });
  if (data.begin == expected_)
    expected_ = data.end;
  else
    early_.insert(early_.begin(), data);
}

Receiver::Acknowledgement Receiver::acknowledge(bool with_blocks) {
  owed_ = 0;
  last_acknowledged_ = expected_;
  Acknowledgement made{.expected = expected_, .echoes_mark = echoes_mark_, .echo = echo_, .blocks = {}};
  if (!with_blocks || !parameters_->sack) return made;
  const std::size_t most = parameters_->timestamps ? 3 : 4;
  for (std::size_t i = 0; i < early_.size() && i < most; ++i)
    made.blocks.ranges[made.blocks.count++] = early_[i];
  return made;
}

}  // namespace morgana::tcp
