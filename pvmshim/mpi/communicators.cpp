#include "pvmshim/mpi/communicators.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {

std::vector<Rank> world_ranks(MPI_Group group) {
  int size = 0;
  real().MPI_Group_size(group, &size);
  std::vector<int> in_group(static_cast<std::size_t>(size));
  std::iota(in_group.begin(), in_group.end(), 0);
  std::vector<int> in_world(in_group.size());
  MPI_Group world = MPI_GROUP_NULL;
  real().MPI_Comm_group(MPI_COMM_WORLD, &world);
  real().MPI_Group_translate_ranks(group, size, in_group.data(), world, in_world.data());
  real().MPI_Group_free(&world);
  std::vector<Rank> ranks;
  ranks.reserve(in_world.size());
  for (const int rank : in_world) ranks.push_back(Rank{rank});
  return ranks;
}

Communicator::Communicator(MPI_Comm comm, Context context) : handle_(comm), context_(context) {
  MPI_Group group = MPI_GROUP_NULL;
  real().MPI_Comm_group(comm, &group);
  members_ = world_ranks(group);
  real().MPI_Group_free(&group);
  real().MPI_Comm_rank(comm, &me_);
  peers_ = static_cast<int>(members_.size());
  int is_inter = 0;
  real().MPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) add_remote_group();
  int ranks = 0;
  real().MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  member_of_.assign(static_cast<std::size_t>(ranks), MPI_UNDEFINED);
  for (int peer = 0; peer < peers_; ++peer) member_of_[index(world_rank(peer))] = peer;
}

// MPICH's low group, which comes first here, is the one whose first member has the lower rank.
void Communicator::add_remote_group() {
  MPI_Group group = MPI_GROUP_NULL;
  real().MPI_Comm_remote_group(handle_, &group);
  const std::vector<Rank> remote = world_ranks(group);
  real().MPI_Group_free(&group);
  const bool in_first = members_.front() < remote.front();
  first_group_ = static_cast<int>(in_first ? members_.size() : remote.size());
  first_peer_ = in_first ? first_group_ : 0;
  peers_ = static_cast<int>(remote.size());
  members_.insert(in_first ? members_.end() : members_.begin(), remote.begin(), remote.end());
}

Communicator Communicator::in_context(Context context) const {
  Communicator other = *this;
  other.context_ = context;
  return other;
}

CommunicatorTable::CommunicatorTable()
    : world_(std::make_shared<Communicator>(MPI_COMM_WORLD, world_context)), last_found_(world_) {
  known_.emplace(MPI_COMM_WORLD, world_);
  known_.emplace(MPI_COMM_SELF, std::make_shared<Communicator>(MPI_COMM_SELF, choose_context()));
}

const std::shared_ptr<const Communicator>& CommunicatorTable::find(MPI_Comm comm) {
  if (last_found_->handle() == comm) return last_found_;
  const auto found = known_.find(comm);
  if (found == known_.end()) return nothing_;
  return last_found_ = found->second;
}

Context CommunicatorTable::choose_context() {
  const auto chooser = static_cast<std::uint64_t>(world_->me()) + 1;
  return Context{chooser << 32 | ++chosen_};
}

const Communicator* CommunicatorTable::add_made(Context parent, MPI_Comm made) {
  const std::uint64_t number = ++derived_[parent];
  if (made == MPI_COMM_NULL) return nullptr;
  auto added = std::make_shared<Communicator>(made, Context{});
  added->set_context(derived_context(Derived::communicator, parent, added->members(), number));
  last_found_ = known_[made] = std::move(added);
  return last_found_.get();
}

const Communicator& CommunicatorTable::add_known(MPI_Comm comm, Context context) {
  last_found_ = known_[comm] = std::make_shared<Communicator>(comm, context);
  return *last_found_;
}

Context CommunicatorTable::next_derived(Derived purpose, const Communicator& comm) {
  return derived_context(purpose, comm.context(), comm.members(), ++derived_[comm.context()]);
}

Communicator CommunicatorTable::for_partitioned(const Communicator& comm, bool is_send, int peer, int tag) {
  const std::uint64_t before = partitioned_[{comm.context(), is_send, peer, tag}]++;
  return comm.in_context(before == 0
                             ? for_partitioned_messages(comm.context())
                             : derived_context(Derived::partitioned, comm.context(), comm.members(), before));
}

void CommunicatorTable::remove(MPI_Comm comm) {
  known_.erase(comm);
  last_found_ = world_;
}

}  // namespace morgana::mpi
