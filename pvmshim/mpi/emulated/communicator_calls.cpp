// The calls that make communicators. MPICH makes them, through its own progress: they are rare. In simulated
// time no member leaves before all have entered.

#include <algorithm>
#include <set>

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulated/arguments.h"
#include "pvmshim/mpi/emulated/creation.h"
#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/emulated/payloads.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

int finish(Call call, int result, const MPI_Comm* made) {
  const bool is_member = result == MPI_SUCCESS && *made != MPI_COMM_NULL;
  const Communicator* created = is_member ? &me().communicators.add_new(*made) : nullptr;
  me().live.await();
  Operation last = created != nullptr ? context_operation(call, CallPart::last, *created)
                                      : plain_operation(OperationKind::nothing, call, CallPart::last);
  me().live.post(last);
  return result;
}

template <typename Make>
int create(Call call, MPI_Comm parent, MPI_Comm* made, const Make& make) {
  const auto comm = communicator(parent, name_of(call));
  if (comm == nullptr) return make();
  const Visit visit(me().live);
  enter_creation(call, CallPart::first, comm->context());
  return finish(call, make(), made);
}

/// A context for the members of a group to meet in before they have a communicator: its number follows from
/// who they are, so nobody needs to be asked. A high bit sets it apart from chosen ones.
Context meeting_context(const Communicator& parent, const std::vector<Rank>& members) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&hash](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (value >> (8 * byte) & 0xff)) * prime;
  };
  add(static_cast<std::uint64_t>(parent.context()));
  for (const Rank member : members) add(static_cast<std::uint64_t>(member));
  return Context{hash >> 2 | std::uint64_t{1} << 62};
}

struct Meeting {
  Context context;
  bool is_new;
};

/// Where the members of a group meet that has no other context yet.
Meeting announce(Call call, CallPart part, const Communicator& parent, const std::vector<Rank>& members) {
  static std::set<Context> announced;
  Operation meeting = plain_operation(OperationKind::context_created, call, part);
  meeting.members = members;
  meeting.context = meeting_context(parent, members);
  const bool is_new = announced.insert(meeting.context).second;
  if (is_new) me().live.post(meeting);
  return {meeting.context, is_new};
}

/// A group as a message: how many are in it, and who.
using GroupList = std::vector<int>;

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

/// Takes part in a collective within another call, and waits for it.
Completed ask_within(Call call, Context context, CollectivePart part, std::uint64_t payload) {
  Operation start = plain_operation(OperationKind::collective, call, CallPart::middle);
  start.context = context;
  start.collective = std::move(part);
  start.request = me().requests.next_id();
  start.payload = payload;
  me().live.post(start);
  Operation wait =
      completion_operation(OperationKind::wait, call, CallPart::middle, Completion::all, {&start.request, 1});
  return me().live.ask(wait).completed.at(0);
}

/// The leaders of two groups tell each other who is in them, where no other messages are.
GroupList swap_groups(Call call, const Communicator& own, Rank remote_leader) {
  const Rank self = own.world_rank(own.me());
  const std::vector<Rank> leaders{std::min(self, remote_leader), std::max(self, remote_leader)};
  const Meeting meeting = announce(call, CallPart::middle, me().communicators.world(), leaders);
  const GroupList mine = list_of(own.members());
  GroupList other = empty_list();
  const int length = static_cast<int>(mine.size());
  const Bytes bytes = packed_size(length, MPI_INT);
  const Completed swapped = ask_within(call, meeting.context, plain_part(CollectiveKind::allgather, bytes),
                                       deposit(mine.data(), length, MPI_INT, bytes, 1));
  const Payload payload(swapped.deposits.at(self == leaders.front() ? 1 : 0));
  unpack(payload.data(), other.data(), length, MPI_INT);
  return other;
}

/// The members of a group learn from their leader what it knows.
void learn_from_leader(Call call, const Communicator& group, int leader, GroupList& list) {
  if (group.size() == 1) return;
  const int length = static_cast<int>(list.size());
  const Bytes bytes = packed_size(length, MPI_INT);
  const auto readers = static_cast<std::uint32_t>(group.size() - 1);
  const bool leads = group.me() == leader;
  const std::uint64_t given = leads ? deposit(list.data(), length, MPI_INT, bytes, readers) : 0;
  const Completed learnt =
      ask_within(call, group.context(), plain_part(CollectiveKind::broadcast, bytes, leader), given);
  if (leads) return;
  const Payload payload(learnt.deposits.at(static_cast<std::size_t>(leader)));
  unpack(payload.data(), list.data(), length, MPI_INT);
}

int forget(Call call, decltype(&MPI_Comm_free) real_call, MPI_Comm* handle) {
  const auto comm = communicator(*handle, name_of(call));
  if (comm == nullptr) return real_call(handle);
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
    return create(Call::MPI_Comm_split_type, comm, made,
                  [&] { return real().MPI_Comm_split(comm, host, key, made); });
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
  if (comm == nullptr || group == MPI_GROUP_NULL || group == MPI_GROUP_EMPTY)
    return real().MPI_Comm_create_group(parent, group, tag, made);
  const Visit visit(me().live);
  const Meeting meeting = announce(call, CallPart::first, *comm, world_ranks(group));
  enter_creation(call, meeting.is_new ? CallPart::middle : CallPart::first, meeting.context);
  return finish(call, real().MPI_Comm_create_group(parent, group, tag, made), made);
}

int Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peers, int remote_leader, int tag,
                     MPI_Comm* made) {
  constexpr Call call = Call::MPI_Intercomm_create;
  const auto make = [&] {
    return real().MPI_Intercomm_create(local, local_leader, peers, remote_leader, tag, made);
  };
  const auto comm = communicator(local, name_of(call));
  if (comm == nullptr || comm->is_inter() || !is_member(*comm, local_leader)) return make();
  const auto bridge = comm->me() == local_leader ? communicator(peers, name_of(call)) : nullptr;
  if (comm->me() == local_leader && (bridge == nullptr || !is_member(*bridge, remote_leader))) return make();
  const Visit visit(me().live);
  Operation begin = plain_operation(OperationKind::nothing, call, CallPart::first);
  me().live.post(begin);
  GroupList other =
      bridge != nullptr ? swap_groups(call, *comm, bridge->world_rank(remote_leader)) : empty_list();
  learn_from_leader(call, *comm, local_leader, other);
  const std::vector<Rank> remote = members_of(other);
  std::vector<Rank> both = comm->members();
  const bool is_first = both.front() < remote.front();
  both.insert(is_first ? both.end() : both.begin(), remote.begin(), remote.end());
  enter_creation(call, CallPart::middle,
                 announce(call, CallPart::middle, me().communicators.world(), both).context);
  return finish(call, make(), made);
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

int Comm_free(MPI_Comm* comm) {
  return forget(Call::MPI_Comm_free, real().MPI_Comm_free, comm);
}

int Comm_disconnect(MPI_Comm* comm) {
  return forget(Call::MPI_Comm_disconnect, real().MPI_Comm_disconnect, comm);
}

}  // namespace morgana::mpi::emulated
