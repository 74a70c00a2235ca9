#include "traces/import/dumpi/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <utility>

#include "emulator/core/error.h"

namespace morgana::dumpi {

/// Lets every rank make its calls up to one that makes a communicator; when all members of the one that it is
/// made from have come to theirs, its members are known, and they go on.
class CommunicatorSearch {
 public:
  CommunicatorSearch(Communicators& to, const std::vector<RankScan>& scans,
                     const std::vector<RankFile*>& files)
      : to_(to), scans_(scans), files_(files), states_(scans.size()) {}
  void run();

 private:
  using Step = RankScan::Step;
  using Members = std::vector<Rank>;
  struct State {
    std::size_t at = 0;  ///< in the steps
    std::unordered_map<std::int64_t, std::uint32_t> communicators;
    std::unordered_map<std::int64_t, Members> groups;
  };
  /// Of one communicator: who has come to making another one from it, with which step.
  using Arrived = std::map<Rank, const Step*>;

  [[noreturn]] void refuse(Rank rank, const Step& step, const std::string& what) const {
    throw Error(fmt::format("{}: offset {}: {}: {}", files_[index(rank)]->file().string(), step.offset,
                            call_form(static_cast<std::uint16_t>(step.function)).name, what));
  }
  std::uint32_t communicator(Rank rank, const Step& step, std::int64_t handle) const;
  const Members& group(Rank rank, const Step& step, std::int64_t handle) const;
  static Members without(const Members& all, const Members& left_out);
  Members picked(Rank rank, const Step& step, const Members& all, Members named, bool inclusive) const;
  Members chosen(Rank rank, const Step& step, bool inclusive) const;
  Members in_ranges(Rank rank, const Step& step, bool inclusive) const;
  void make_group(Rank rank, const Step& step);
  void advance(Rank rank);
  void make(std::uint32_t parent, const Arrived& arrived);
  bool put_in_recorded_order(Members& members, const Arrived& arrived) const;
  void make_equal(std::uint32_t parent, const Arrived& arrived);
  void make_from_groups(const Arrived& arrived);
  void make_by_colour(std::uint32_t parent, const Arrived& arrived);
  std::vector<std::int32_t> coordinates_left(Rank rank, const Step& step, const TracedCommunicator& from,
                                             bool kept) const;
  void give(Rank rank, const Step& step, std::optional<std::uint32_t> made);

  /// Which of a step's numbers say what it is made from, and its name there.
  static std::int64_t from(const Step& step) {
    return step.function == Function::cart_sub || step.function == Function::graph_create ? step.numbers[1]
                                                                                          : step.numbers[0];
  }
  static std::int64_t made(const Step& step) { return step.numbers.back(); }

  Communicators& to_;
  const std::vector<RankScan>& scans_;
  const std::vector<RankFile*>& files_;
  std::vector<State> states_;
  std::map<std::uint32_t, Arrived> arrived_;
  std::deque<Rank> ready_;
};

std::uint32_t CommunicatorSearch::communicator(Rank rank, const Step& step, std::int64_t handle) const {
  if (handle == world_communicator) return Communicators::world;
  if (handle == self_communicator) return to_.self(rank);
  const auto& known = states_[index(rank)].communicators;
  const auto found = known.find(handle);
  if (found == known.end())
    refuse(rank, step, fmt::format("no call before has made communicator {}", handle));
  return found->second;
}

const std::vector<Rank>& CommunicatorSearch::group(Rank rank, const Step& step, std::int64_t handle) const {
  constexpr std::int64_t empty_group = 2;
  static const Members none;
  if (handle == empty_group) return none;
  const auto& known = states_[index(rank)].groups;
  const auto found = known.find(handle);
  if (found == known.end()) refuse(rank, step, fmt::format("no call before has made group {}", handle));
  return found->second;
}

std::vector<Rank> CommunicatorSearch::without(const Members& all, const Members& left_out) {
  Members sorted = left_out, result;
  std::ranges::sort(sorted);
  std::ranges::copy_if(all, std::back_inserter(result),
                       [&](Rank one) { return !std::ranges::binary_search(sorted, one); });
  return result;
}

/// What naming members of a group makes of it: a group of those, or of the other ones.
std::vector<Rank> CommunicatorSearch::picked(Rank rank, const Step& step, const Members& all, Members named,
                                             bool inclusive) const {
  Members sorted = named;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) refuse(rank, step, "it names a member twice");
  return inclusive ? std::move(named) : without(all, named);
}

/// MPI_Group_incl and _excl: members by their indices.
std::vector<Rank> CommunicatorSearch::chosen(Rank rank, const Step& step, bool inclusive) const {
  const Members& all = group(rank, step, step.numbers[0]);
  Members named;
  for (const std::int32_t place : step.lists[0]) {
    if (place < 0 || static_cast<std::size_t>(place) >= all.size())
      refuse(rank, step, fmt::format("its group has {} members, and none of number {}", all.size(), place));
    named.push_back(all[static_cast<std::size_t>(place)]);
  }
  return picked(rank, step, all, std::move(named), inclusive);
}

/// MPI_Group_range_incl and _excl: first, last and stride of indices.
std::vector<Rank> CommunicatorSearch::in_ranges(Rank rank, const Step& step, bool inclusive) const {
  const Members& all = group(rank, step, step.numbers[0]);
  const auto size = static_cast<std::int64_t>(all.size());
  Members named;
  for (const std::vector<std::int32_t>& range : step.lists) {
    if (range.size() != 3 || range[2] == 0)
      refuse(rank, step, "a range is a first and a last member and a stride other than 0");
    const std::int64_t last = range[1], stride = range[2];
    for (std::int64_t place = range[0]; stride > 0 ? place <= last : place >= last; place += stride) {
      if (place < 0 || place >= size)
        refuse(rank, step, fmt::format("its group has {} members, and none of number {}", size, place));
      named.push_back(all[static_cast<std::size_t>(place)]);
      if (named.size() > all.size()) break;
    }
  }
  return picked(rank, step, all, std::move(named), inclusive);
}

void CommunicatorSearch::make_group(Rank rank, const Step& step) {
  const auto& numbers = step.numbers;
  Members members;
  switch (step.function) {
    case Function::comm_group:
      members = to_.all_[communicator(rank, step, numbers[0])].members;
      break;
    case Function::group_union: {
      members = group(rank, step, numbers[0]);
      const Members more = without(group(rank, step, numbers[1]), members);
      members.insert(members.end(), more.begin(), more.end());
      break;
    }
    case Function::group_intersection: {
      const Members& first = group(rank, step, numbers[0]);
      members = without(first, without(first, group(rank, step, numbers[1])));
      break;
    }
    case Function::group_difference:
      members = without(group(rank, step, numbers[0]), group(rank, step, numbers[1]));
      break;
    case Function::group_incl:
    case Function::group_excl:
      members = chosen(rank, step, step.function == Function::group_incl);
      break;
    default:
      members = in_ranges(rank, step, step.function == Function::group_range_incl);
  }
  states_[index(rank)].groups[numbers.back()] = std::move(members);
}

void CommunicatorSearch::advance(Rank rank) {
  State& state = states_[index(rank)];
  const std::vector<Step>& steps = scans_[index(rank)].steps;
  while (state.at < steps.size()) {
    const Step& step = steps[state.at];
    if (!makes_communicator(step.function)) {
      make_group(rank, step);
      ++state.at;
      continue;
    }
    const std::uint32_t parent = communicator(rank, step, from(step));
    Arrived& arrived = arrived_[parent];
    arrived[rank] = &step;
    if (arrived.size() < to_.all_[parent].members.size()) return;
    const Arrived all = std::exchange(arrived, {});
    make(parent, all);
    for (const auto& [one, with] : all)
      if (one != rank) ready_.push_back(one);
  }
}

void CommunicatorSearch::give(Rank rank, const Step& step, std::optional<std::uint32_t> number) {
  State& state = states_[index(rank)];
  if (number) state.communicators[made(step)] = *number;
  to_.made_[index(rank)].push_back(number);
  ++state.at;
}

void CommunicatorSearch::make(std::uint32_t parent, const Arrived& arrived) {
  const auto& [first, with] = *arrived.begin();
  for (const auto& [rank, step] : arrived)
    if (step->function != with->function)
      refuse(rank, *step,
             fmt::format("rank {} calls {} there, at offset {} of its file", static_cast<int>(first),
                         call_form(static_cast<std::uint16_t>(with->function)).name, with->offset));
  switch (with->function) {
    case Function::comm_create:
      return make_from_groups(arrived);
    case Function::comm_split:
    case Function::cart_sub:
      return make_by_colour(parent, arrived);
    default:
      return make_equal(parent, arrived);
  }
}

/// A topology may number ranks in another order, which MPI_Comm_rank has told them.
/// @return false if it might, and not all members have asked
bool CommunicatorSearch::put_in_recorded_order(Members& members, const Arrived& arrived) const {
  const Step& first = *arrived.begin()->second;
  if (first.function == Function::comm_dup || first.numbers[first.numbers.size() - 2] == 0) return true;
  Members ordered(members.size());
  std::vector<bool> taken(members.size());
  for (const Rank rank : members) {
    const Step& step = *arrived.at(rank);
    if (!step.rank) return false;
    if (*step.rank < 0 || static_cast<std::size_t>(*step.rank) >= members.size() ||
        taken[static_cast<std::size_t>(*step.rank)])
      refuse(rank, step,
             fmt::format("MPI_Comm_rank has told rank {} there, which another member has, or which is not "
                         "below {}; record the program again",
                         *step.rank, members.size()));
    taken[static_cast<std::size_t>(*step.rank)] = true;
    ordered[static_cast<std::size_t>(*step.rank)] = rank;
  }
  members = std::move(ordered);
  return true;
}

/// MPI_Comm_dup, MPI_Cart_create, MPI_Graph_create: all who get a communicator get the same, in their order.
void CommunicatorSearch::make_equal(std::uint32_t parent, const Arrived& arrived) {
  Members members;
  const Members& all = to_.all_[parent].members;
  std::ranges::copy_if(all, std::back_inserter(members),
                       [&](Rank one) { return made(*arrived.at(one)) != null_communicator; });
  const auto& [first, with] = *arrived.begin();
  const bool order_known = put_in_recorded_order(members, arrived);
  std::vector<std::int32_t> dimensions;
  if (with->function == Function::comm_dup) dimensions = to_.all_[parent].dimensions;
  if (with->function == Function::cart_create) {
    dimensions = with->lists[0];
    std::int64_t places = 1;
    for (const std::int32_t dimension : dimensions) {
      if (dimension <= 0) refuse(first, *with, fmt::format("{} is not a dimension", dimension));
      if (places <= static_cast<std::int64_t>(all.size())) places *= dimension;
    }
    if (places != static_cast<std::int64_t>(members.size()))
      refuse(first, *with,
             fmt::format("{} ranks have the communicator, but its dimensions are not for so many",
                         members.size()));
  }
  const std::uint32_t number = to_.add(std::move(members));
  to_.all_[number].dimensions = std::move(dimensions);
  to_.all_[number].order_known = order_known;
  for (const auto& [rank, step] : arrived)
    give(rank, *step, made(*step) == null_communicator ? std::nullopt : std::optional(number));
}

void CommunicatorSearch::make_from_groups(const Arrived& arrived) {
  std::map<Members, std::uint32_t> numbers;
  for (const auto& [rank, step] : arrived) {
    if (made(*step) == null_communicator) {
      give(rank, *step, std::nullopt);
      continue;
    }
    const Members& members = group(rank, *step, step->numbers[1]);
    if (std::ranges::find(members, rank) == members.end())
      refuse(rank, *step, "the rank gets a communicator, but is not in its group");
    const auto [place, fresh] = numbers.try_emplace(members, 0);
    if (fresh) {
      for (const Rank one : members)
        if (!arrived.contains(one) || made(*arrived.at(one)) == null_communicator)
          refuse(rank, *step,
                 fmt::format("rank {} is in the group, but gets no communicator", static_cast<int>(one)));
      place->second = to_.add(members);
    }
    give(rank, *step, place->second);
  }
}

/// Coordinates of a rank in a Cartesian communicator, of the dimensions that are kept or of the other ones.
std::vector<std::int32_t> CommunicatorSearch::coordinates_left(Rank rank, const Step& step,
                                                               const TracedCommunicator& from,
                                                               bool kept) const {
  const std::vector<std::int32_t>& remain = step.lists[0];
  if (from.dimensions.empty() || remain.size() != from.dimensions.size())
    refuse(rank, step,
           fmt::format("it names {} dimensions, but the communicator has {}", remain.size(),
                       from.dimensions.size()));
  auto place = std::ranges::find(from.members, rank) - from.members.begin();
  std::vector<std::int32_t> coordinates;
  for (std::size_t i = remain.size(); i-- > 0;) {
    const std::int32_t dimension = from.dimensions[i];
    if ((remain[i] != 0) == kept) coordinates.push_back(static_cast<std::int32_t>(place % dimension));
    place /= dimension;
  }
  std::ranges::reverse(coordinates);
  return coordinates;
}

/// MPI_Comm_split and MPI_Cart_sub: those of one colour, in the order of their keys.
void CommunicatorSearch::make_by_colour(std::uint32_t parent, const Arrived& arrived) {
  const TracedCommunicator from = to_.all_[parent];  // a copy: adding one moves those that are there
  using Key = std::vector<std::int32_t>;
  std::map<Key, std::vector<std::pair<Key, Rank>>> colours;
  std::vector<std::int32_t> dimensions;
  for (const Rank rank : from.members) {
    const Step& step = *arrived.at(rank);
    if (made(step) == null_communicator) continue;
    if (step.function == Function::comm_split) {
      colours[{static_cast<std::int32_t>(step.numbers[1])}].emplace_back(
          Key{static_cast<std::int32_t>(step.numbers[2])}, rank);
      continue;
    }
    colours[coordinates_left(rank, step, from, false)].emplace_back(coordinates_left(rank, step, from, true),
                                                                    rank);
    dimensions.clear();
    for (std::size_t i = 0; i < from.dimensions.size(); ++i)
      if (step.lists[0][i] != 0) dimensions.push_back(from.dimensions[i]);
  }
  std::map<Rank, std::uint32_t> numbers;
  for (auto& [colour, members] : colours) {
    std::ranges::stable_sort(members, {}, &std::pair<Key, Rank>::first);
    Members ordered;
    for (const auto& [key, rank] : members) ordered.push_back(rank);
    const std::uint32_t number = to_.add(ordered);
    to_.all_[number].dimensions = dimensions;
    for (const Rank rank : ordered) numbers[rank] = number;
  }
  for (const auto& [rank, step] : arrived) {
    const auto number = numbers.find(rank);
    give(rank, *step, number == numbers.end() ? std::nullopt : std::optional(number->second));
  }
}

void CommunicatorSearch::run() {
  for (std::size_t i = 0; i < scans_.size(); ++i) ready_.push_back(Rank(static_cast<std::int32_t>(i)));
  while (!ready_.empty()) {
    const Rank rank = ready_.front();
    ready_.pop_front();
    advance(rank);
  }
  for (const auto& [parent, arrived] : arrived_) {
    if (arrived.empty()) continue;
    const auto& [rank, step] = *arrived.begin();
    refuse(rank, *step,
           fmt::format("of the {} ranks of the communicator that it is made from only {} make this call",
                       to_.all_[parent].members.size(), arrived.size()));
  }
}

Communicators::Communicators(const std::vector<RankScan>& scans, const std::vector<RankFile*>& files)
    : made_(scans.size()) {
  std::vector<Rank> everyone;
  for (std::size_t i = 0; i < scans.size(); ++i) everyone.push_back(Rank(static_cast<std::int32_t>(i)));
  add(everyone);
  for (const Rank rank : everyone) add({rank});
  CommunicatorSearch(*this, scans, files).run();
}

std::uint32_t Communicators::add(std::vector<Rank> members) {
  const auto number = static_cast<std::uint32_t>(all_.size());
  all_.push_back({Context{number}, std::move(members), {}, true});
  return number;
}

}  // namespace morgana::dumpi
