#include "emulator/pipeline/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace morgana::pipeline {
namespace {

/// @param before  what the stage before does; empty for the first stage
std::vector<Transfer> pass(const Stage& stage, const std::vector<Bytes>& pieces,
                           const std::vector<Transfer>& before) {
  std::vector<Transfer> transfers;
  transfers.reserve(pieces.size());
  SimTime free;
  Bytes first;
  auto source = before.begin();
  for (const Bytes size : pieces) {
    SimTime begin = free;
    if (source != before.end()) {
      // The piece that brings this one's last byte; those before it have left earlier.
      while (source->first + source->size < first + size) ++source;
      begin = std::max(begin, source->end);
    }
    free = begin + stage.time_for(size);
    transfers.push_back({begin, free, first, size});
    first += size;
  }
  return transfers;
}

SimTime busy(const std::vector<Transfer>& transfers) {
  SimTime sum;
  for (const Transfer& one : transfers) sum += one.end - one.begin;
  return sum;
}

}  // namespace

std::vector<Bytes> whole_bytes(std::span<const RealBytes> sizes, Bytes message) {
  std::vector<Bytes> whole;
  RealBytes sum;
  Bytes cut;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sum += sizes[i];
    const Bytes others(
        static_cast<std::int64_t>(sizes.size() - i - 1));  // of which each gets a byte at least
    Bytes next = others == Bytes() ? message : Bytes(std::llround(sum.value()));
    if (message - others > cut) next = std::clamp(next, cut + Bytes(1), message - others);
    whole.push_back(next - cut);
    cut = next;
  }
  return whole;
}

Schedule::Schedule(std::span<const Stage> stages, const Pieces& pieces) {
  assert(!stages.empty() && stages.size() == pieces.size());
  std::vector<Transfer> before;
  for (std::size_t j = 0; j < stages.size(); ++j) {
    before = pass(stages[j], pieces[j], before);
    transfers_.push_back(before);
  }
}

Schedule::Parts Schedule::parts() const {
  Parts parts;
  for (std::size_t j = 1; j < transfers_.size(); ++j)
    if (busy(transfers_[j]) > busy(transfers_[parts.bottleneck])) parts.bottleneck = j;
  const std::vector<Transfer>& slowest = transfers_[parts.bottleneck];
  parts.first = slowest.front().begin;
  parts.inside = slowest.back().end - slowest.front().begin;
  parts.last = latency() - slowest.back().end;
  return parts;
}

}  // namespace morgana::pipeline
