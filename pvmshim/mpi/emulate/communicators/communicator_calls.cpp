// The calls that make communicators. MPICH makes them, through its own progress: they are rare. In simulated
// time no member leaves before all have entered.

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/payloads.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/translate.h"
#include "pvmshim/mpi/uncaught_errors.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

/// Where this rank could not tell the others that it has entered, MPICH has made the communicator all the
/// same, so that they are not left alone with it.
/// @param parent  where those who have made it together have met
/// @param handler  of which communicator an error goes to; null: of the one that has been made
int finish(Call call, int result, Context parent, const MPI_Comm* made, const Communicator* handler) {
  const Outcome outcome = leave_together().outcome;
  const Communicator* created = result == MPI_SUCCESS ? me().communicators.add_made(parent, *made) : nullptr;
  Operation last = created != nullptr ? context_operation(call, CallPart::last, *created)
                                      : plain_operation(OperationKind::nothing, call, CallPart::last);
  me().live.post(last);
  if (handler == nullptr) handler = created;
  if (result != MPI_SUCCESS || outcome == Outcome::delivered || handler == nullptr) return result;
  return raise_returned(*handler, call, outcome);
}

template <typename Make>
int create(Call call, MPI_Comm parent, MPI_Comm* made, const Make& make) {
  const auto comm = communicator(parent, name_of(call));
  if (comm == nullptr) return error_of_mpich(make);
  const Visit visit(me().live);
  // MPICH calls the attributes' copy functions before it communicates.
  if (call == Call::MPI_Comm_dup || call == Call::MPI_Comm_dup_with_info)
    enter_together_later(call, CallPart::first, comm);
  else
    enter_together(call, CallPart::first, comm->context());
  return finish(call, make(), comm->context(), made, comm.get());
}

struct Meeting {
  Context context;
  bool is_new;
};

/// Where the members of a group meet that has no other context yet.
/// @param number  sets it apart from other meetings of the same members
Meeting announce(Call call, CallPart part, const Communicator& parent, const std::vector<Rank>& members,
                 std::uint64_t number = 0) {
  static std::set<Context> announced;
  Operation meeting = plain_operation(OperationKind::context_created, call, part);
  meeting.members = members;
  meeting.context = derived_context(Derived::meeting, parent.context(), members, number);
  const bool is_new = announced.insert(meeting.context).second;
  if (is_new) me().live.post(meeting);
  return {meeting.context, is_new};
}

/// A group as a message: how many are in it, and who.
using GroupList = std::vector<int>;

/// What the leaders of two groups know, and all others learn.
struct OtherGroup {
  GroupList members;
  std::uint64_t number = 0;  ///< of the two leaders' meeting
};

GroupList empty_list() {
  return GroupList(static_cast<std::size_t>(me().communicators.world().size()) + 1);
}

GroupList list_of(const std::vector<Rank>& members) {
  GroupList list = empty_list();
  list.front() = static_cast<int>(members.size());
  std::transform(members.begin(), members.end(), list.begin() + 1,
                 [](Rank member) { return static_cast<int>(member); });
  return list;
}

std::vector<Rank> members_of(const GroupList& list) {
  std::vector<Rank> members;
  for (int i = 1; i <= list.front(); ++i) members.push_back(Rank{list[static_cast<std::size_t>(i)]});
  return members;
}

/// What a rank has sent within another call has come back.
struct ReturnedWithin {
  Outcome outcome;
};

/// Takes part in a collective within another call, and waits for it. @throws ReturnedWithin
Completed ask_within(Call call, Context context, CollectivePart part, std::uint64_t payload) {
  Operation start = plain_operation(OperationKind::collective, call, CallPart::middle);
  start.context = context;
  start.collective = std::move(part);
  start.request = me().requests.next_id();
  start.payload = payload;
  me().live.post(start);
  Operation wait =
      completion_operation(OperationKind::wait, call, CallPart::middle, Completion::all, {&start.request, 1});
  Completed completed = me().live.ask(wait).completed.at(0);
  if (error_of_outcome(completed) != MPI_SUCCESS) throw ReturnedWithin{completed.outcome};
  return completed;
}

/// The leaders of two groups tell each other who is in them, where no other messages are: several threads may
/// do that at once, apart by the communicator between the leaders and the tag in it.
OtherGroup swap_groups(Call call, const Communicator& own, const Communicator& bridge, int remote_leader,
                       int tag) {
  const Rank self = own.world_rank(own.me()), remote = bridge.world_rank(remote_leader);
  const std::vector<Rank> leaders{std::min(self, remote), std::max(self, remote)};
  const Meeting meeting = announce(call, CallPart::middle, bridge, leaders, static_cast<std::uint64_t>(tag));
  const GroupList mine = list_of(own.members());
  GroupList other = empty_list();
  const int length = static_cast<int>(mine.size());
  const Bytes bytes = packed_size(length, MPI_INT);
  const Completed swapped = ask_within(call, meeting.context, plain_part(CollectiveKind::allgather, bytes),
                                       deposit(mine.data(), length, MPI_INT, bytes, 1));
  const Payload payload(swapped.deposits.at(self == leaders.front() ? 1 : 0));
  unpack(payload.data(), other.data(), length, MPI_INT);
  return {std::move(other), static_cast<std::uint64_t>(meeting.context)};
}

/// The members of a group learn from their leader what it knows. The meeting's number takes no time: MPICH
/// has numbers of its own.
void learn_from_leader(Call call, const Communicator& group, int leader, OtherGroup& other) {
  if (group.size() == 1) return;
  const int listed = static_cast<int>(other.members.size());
  const Bytes bytes = packed_size(listed, MPI_INT);
  std::vector<std::int64_t> known(other.members.begin(), other.members.end());
  known.push_back(static_cast<std::int64_t>(other.number));
  const int length = static_cast<int>(known.size());
  const Bytes stored = packed_size(length, MPI_INT64_T);
  const auto readers = static_cast<std::uint32_t>(group.size() - 1);
  const bool leads = group.me() == leader;
  const std::uint64_t given = leads ? deposit(known.data(), length, MPI_INT64_T, stored, readers) : 0;
  const Completed learnt =
      ask_within(call, group.context(), plain_part(CollectiveKind::broadcast, bytes, leader), given);
  if (leads) return;
  const Payload payload(learnt.deposits.at(static_cast<std::size_t>(leader)));
  unpack(payload.data(), known.data(), length, MPI_INT64_T);
  std::transform(known.begin(), known.end() - 1, other.members.begin(),
                 [](std::int64_t value) { return static_cast<int>(value); });
  other.number = static_cast<std::uint64_t>(known.back());
}

/// The leaders of two groups, the one of lower rank in the world first, so that both say the same.
class GroupOfLeaders {
 public:
  GroupOfLeaders(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader) {
    const Rank own = world_ranks(local).at(static_cast<std::size_t>(local_leader));
    const Rank other = world_ranks(remote).at(static_cast<std::size_t>(remote_leader));
    const std::array both{static_cast<int>(std::min(own, other)), static_cast<int>(std::max(own, other))};
    remote_rank_ = own < other ? 1 : 0;
    MPI_Group world = MPI_GROUP_NULL;
    real().MPI_Comm_group(MPI_COMM_WORLD, &world);
    real().MPI_Group_incl(world, 2, both.data(), &group_);
    real().MPI_Group_free(&world);
  }
  ~GroupOfLeaders() { real().MPI_Group_free(&group_); }
  GroupOfLeaders(const GroupOfLeaders&) = delete;
  GroupOfLeaders& operator=(const GroupOfLeaders&) = delete;
  MPI_Group handle() const { return group_; }
  int remote_rank() const { return remote_rank_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
  int remote_rank_ = 0;
};

int forget(Call call, decltype(&MPI_Comm_free) real_call, MPI_Comm* handle) {
  const auto comm = handle == nullptr ? nullptr : communicator(*handle, name_of(call));
  if (comm == nullptr) return error_of_mpich(real_call, handle);
  const Visit visit(me().live);
  Operation nothing = plain_operation(OperationKind::nothing, call);
  me().live.post(nothing);
  const int result = real_call(handle);
  if (result == MPI_SUCCESS) me().communicators.remove(comm->handle());
  return result;
}

}  // namespace

int Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return create(Call::MPI_Comm_dup, comm, made, [&] { return real().MPI_Comm_dup(comm, made); });
}

int Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return create(Call::MPI_Comm_dup_with_info, comm, made,
                [&] { return real().MPI_Comm_dup_with_info(comm, info, made); });
}

int Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return create(Call::MPI_Comm_split, comm, made,
                [&] { return real().MPI_Comm_split(comm, color, key, made); });
}

// Who shares memory is for the platform to say, not for this machine.
int Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* made) {
  if (split_type == MPI_COMM_TYPE_SHARED) {
    RankChannel& channel = me().live.channel();
    const int host = static_cast<int>(channel.host_of(channel.rank()));
    return create(Call::MPI_Comm_split_type, comm, made, [&] {
      const int result = real().MPI_Comm_split(comm, host, key, made);
      if (result != MPI_SUCCESS || info == MPI_INFO_NULL || *made == MPI_COMM_NULL) return result;
      return real().MPI_Comm_set_info(*made, info);
    });
  }
  return create(Call::MPI_Comm_split_type, comm, made,
                [&] { return real().MPI_Comm_split_type(comm, split_type, key, info, made); });
}

int Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return create(Call::MPI_Comm_create, comm, made, [&] { return real().MPI_Comm_create(comm, group, made); });
}

int Comm_create_group(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm* made) {
  constexpr Call call = Call::MPI_Comm_create_group;
  const auto comm = communicator(parent, name_of(call));
  if (comm == nullptr || group == MPI_GROUP_NULL)
    return error_of_mpich(real().MPI_Comm_create_group, parent, group, tag, made);
  if (group == MPI_GROUP_EMPTY) return real().MPI_Comm_create_group(parent, group, tag, made);
  const Visit visit(me().live);
  // Threads may make communicators of the same group at once, apart by their tags.
  const Meeting meeting =
      announce(call, CallPart::first, *comm, world_ranks(group), static_cast<std::uint64_t>(tag));
  enter_together(call, meeting.is_new ? CallPart::middle : CallPart::first, meeting.context);
  return finish(call, real().MPI_Comm_create_group(parent, group, tag, made), meeting.context, made,
                comm.get());
}

int Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler,
                           MPI_Comm* made) {
  constexpr Call call = Call::MPI_Comm_create_from_group;
  note_error_handler(handler);
  const auto make = [&] { return real().MPI_Comm_create_from_group(group, tag, info, handler, made); };
  int rank = MPI_UNDEFINED;
  if (group != MPI_GROUP_NULL) real().MPI_Group_rank(group, &rank);
  if (rank == MPI_UNDEFINED) return make();
  const Visit visit(me().live);
  const Meeting meeting = announce(call, CallPart::first, me().communicators.world(), world_ranks(group),
                                   std::hash<std::string_view>()(tag));
  enter_together(call, meeting.is_new ? CallPart::middle : CallPart::first, meeting.context);
  return finish(call, make(), meeting.context, made, nullptr);
}

// Made of other calls, as MPICH makes it: a communicator of this group, one of the two leaders, and the
// intercommunicator that these two are enough for.
int Intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
                                 const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* made) {
  MPI_Comm own = MPI_COMM_NULL, leaders = MPI_COMM_NULL;
  int error = Comm_create_from_group(local, tag, info, handler, &own);
  if (error != MPI_SUCCESS) return error;
  int rank = 0, other = 0;
  real().MPI_Comm_rank(own, &rank);
  if (rank == local_leader) {
    const GroupOfLeaders both(local, local_leader, remote, remote_leader);
    other = both.remote_rank();
    error = Comm_create_from_group(both.handle(), (std::string(tag) + " of leaders").c_str(), info, handler,
                                   &leaders);
  }
  if (error == MPI_SUCCESS) error = Intercomm_create(own, local_leader, leaders, other, 0, made);
  if (leaders != MPI_COMM_NULL) Comm_free(&leaders);
  Comm_free(&own);
  if (error == MPI_SUCCESS) real().MPI_Comm_set_errhandler(*made, handler);
  return error;
}

int Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peers, int remote_leader, int tag,
                     MPI_Comm* made) {
  constexpr Call call = Call::MPI_Intercomm_create;
  const auto make = [&] {
    return real().MPI_Intercomm_create(local, local_leader, peers, remote_leader, tag, made);
  };
  const auto comm = communicator(local, name_of(call));
  if (comm == nullptr || comm->is_inter() || !is_member(*comm, local_leader)) return error_of_mpich(make);
  const auto bridge = comm->me() == local_leader ? communicator(peers, name_of(call)) : nullptr;
  if (comm->me() == local_leader && (bridge == nullptr || !is_member(*bridge, remote_leader)))
    return error_of_mpich(make);
  const Visit visit(me().live);
  Operation begin = plain_operation(OperationKind::nothing, call, CallPart::first);
  me().live.post(begin);
  OtherGroup other{empty_list()};
  try {
    if (bridge != nullptr) other = swap_groups(call, *comm, *bridge, remote_leader, tag);
    learn_from_leader(call, *comm, local_leader, other);
  } catch (const ReturnedWithin& returned) {
    end_call(call);
    return raise_returned(*comm, call, returned.outcome);
  }
  const std::vector<Rank> remote = members_of(other.members);
  std::vector<Rank> both = comm->members();
  const bool is_first = both.front() < remote.front();
  both.insert(is_first ? both.end() : both.begin(), remote.begin(), remote.end());
  const Meeting meeting = announce(call, CallPart::middle, me().communicators.world(), both, other.number);
  enter_together(call, CallPart::middle, meeting.context);
  return finish(call, make(), meeting.context, made, comm.get());
}

int Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* made) {
  return create(Call::MPI_Intercomm_merge, comm, made,
                [&] { return real().MPI_Intercomm_merge(comm, high, made); });
}

int Cart_create(MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int reorder,
                MPI_Comm* made) {
  return create(Call::MPI_Cart_create, comm, made,
                [&] { return real().MPI_Cart_create(comm, dimensions, sizes, periods, reorder, made); });
}

int Cart_sub(MPI_Comm comm, const int* remains, MPI_Comm* made) {
  return create(Call::MPI_Cart_sub, comm, made, [&] { return real().MPI_Cart_sub(comm, remains, made); });
}

int Graph_create(MPI_Comm comm, int nodes, const int* index, const int* edges, int reorder, MPI_Comm* made) {
  return create(Call::MPI_Graph_create, comm, made,
                [&] { return real().MPI_Graph_create(comm, nodes, index, edges, reorder, made); });
}

int Dist_graph_create(MPI_Comm comm, int n, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, MPI_Info info, int reorder, MPI_Comm* made) {
  return create(Call::MPI_Dist_graph_create, comm, made, [&] {
    return real().MPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder,
                                        made);
  });
}

int Dist_graph_create_adjacent(MPI_Comm comm, int in_degree, const int* sources, const int* source_weights,
                               int out_degree, const int* destinations, const int* destination_weights,
                               MPI_Info info, int reorder, MPI_Comm* made) {
  return create(Call::MPI_Dist_graph_create_adjacent, comm, made, [&] {
    return real().MPI_Dist_graph_create_adjacent(comm, in_degree, sources, source_weights, out_degree,
                                                 destinations, destination_weights, info, reorder, made);
  });
}

/// The rank takes no time; reports use the name.
int Comm_set_name(MPI_Comm handle, const char* name) {
  const int result = real().MPI_Comm_set_name(handle, name);
  const auto comm = me().communicators.find(handle);
  if (result == MPI_SUCCESS && comm != nullptr && comm->context() != world_context) {
    const Visit visit(me().live);
    me().live.channel().name(comm->context(), name);
  }
  return result;
}

int Comm_free(MPI_Comm* comm) {
  return forget(Call::MPI_Comm_free, real().MPI_Comm_free, comm);
}

int Comm_disconnect(MPI_Comm* comm) {
  return forget(Call::MPI_Comm_disconnect, real().MPI_Comm_disconnect, comm);
}

}  // namespace morgana::mpi::emulated
