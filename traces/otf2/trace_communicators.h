#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/otf2/trace_requests.h"

namespace morgana {

/// A context of the program as a trace defines it: its number there and its members.
struct WrittenCommunicator {
  std::uint32_t reference = 0;
  std::vector<Rank> members;
  std::vector<std::int32_t> place_of;  ///< by rank, -1 for those that are no members
  std::string name;
  bool open = false;  ///< holds every rank, also those that begin later

  std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }
  /// @throws Error if the rank is no member
  std::uint32_t place(Rank rank) const;
};

/// The communicators that a trace defines. A program may use a context's number again for other members;
/// each set of members then becomes a communicator of its own.
class TraceCommunicators {
 public:
  explicit TraceCommunicators(std::size_t ranks);

  /// The next rank has begun.
  void add_rank();
  void announce(Rank rank, Context context, const std::vector<Rank>& members);
  /// Of any_context: the first. @throws Error if the rank has not announced it, and it is no open context
  const WrittenCommunicator& find(Rank rank, Context context);

  /// By reference; the first is MPI_COMM_WORLD.
  const std::vector<WrittenCommunicator>& all() const { return communicators_; }

 private:
  std::uint32_t define(const std::vector<Rank>& members);

  std::size_t ranks_;
  std::vector<WrittenCommunicator> communicators_;
  std::map<Context, std::vector<std::uint32_t>> references_;  // every communicator that a context has meant
  std::vector<TraceRequests<std::uint32_t>> current_;         // by rank: context's number -> reference
};

}  // namespace morgana
