#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/import/named_communicators.h"

namespace morgana {

/// The roots of the collectives of a trace of Dimemas. The field of the root is a task's number, the same in
/// all members' records, or, as prv2dim writes it, a mark: 1 in the record of the root, and 0 in the other
/// ones. Which of them it is can be seen only from the records of all members.
class DimemasRoots {
 public:
  struct Root {
    std::int32_t place = 0;  ///< among the communicator's members
    bool known = true;       ///< false: no member is marked, and `place` is the first
    std::string wrong;       ///< why there is none; empty if there is
  };

  /// What the field of a member's next collective with a root says. @param members  of the communicator
  void add(std::int64_t communicator, std::size_t place, std::size_t members, std::int64_t field);
  /// @param number  how many collectives with a root the member has had on this communicator before
  Root find(std::int64_t communicator, std::size_t number, const NamedCommunicators::Defined& defined) const;

 private:
  struct Fields {
    std::int64_t first = 0;              ///< of the first record
    std::int64_t other = -1;             ///< one that differs from it
    std::int32_t marked = -1;            ///< the place of a member with 1
    std::uint32_t marks = 0, tasks = 0;  ///< records with 1, and with more than that
  };
  struct OfCommunicator {
    std::vector<std::size_t> so_far;  ///< by member
    std::vector<Fields> fields;
  };
  std::unordered_map<std::int64_t, OfCommunicator> all_;
};

}  // namespace morgana
