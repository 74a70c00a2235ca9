#include "traces/import/dimemas_roots.h"

#include <fmt/format.h>

namespace morgana {

void DimemasRoots::add(std::int64_t communicator, std::size_t place, std::size_t members,
                       std::int64_t field) {
  OfCommunicator& of = all_[communicator];
  of.so_far.resize(members);
  const std::size_t number = of.so_far[place]++;
  if (number == of.fields.size()) of.fields.emplace_back().first = field;
  Fields& fields = of.fields[number];
  if (field != fields.first) fields.other = field;
  if (field == 1) {
    fields.marked = static_cast<std::int32_t>(place);
    ++fields.marks;
  } else if (field > 1) {
    ++fields.tasks;
  }
}

DimemasRoots::Root DimemasRoots::find(std::int64_t communicator, std::size_t number,
                                      const NamedCommunicators::Defined& defined) const {
  Root root;
  if (defined.members.size() == 1) return root;
  const Fields& fields = all_.at(communicator).fields.at(number);
  if (fields.other >= 0) {
    if (fields.marks == 1 && fields.tasks == 0)
      root.place = fields.marked;
    else
      root.wrong = fmt::format(
          "members of communicator {} name different roots for the same collective ({} and {}); all may name "
          "a task, or one member the root by 1 and the other ones 0",
          communicator, fields.first, fields.other);
    return root;
  }
  const auto place = defined.place_of(Rank{static_cast<std::int32_t>(fields.first)});
  if (place)
    root.place = *place;
  else if (fields.first == 0)
    root.known = false;
  else
    root.wrong =
        fmt::format("the root, task {}, is not a member of communicator {}", fields.first, communicator);
  return root;
}

}  // namespace morgana
