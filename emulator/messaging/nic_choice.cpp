#include "emulator/messaging/nic_choice.h"

#include <unordered_map>

namespace morgana {

std::uint8_t NicsOfRanks::of(Rank rank) {
  // Ranks that begin later have no others of their host to count yet.
  if (machine_.places_later) return static_cast<std::uint8_t>(index(rank) % machine_.nics);
  if (of_.empty()) {
    std::unordered_map<std::uint64_t, std::size_t> ranks;  // by host
    of_.reserve(machine_.host_of.size());
    for (const HostId host : machine_.host_of)
      of_.push_back(static_cast<std::uint8_t>(ranks[static_cast<std::uint64_t>(host)]++ % machine_.nics));
  }
  return of_[index(rank)];
}

std::uint8_t NicsOfRanks::next(Rank rank) {
  if (machine_.messages.nic == NicChoice::by_rank) return of(rank);
  // The ranks of a host begin at different NICs.
  while (next_.size() <= index(rank)) next_.push_back(of(Rank{static_cast<std::int32_t>(next_.size())}));
  const std::uint8_t now = next_[index(rank)];
  next_[index(rank)] = static_cast<std::uint8_t>((now + 1U) % machine_.nics);
  return now;
}

bool PairOrder::comes(Pair pair, std::uint64_t number, std::uint32_t message) {
  Line& line = lines_[pair];
  if (number != line.taken + 1) {
    line.early.emplace(number, message);
    return false;
  }
  ++line.taken;
  return true;
}

std::optional<std::uint32_t> PairOrder::next(Pair pair) {
  Line& line = lines_[pair];
  const auto first = line.early.begin();
  if (first == line.early.end() || first->first != line.taken + 1) return std::nullopt;
  const std::uint32_t message = first->second;
  line.early.erase(first);
  ++line.taken;
  return message;
}

}  // namespace morgana
