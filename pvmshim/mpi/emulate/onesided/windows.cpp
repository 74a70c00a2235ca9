// Making windows and giving them back.

#include "pvmshim/mpi/emulate/onesided/windows.h"

#include <unistd.h>

#include <cstring>
#include <string>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/payloads.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/refusal.h"
#include "pvmshim/mpi/translate.h"
#include "pvmshim/mpi/uncaught_errors.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

std::unordered_map<MPI_Win, std::shared_ptr<EmulatedWindow>>& windows() {
  static std::unordered_map<MPI_Win, std::shared_ptr<EmulatedWindow>> known;
  return known;
}

/// What a window is made of on this rank, once MPICH has made its own.
struct Made {
  int result = MPI_SUCCESS;
  void* base = nullptr;
  MPI_Aint size = 0, unit = 1;
  bool is_dynamic = false;
  std::unique_ptr<SharedMemory> shared = nullptr;
};

ExposedMemory shown(const Made& made) {
  admit_other_ranks();
  return {reinterpret_cast<std::uint64_t>(made.base), made.size, made.unit, getpid(), me().live.rank()};
}

constexpr int shown_bytes = sizeof(ExposedMemory);

/// What this rank shows, for the other members to read when all have entered.
std::uint64_t hand_over(const Communicator& comm, const ExposedMemory& mine) {
  return deposit(&mine, shown_bytes, MPI_BYTE, Bytes(shown_bytes),
                 static_cast<std::uint32_t>(comm.size() - 1));
}

std::vector<ExposedMemory> collect(const Communicator& comm, const ExposedMemory& mine,
                                   const Completed& entered) {
  std::vector<ExposedMemory> all(static_cast<std::size_t>(comm.size()));
  for (std::size_t member = 0; member < all.size(); ++member) {
    if (member == static_cast<std::size_t>(comm.me())) {
      all[member] = mine;
    } else if (member < entered.deposits.size() && entered.deposits[member] != 0) {
      const Payload payload(entered.deposits[member]);
      unpack(payload.data(), &all[member], shown_bytes, MPI_BYTE);
    }
  }
  return all;
}

/// @param memory  of all members
const Communicator& add(const Communicator& comm, Made made, std::vector<ExposedMemory> memory, MPI_Win win) {
  const Context own = me().communicators.next_derived(Derived::window, comm);
  Window window(win, comm.in_context(own), [] { return me().requests.next_id(); });
  auto added = std::make_shared<EmulatedWindow>(std::move(window), std::move(memory));
  added->is_dynamic = made.is_dynamic;
  added->shared = std::move(made.shared);
  windows()[win] = added;
  return added->window.members();
}

/// The end of a call that makes a window.
int finish(Call call, const Communicator& comm, const Communicator& members, Outcome outcome) {
  Operation last = context_operation(call, CallPart::last, members);
  me().live.post(last);
  return outcome == Outcome::delivered ? MPI_SUCCESS : raise_returned(comm, call, outcome);
}

/// Nobody shares memory with a process on another machine.
void refuse_between_machines(Call call, const Communicator& members) {
  const RankChannel& channel = me().live.channel();
  for (const Rank member : members.members())
    if (channel.machine_of(member) != channel.machine_of(channel.rank()))
      refuse(name_of(call),
             std::string("on a communicator whose ranks ")
                 .append(std::to_string(static_cast<int>(channel.rank())))
                 .append(" and ")
                 .append(std::to_string(static_cast<int>(member)))
                 .append(" run on different machines (--distribution says which rank runs where)"));
}

/// @param make  Made(MPI_Comm): lets MPICH make its window, on a communicator of this rank alone, or on the
/// program's if it is to complain of the arguments
template <typename Make>
int create(Call call, bool valid, MPI_Comm parent, MPI_Win* win, const Make& make) {
  const auto comm = communicator(parent, name_of(call));
  if (comm == nullptr || comm->is_inter() || !valid)
    return error_of_mpich([&] { return make(parent).result; });
  const Visit visit(me().live);
  Made made = make(me().scratch);
  if (made.result != MPI_SUCCESS) return raise(*comm, made.result, call);
  const ExposedMemory mine = shown(made);
  enter_together(call, CallPart::first, comm->context(), hand_over(*comm, mine));
  const Completed entered = leave_together();
  return finish(call, *comm, add(*comm, std::move(made), collect(*comm, mine, entered), *win),
                entered.outcome);
}

bool is_memory(MPI_Aint size, MPI_Aint unit) {
  return size >= 0 && unit > 0;
}

bool is_hinted(MPI_Info info, const char* key) {
  char value[8] = "";
  int given = 0;
  if (info != MPI_INFO_NULL) real().MPI_Info_get(info, key, sizeof value - 1, value, &given);
  return given != 0 && std::strcmp(value, "true") == 0;
}

/// The member whose part a program asks for: MPI_PROC_NULL is the first with any.
std::size_t queried_member(const EmulatedWindow& window, int rank) {
  if (rank != MPI_PROC_NULL) return static_cast<std::size_t>(rank);
  for (std::size_t member = 0; member < window.memory.size(); ++member)
    if (window.memory[member].size > 0) return member;
  return 0;
}

/// Whether MPICH says where a window's memory is. From 4.2 on it does so of memory that is not shared, too:
/// each rank reaches its own, and nothing of the others'.
bool may_be_queried(const EmulatedWindow& window) {
  return window.shared != nullptr || (!window.is_dynamic && mpichs_version() >= MpichVersion{4, 2});
}

/// What MPICH says of a part that the rank asking does not reach.
constexpr ExposedMemory out_of_reach{0, 0, 0, 0, {}};

template <typename RealQuery, typename Unit>
int shared_query(RealQuery real_query, MPI_Win win, int rank, MPI_Aint* size, Unit* unit, void* base) {
  const auto window = find_window(win);
  const bool is_answered = window != nullptr && may_be_queried(*window) &&
                           (rank == MPI_PROC_NULL || (rank >= 0 && rank < window->size()));
  if (!is_answered) return error_of_mpich(real_query, win, rank_for_mpich(win, rank), size, unit, base);
  if (window->shared == nullptr) {
    const ExposedMemory part =
        rank == window->window.members().me() ? window->memory[static_cast<std::size_t>(rank)] : out_of_reach;
    *size = part.size;
    *unit = static_cast<Unit>(part.unit);
    *static_cast<void**>(base) = reinterpret_cast<void*>(part.base);
    return MPI_SUCCESS;
  }
  const std::size_t member = queried_member(*window, rank);
  *size = window->memory[member].size;
  *unit = static_cast<Unit>(window->memory[member].unit);
  *static_cast<void**>(base) = window->shared->part(member);
  return MPI_SUCCESS;
}

/// @param announced  as long as the handler runs
int hand_to_handler(const EmulatedWindow& window, int error, const AnnouncedError& /*announced*/) {
  call_handler_of_window(window.window.handle(), error);
  return error;
}

}  // namespace

EmulatedWindow::EmulatedWindow(Window as_operations, std::vector<ExposedMemory> of_members)
    : window(std::move(as_operations)), epochs(of_members.size()), memory(std::move(of_members)) {}

std::shared_ptr<EmulatedWindow> find_window(MPI_Win win) {
  const auto found = windows().find(win);
  return found == windows().end() ? nullptr : found->second;
}

int rank_for_mpich(MPI_Win win, int rank) {
  const auto window = find_window(win);
  return window != nullptr && rank >= 0 && rank < window->size() ? 0 : rank;
}

Outcome note_outcome(Window& window, const Completed& completed) {
  const int error = error_of_outcome(completed);
  if (error == MPI_SUCCESS) return Outcome::delivered;
  PendingAccess* const access = window.find_pending(completed.request);
  if (access == nullptr) return completed.outcome;
  access->move = [error] { return error; };
  access->outcome = completed.outcome;
  return access->request == MPI_REQUEST_NULL ? completed.outcome : Outcome::delivered;
}

int raise_returned(const EmulatedWindow& window, Call call, Outcome outcome) {
  return hand_to_handler(window, error_of_returned,
                         AnnouncedError(error_of_returned, name_of(call), describe_returned(outcome)));
}

int raise(const EmulatedWindow& window, int error, Call call) {
  return hand_to_handler(window, error, AnnouncedError(error, name_of(call), ""));
}

int Win_create(void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create(Call::MPI_Win_create, is_memory(size, unit), comm, win, [=](MPI_Comm members) {
    return Made{real().MPI_Win_create_c(base, size, unit, info, members, win), base, size, unit};
  });
}

int Win_allocate(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  return create(Call::MPI_Win_allocate, is_memory(size, unit), comm, win, [=](MPI_Comm members) {
    const int result = real().MPI_Win_allocate_c(size, unit, info, members, base, win);
    return Made{result, result == MPI_SUCCESS ? *static_cast<void**>(base) : nullptr, size, unit};
  });
}

// MPICH would share memory with nobody: it takes every rank to be alone on its host (MPIR_CVAR_NOLOCAL).
int Win_allocate_shared(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
                        MPI_Win* win) {
  constexpr Call call = Call::MPI_Win_allocate_shared;
  const auto members = communicator(comm, name_of(call));
  if (members == nullptr || members->is_inter() || !is_memory(size, unit) || base == nullptr ||
      win == nullptr)
    return error_of_mpich(real().MPI_Win_allocate_shared_c, size, unit, info, comm, base, win);
  RankChannel& channel = me().live.channel();
  for (const Rank member : members->members())
    if (channel.host_of(member) != channel.host_of(channel.rank()))
      return raise(*members, MPI_ERR_RMA_SHARED, call);
  refuse_between_machines(call, *members);
  const Visit visit(me().live);
  // Its members agree on the memory through MPICH: who waits there must have entered.
  enter_together(call, CallPart::first, members->context());
  auto shared = std::make_unique<SharedMemory>(comm, size, is_hinted(info, "alloc_shared_noncontig"));
  void* const part = shared->part(static_cast<std::size_t>(members->me()));
  *static_cast<void**>(base) = part;
  Made made{MPI_SUCCESS, part, size, unit, false, std::move(shared)};
  std::vector<ExposedMemory> memory(members->members().size());
  const ExposedMemory mine = shown(made);
  real().MPI_Allgather(&mine, shown_bytes, MPI_BYTE, memory.data(), shown_bytes, MPI_BYTE, comm);
  made.result = real().MPI_Win_create_c(part, size, unit, info, me().scratch, win);
  const Outcome outcome = leave_together().outcome;
  if (made.result != MPI_SUCCESS) {
    end_call(call);
    return raise(*members, made.result, call);
  }
  return finish(call, *members, add(*members, std::move(made), std::move(memory), *win), outcome);
}

int Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create(Call::MPI_Win_create_dynamic, true, comm, win, [=](MPI_Comm members) {
    return Made{real().MPI_Win_create_dynamic(info, members, win), nullptr, 0, 1, true};
  });
}

int Win_free(MPI_Win* win) {
  constexpr Call call = Call::MPI_Win_free;
  const auto window = win == nullptr ? nullptr : find_window(*win);
  if (window == nullptr) return error_of_mpich(real().MPI_Win_free, win);
  if (!window->epochs.may_free()) return raise(*window, MPI_ERR_RMA_SYNC, call);
  const Visit visit(me().live);
  WindowSteps steps = window->window.meet(call);
  number_parts(call, steps);
  windows().erase(*win);
  for (WindowStep& step : steps) {
    step.operation.wants_answer = step.is_awaited;
    me().live.post(step.operation);
  }
  me().live.await();
  // Only now: others may have reached into memory of MPICH's until they entered, too.
  return real().MPI_Win_free(win);
}

int Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* unit, void* base) {
  return shared_query(real().MPI_Win_shared_query, win, rank, size, unit, base);
}

int Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* unit, void* base) {
  return shared_query(real().MPI_Win_shared_query_c, win, rank, size, unit, base);
}

int Win_get_attr(MPI_Win win, int key, void* value, int* found) {
  const auto window = key == MPI_WIN_CREATE_FLAVOR ? find_window(win) : nullptr;
  if (window == nullptr || window->shared == nullptr) return real().MPI_Win_get_attr(win, key, value, found);
  static int flavour = MPI_WIN_FLAVOR_SHARED;
  *static_cast<int**>(value) = &flavour;
  *found = 1;
  return MPI_SUCCESS;
}

int Win_get_group(MPI_Win win, MPI_Group* group) {
  const auto window = find_window(win);
  if (window == nullptr || group == nullptr) return real().MPI_Win_get_group(win, group);
  std::vector<int> members;
  for (const Rank member : window->window.members().members()) members.push_back(static_cast<int>(member));
  MPI_Group world = MPI_GROUP_NULL;
  real().MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int result = real().MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), group);
  real().MPI_Group_free(&world);
  return result;
}

}  // namespace morgana::mpi::emulated
