#include "emulator/network/atm/block_source.h"

#include <algorithm>
#include <cmath>

#include "emulator/core/error.h"

namespace morgana::atm {

void BlockParameters::check() const {
  if (!(reservable > 0) || reservable > 1)
    throw Error("ABT: the share of a link that may be reserved must be above 0 and at most 1");
  if (retry <= SimTime()) throw Error("ABT: a source can't ask again after no time");
  if (rate > BitRate(0) && cells_per_second(rate) < 1)
    throw Error("ABT: the block cell rate must be at least a cell a second");
}

// Requests carry the rate in 16 bits, which round it down; the source sends no faster.
BlockSource::BlockSource(const BlockParameters& parameters, double link)
    : delayed_(parameters.transmission == BlockTransmission::delayed), retry_(parameters.retry.ps()) {
  parameters.check();
  const double wanted = parameters.rate > BitRate(0) ? cells_per_second(parameters.rate) : link;
  rate_ = decode_rate(encode_rate(std::min(wanted, link)));
  interval_ = static_cast<std::int64_t>(std::ceil(1e12 / rate_));
}

std::int64_t BlockSource::next() const {
  if (state_ == State::asking) return asked_at_ + retry_;
  return sent_any_ ? last_cell_ + interval_ : 0;
}

ResourceCell BlockSource::ask() {
  ++sequence_;
  if (state_ == State::idle) first_of_block_ = sequence_;
  asked_at_ = last_cell_;
  ResourceCell cell;
  cell.protocol = delayed_ ? ResourceProtocol::abt_delayed : ResourceProtocol::abt_immediate;
  cell.block_rate = encode_rate(rate_);
  cell.sequence = sequence_;
  state_ = delayed_ ? State::asking : State::sending;
  return cell;
}

std::optional<ResourceCell> BlockSource::send(std::int64_t now) {
  last_cell_ = now;
  sent_any_ = true;
  if (state_ == State::sending) return std::nullopt;
  if (state_ != State::closing) return ask();
  state_ = State::idle;
  ResourceCell end;
  end.protocol = delayed_ ? ResourceProtocol::abt_delayed : ResourceProtocol::abt_immediate;
  end.sequence = sequence_;
  return end;
}

// The grant of an earlier request for the same block will do: what switches keep, they keep until its end.
void BlockSource::take(const ResourceCell& backward) {
  const bool of_this_block = backward.sequence - first_of_block_ <= sequence_ - first_of_block_;
  if (state_ == State::asking && of_this_block && !backward.congestion) state_ = State::sending;
}

}  // namespace morgana::atm
