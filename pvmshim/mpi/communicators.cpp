#include "pvmshim/mpi/communicators.h"

#include <numeric>

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
  int ranks = 0;
  real().MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  member_of_.assign(static_cast<std::size_t>(ranks), MPI_UNDEFINED);
  for (std::size_t i = 0; i < members_.size(); ++i) member_of_[index(members_[i])] = static_cast<int>(i);
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

const Communicator& CommunicatorTable::add_new(MPI_Comm comm) {
  int me = 0;
  real().MPI_Comm_rank(comm, &me);
  Context context = me == 0 ? choose_context() : Context{};
  real().MPI_Bcast(&context, 1, MPI_UINT64_T, 0, comm);
  auto made = std::make_shared<const Communicator>(comm, context);
  known_[comm] = made;
  last_found_ = made;
  return *made;
}

void CommunicatorTable::remove(MPI_Comm comm) {
  known_.erase(comm);
  last_found_ = world_;
}

}  // namespace morgana::mpi
