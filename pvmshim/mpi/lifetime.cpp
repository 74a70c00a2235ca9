#include "pvmshim/mpi/lifetime.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "emulator/core/error.h"
#include "pvmshim/clock/live_rank.h"
#include "pvmshim/mpi/children.h"
#include "pvmshim/mpi/loaded_mpis.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/self_attributes.h"
#include "pvmshim/mpi/uncaught_errors.h"

namespace morgana::mpi {
namespace {

enum class World { untouched, initialised, finalised };
World world = World::untouched;
int sessions = 0;  // open ones
bool rank_has_ended = false;
int level_given = MPI_THREAD_SERIALIZED;  // to the first of them

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
  return real().MPI_Init(argc, argv);
}

int init_mpich(int* argc, char*** argv, int level, int* provided) {
  const PlainMachine while_it_starts;
  return real().MPI_Init_thread(argc, argv, level, provided);
}

bool nothing_has_begun() {
  return world == World::untouched && sessions == 0;
}

void begin_or_note(const RankEvents& rank, Call call, bool first) {
  (first ? rank.start : rank.note)(call);
  if (first) keep_run_from_children();
  if (first && mode() == Mode::emulate && level_given == MPI_THREAD_MULTIPLE)
    LiveRank::active()->let_threads_call();
}

/// @param others_go_on  sessions, or the world
int end_if_it_was_the_last(const RankEvents& rank, Call call, bool others_go_on) {
  if (others_go_on) {
    rank.note(call);
    return MPI_SUCCESS;
  }
  rank.end(call);
  rank_has_ended = true;
  set_running(false);
  return real().MPI_Finalize();
}

/// Threads that call at once take turns in an emulated run; a recording has one order of a rank's calls.
int highest_level() {
  return mode() == Mode::emulate ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
}

const char* name_of_level(int level) {
  return level == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED";
}

/// What a session asks for, as MPI names it in its info; SERIALIZED if that is less.
int level_asked_for(MPI_Info info) {
  char name[sizeof "MPI_THREAD_SERIALIZED"] = "";
  int given = 0;
  if (info != MPI_INFO_NULL)
    real().MPI_Info_get(info, "thread_level", static_cast<int>(sizeof name) - 1, name, &given);
  const bool multiple = given != 0 && std::string_view(name) == name_of_level(MPI_THREAD_MULTIPLE);
  return std::min(multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED, highest_level());
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
  const int level = required == nullptr ? 0 : std::min(*required, highest_level());
  const bool first = nothing_has_begun();
  if (first || world != World::untouched) {  // twice is an error, and MPICH's to tell
    const int result = required == nullptr ? init_mpich(argc, argv) : init_mpich(argc, argv, level, provided);
    if (result != MPI_SUCCESS) return result;
    if (required != nullptr) level_given = *provided;
  } else if (required != nullptr) {
    *provided = level_given;
  }
  world = World::initialised;
  begin_or_note(rank, call, first);
  return MPI_SUCCESS;
}

int end_world(const RankEvents& rank) {
  delete_self_attributes();
  const int result = end_if_it_was_the_last(rank, Call::MPI_Finalize, sessions > 0);
  world = World::finalised;  // only now: MPICH calls the functions of the world's attributes before
  return result;
}

int begin_session(const RankEvents& rank, MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  if (rank_has_ended) throw Error("MPI_Session_init after the end of all sessions is not supported");
  note_error_handler(handler);
  const bool first = nothing_has_begun();
  if (first) {
    const int result = init_mpich(nullptr, nullptr, level_asked_for(info), &level_given);
    if (result != MPI_SUCCESS) return result;
  }
  const int result = real().MPI_Session_init(info, handler, session);
  if (result != MPI_SUCCESS) return result;
  ++sessions;
  begin_or_note(rank, Call::MPI_Session_init, first);
  return MPI_SUCCESS;
}

// MPICH names the level that it was built for; a session gets what the first beginning got.
int get_session_info(MPI_Session session, MPI_Info* info) {
  const int result = real().MPI_Session_get_info(session, info);
  return result == MPI_SUCCESS ? real().MPI_Info_set(*info, "thread_level", name_of_level(level_given))
                               : result;
}

int end_session(const RankEvents& rank, MPI_Session* session) {
  const int result = real().MPI_Session_finalize(session);
  if (result != MPI_SUCCESS) return result;
  --sessions;
  return end_if_it_was_the_last(rank, Call::MPI_Session_finalize,
                                world == World::initialised || sessions > 0);
}

bool threads_may_call() {
  return level_given == MPI_THREAD_MULTIPLE;
}

bool world_was_initialised() {
  return world != World::untouched;
}

bool world_was_finalised() {
  return world == World::finalised;
}

}  // namespace morgana::mpi
