#include "emulator/transport/congestion/dctcp_flow.h"

#include <algorithm>
#include <cmath>

namespace morgana {

DctcpFlow::DctcpFlow(const DctcpParameters& parameters, BitRate line_rate, Bytes packet, Bytes most)
    : window_parameters_{.segment = packet, .initial = 1},
      dctcp_(window_parameters_, parameters),
      line_rate_(static_cast<double>(line_rate.bits_per_second())),
      product_(most),
      most_(std::max(most, 2 * packet)) {
  dctcp_.begin_with(most_);
}

Bytes DctcpFlow::window() const {
  return std::min(dctcp_.window(), most_);
}

double DctcpFlow::share_of_line_rate() const {
  const Bytes now = window();
  return now >= product_ ? 1 : static_cast<double>(now.count()) / static_cast<double>(product_.count());
}

void DctcpFlow::sent(SimTime now, Bytes size) {
  constexpr double bit_picoseconds = 8e12;
  under_way_ += size;
  may_send_ = now + SimTime::from_ps(std::llround(static_cast<double>(size.count()) * bit_picoseconds /
                                                  (line_rate_ * share_of_line_rate())));
}

BitRate DctcpFlow::rate(SimTime) {
  return BitRate(std::llround(line_rate_ * share_of_line_rate()));
}

void DctcpFlow::acknowledged(const FlowFeedback& feedback) {
  place_ = std::max(place_, feedback.place);
  heard_ = place_ + trimmed_;
  under_way_ = feedback.under_way;
  marked_ += feedback.marked_bytes;
  const bool reports_marks = feedback.marked_bytes > Bytes();
  const Bytes marked = std::min(marked_, feedback.returned);
  marked_ -= marked;
  if (feedback.returned > Bytes()) timed_out_ = false;
  const auto count = [&](Bytes bytes, std::int64_t up_to, bool are_marked) {
    if (bytes == Bytes()) return;
    dctcp_.acknowledged({.now = feedback.now,
                         .bytes = bytes,
                         .up_to = up_to,
                         .sent_up_to = sent(),
                         .marked = are_marked,
                         .grows = !reports_marks && dctcp_.window() < most_ && heard_ > grows_after_,
                         .round_trip = feedback.round_trip});
  };
  count(feedback.returned - marked, heard_ - marked.count(), false);
  count(marked, heard_, true);
  if (reports_marks) reduce(feedback.now, under_way_ + feedback.returned, WindowControl::Congestion::mark);
}

void DctcpFlow::trimmed(const TrimFeedback& feedback) {
  trimmed_ += feedback.packet.count();
  heard_ = place_ + trimmed_;
  under_way_ = feedback.under_way - feedback.packet;
  reduce(feedback.now, feedback.under_way, WindowControl::Congestion::loss);
}

void DctcpFlow::repeats(SimTime now, Repetition why) {
  if (why == Repetition::by_receiver) {
    reduce(now, under_way_, WindowControl::Congestion::loss);
  } else {
    dctcp_.timed_out(now, under_way_, timed_out_);
    timed_out_ = true;
    reduced_until_ = sent();
    grows_after_ = 0;
  }
  under_way_ = Bytes();
}

/// Once in a window of data.
void DctcpFlow::reduce(SimTime now, Bytes in_flight, WindowControl::Congestion why) {
  if (heard_ <= reduced_until_) return;
  dctcp_.congested(now, in_flight, why);
  reduced_until_ = grows_after_ = sent();
}

}  // namespace morgana
