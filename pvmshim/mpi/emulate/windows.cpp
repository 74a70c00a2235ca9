// Making windows and giving them back.

#include "pvmshim/mpi/emulate/windows.h"

#include <unistd.h>

#include <cstring>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
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

std::vector<ExposedMemory> exchange(const Communicator& comm, const Made& made) {
  admit_other_ranks();
  const ExposedMemory mine{reinterpret_cast<std::uint64_t>(made.base), made.size, made.unit, getpid(),
                           me().live.rank()};
  std::vector<ExposedMemory> all(static_cast<std::size_t>(comm.size()));
  constexpr int bytes = sizeof mine;
  real().MPI_Allgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm.handle());
  return all;
}

/// @param memory  of all members of a window that MPICH has made
const Communicator& add(const Communicator& comm, Made made, std::vector<ExposedMemory> memory, MPI_Win win) {
  const Context own = me().communicators.next_derived(Derived::window, comm);
  Window window(win, comm.in_context(own), [] { return me().requests.next_id(); });
  auto added = std::make_shared<EmulatedWindow>(std::move(window), std::move(memory));
  added->is_dynamic = made.is_dynamic;
  added->shared = std::move(made.shared);
  windows()[win] = added;
  return added->window.members();
}

/// @param make  Made(): lets MPICH make its window
template <typename Make>
int create(Call call, bool valid, MPI_Comm parent, MPI_Win* win, const Make& make) {
  const auto comm = communicator(parent, name_of(call));
  if (comm == nullptr || comm->is_inter() || !valid) return make().result;
  const Visit visit(me().live);
  enter_together(call, CallPart::first, comm->context());
  Made made = make();
  const int result = made.result;
  std::vector<ExposedMemory> memory;
  if (result == MPI_SUCCESS) memory = exchange(*comm, made);  // as long as all members are in MPICH
  const Outcome outcome = leave_together();
  const Communicator* members =
      result == MPI_SUCCESS ? &add(*comm, std::move(made), std::move(memory), *win) : nullptr;
  Operation last = members != nullptr ? context_operation(call, CallPart::last, *members)
                                      : plain_operation(OperationKind::nothing, call, CallPart::last);
  me().live.post(last);
  if (result != MPI_SUCCESS || outcome == Outcome::delivered) return result;
  return raise_returned(*comm, call, outcome);
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

template <typename RealQuery, typename Unit>
int shared_query(RealQuery real_query, MPI_Win win, int rank, MPI_Aint* size, Unit* unit, void* base) {
  const auto window = find_window(win);
  const bool valid = window != nullptr && window->shared != nullptr &&
                     (rank == MPI_PROC_NULL || (rank >= 0 && rank < window->size()));
  if (!valid) return real_query(win, rank, size, unit, base);
  const std::size_t member = queried_member(*window, rank);
  *size = window->memory[member].size;
  *unit = static_cast<Unit>(window->memory[member].unit);
  *static_cast<void**>(base) = window->shared->part(member);
  return MPI_SUCCESS;
}

/// @param announced  as long as the handler runs
int hand_to_handler(const EmulatedWindow& window, int error, const AnnouncedError& /*announced*/) {
  end_if_window_fatal(window.window.handle(), error);
  real().MPI_Win_call_errhandler(window.window.handle(), error);
  return error;
}

}  // namespace

EmulatedWindow::EmulatedWindow(Window as_operations, std::vector<ExposedMemory> of_members)
    : window(std::move(as_operations)), epochs(of_members.size()), memory(std::move(of_members)) {}

std::shared_ptr<EmulatedWindow> find_window(MPI_Win win) {
  const auto found = windows().find(win);
  return found == windows().end() ? nullptr : found->second;
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

int raise(const EmulatedWindow& window, int error) {
  return hand_to_handler(window, error, AnnouncedError(error));
}

int Win_create(void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create(Call::MPI_Win_create, is_memory(size, unit), comm, win, [=] {
    return Made{real().MPI_Win_create_c(base, size, unit, info, comm, win), base, size, unit};
  });
}

int Win_allocate(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  return create(Call::MPI_Win_allocate, is_memory(size, unit), comm, win, [=] {
    const int result = real().MPI_Win_allocate_c(size, unit, info, comm, base, win);
    return Made{result, *static_cast<void**>(base), size, unit};
  });
}

// MPICH would share memory with nobody: it takes every rank to be alone on its host (MPIR_CVAR_NOLOCAL).
int Win_allocate_shared(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
                        MPI_Win* win) {
  constexpr Call call = Call::MPI_Win_allocate_shared;
  if (!is_memory(size, unit)) return real().MPI_Win_allocate_shared_c(size, unit, info, comm, base, win);
  const auto members = communicator(comm, name_of(call));
  if (members == nullptr || members->is_inter())
    return real().MPI_Win_allocate_shared_c(size, unit, info, comm, base, win);
  RankChannel& channel = me().live.channel();
  for (const Rank member : members->members())
    if (channel.host_of(member) != channel.host_of(channel.rank()))
      return raise(*members, MPI_ERR_RMA_SHARED);
  return create(call, true, comm, win, [=] {
    auto shared = std::make_unique<SharedMemory>(comm, size, is_hinted(info, "alloc_shared_noncontig"));
    int rank = 0;
    real().MPI_Comm_rank(comm, &rank);
    void* mine = shared->part(static_cast<std::size_t>(rank));
    *static_cast<void**>(base) = mine;
    const int result = real().MPI_Win_create_c(mine, size, unit, info, comm, win);
    return Made{result, mine, size, unit, false, std::move(shared)};
  });
}

int Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create(Call::MPI_Win_create_dynamic, true, comm, win, [=] {
    return Made{real().MPI_Win_create_dynamic(info, comm, win), nullptr, 0, 1, true};
  });
}

int Win_free(MPI_Win* win) {
  constexpr Call call = Call::MPI_Win_free;
  const auto window = find_window(*win);
  if (window == nullptr) return real().MPI_Win_free(win);
  if (!window->epochs.may_free()) return raise(*window, MPI_ERR_RMA_SYNC);
  const Visit visit(me().live);
  WindowSteps steps = window->window.meet(call);
  number_parts(call, steps);
  windows().erase(*win);
  for (WindowStep& step : steps) {
    step.operation.wants_answer = step.is_awaited;
    me().live.post(step.operation);
  }
  const int result = real().MPI_Win_free(win);
  me().live.await();
  return result;
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

}  // namespace morgana::mpi::emulated
