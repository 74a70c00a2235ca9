#include "pvmshim/mpi/lifetime.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "emulator/core/error.h"
#include "pvmshim/mpi/emulate/business_cards.h"
#include "pvmshim/mpi/loaded_mpis.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/self_attributes.h"

namespace morgana::mpi {
namespace {

enum class World { untouched, initialised, finalised };
World world = World::untouched;
int sessions = 0;  // open ones
bool rank_has_ended = false;

/// While MPICH begins in an emulated run. It wants to know the machine's parts, and asks each of its devices:
/// a third of what starting a rank costs. The ranks' machine is the model's, so one that has nothing will do.
class PlainMachine {
 public:
  PlainMachine() : is_set_(mode() == Mode::emulate && !says_something()) {
    if (is_set_) setenv(variable, "pu:1", 0);
  }
  ~PlainMachine() {
    if (is_set_) unsetenv(variable);
  }
  PlainMachine(const PlainMachine&) = delete;
  PlainMachine& operator=(const PlainMachine&) = delete;

 private:
  static constexpr const char* variable = "HWLOC_SYNTHETIC";

  static bool says_something() {
    return std::getenv(variable) != nullptr || std::getenv("HWLOC_XMLFILE") != nullptr;
  }

  bool is_set_;
};

int init_mpich(int* argc, char*** argv) {
  const PlainMachine while_it_starts;
  const int result = real().MPI_Init(argc, argv);
  emulated::business_cards_are_read();
  return result;
}

int init_mpich(int* argc, char*** argv, int level, int* provided) {
  const PlainMachine while_it_starts;
  const int result = real().MPI_Init_thread(argc, argv, level, provided);
  emulated::business_cards_are_read();
  return result;
}

bool nothing_has_begun() {
  return world == World::untouched && sessions == 0;
}

int end_if_it_was_the_last(const RankEvents& rank, Call call) {
  if (world == World::initialised || sessions > 0) {
    rank.note(call);
    return MPI_SUCCESS;
  }
  rank.end(call);
  rank_has_ended = true;
  set_running(false);
  return real().MPI_Finalize();
}

void refuse_another_beginning(const char* call) {
  if (rank_has_ended && nothing_has_begun())
    throw Error(std::string(call) + " after the end of all sessions is not supported");
}

}  // namespace

int begin_world(const RankEvents& rank, Call call, int* argc, char*** argv, const int* required,
                int* provided) {
  refuse_another_beginning("MPI_Init");
  // Its handles are not MPICH's, whose functions would not survive them.
  if (const std::string complaint = complaint_about_loaded_mpi(); !complaint.empty()) fail(complaint);
  const int level = required == nullptr ? 0 : std::min(*required, int{MPI_THREAD_SERIALIZED});
  const bool first = nothing_has_begun();
  if (first || world != World::untouched) {  // twice is an error, and MPICH's to tell
    const int result = required == nullptr ? init_mpich(argc, argv) : init_mpich(argc, argv, level, provided);
    if (result != MPI_SUCCESS) return result;
  } else if (required != nullptr) {
    *provided = level;
  }
  world = World::initialised;
  (first ? rank.start : rank.note)(call);
  return MPI_SUCCESS;
}

int end_world(const RankEvents& rank) {
  delete_self_attributes();
  world = World::finalised;
  return end_if_it_was_the_last(rank, Call::MPI_Finalize);
}

int begin_session(const RankEvents& rank, MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  if (rank_has_ended) throw Error("MPI_Session_init after the end of all sessions is not supported");
  const bool first = nothing_has_begun();
  if (first) {
    int provided = MPI_THREAD_SINGLE;
    const int result = init_mpich(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (result != MPI_SUCCESS) return result;
  }
  const int result = real().MPI_Session_init(info, handler, session);
  if (result != MPI_SUCCESS) return result;
  ++sessions;
  (first ? rank.start : rank.note)(Call::MPI_Session_init);
  return MPI_SUCCESS;
}

// MPICH names the level that it was built for; as begin_world, a session gets less.
int get_session_info(MPI_Session session, MPI_Info* info) {
  const int result = real().MPI_Session_get_info(session, info);
  return result == MPI_SUCCESS ? real().MPI_Info_set(*info, "thread_level", "MPI_THREAD_SERIALIZED") : result;
}

int end_session(const RankEvents& rank, MPI_Session* session) {
  const int result = real().MPI_Session_finalize(session);
  if (result != MPI_SUCCESS) return result;
  --sessions;
  return end_if_it_was_the_last(rank, Call::MPI_Session_finalize);
}

bool world_was_initialised() {
  return world != World::untouched;
}

bool world_was_finalised() {
  return world == World::finalised;
}

}  // namespace morgana::mpi
