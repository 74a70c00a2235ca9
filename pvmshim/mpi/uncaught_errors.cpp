// An error that the program leaves to MPI's default handler (MPI_ERRORS_ARE_FATAL) ends all ranks at once.
// Before MPICH calls an error handler the rank announces its end, and takes that back if the handler returns.
// Where the handler would end the run, the rank ends itself, so that the sentence of Morgana, which says the
// same of it, does not stand below MPICH's stack of functions.

#include "pvmshim/mpi/uncaught_errors.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/lifetime.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/mpich_version.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/symbols.h"
#include "pvmshim/mpi/told.h"

namespace morgana::mpi {
namespace {

std::string string_of(int code) {
  int length = 0;
  char words[MPI_MAX_ERROR_STRING] = "";
  real().MPI_Error_string(code, words, &length);
  return {words, static_cast<std::size_t>(length)};
}

int class_of(int code) {
  int error_class = MPI_ERR_UNKNOWN;
  real().MPI_Error_class(code, &error_class);
  return error_class;
}

/// What MPICH's stack of an error says in its last line, where it happened: of "internal_Send(78).: Invalid
/// tag, value is -7" what stands behind the colon. Empty if there is no stack.
std::string innermost(const std::string& stack) {
  const std::size_t line = stack.rfind('\n');
  if (line == std::string::npos) return {};
  const std::size_t colon = stack.find(": ", line);
  if (colon == std::string::npos) return {};
  std::string said = stack.substr(colon + 2);
  while (said.ends_with(' ')) said.pop_back();
  return said;
}

/// "Invalid tag, value is -7", or only "Invalid tag" where no more is known.
std::string words_for(int code) {
  const std::string of_class = string_of(class_of(code)), said = innermost(string_of(code));
  if (said.empty() || said.starts_with(of_class)) return said.empty() ? of_class : said;
  return of_class + ": " + said;
}

/// Of the call that MPICH carries out; null if nothing more is known of it.
const ErrorDetail* detail_of_call = nullptr;

/// "Message truncated: " and how. ("See the MPI_ERROR field in MPI_Status" says less than what is known of
/// it.)
std::string words_and_detail(int code) {
  const int error_class = class_of(code);
  const bool of_list = error_class == MPI_ERR_IN_STATUS;
  if (detail_of_call == nullptr || !(of_list || error_class == MPI_ERR_TRUNCATE)) return words_for(code);
  const std::string why = detail_of_call->why(of_list);
  if (why.empty()) return words_for(code);
  return of_list ? why : string_of(error_class) + ": " + why;
}

/// The call in which MPICH's function finds an error: MPI_Send of internal_Send, and of internal_Send_c for
/// large counts; MPI_Win_set_attr of MPII_Win_set_attr, which its Fortran calls share. "MPI" of others.
std::string call_of(std::string_view function) {
  constexpr std::string_view large = "_c";
  for (const std::string_view inside : {"internal_", "MPII_", "PMPI_", "MPI_"}) {
    if (!function.starts_with(inside)) continue;
    function.remove_prefix(inside.size());
    if (function.ends_with(large)) function.remove_suffix(large.size());
    return "MPI_" + std::string(function);
  }
  return "MPI";
}

/// "MPI_Send: Invalid tag, value is -7".
std::string describe(const char* function, int code) {
  return call_of(function == nullptr ? "" : function).append(": ").append(words_and_detail(code));
}

int world_rank() {
  int rank = 0;
  real().MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void announce(const AnnouncedEnd& end) {
  if (mode() == Mode::emulate)
    emulated::me().live.channel().announce(end);
  else
    announce_end(told(CaptureLogWriter::folder_variable), Rank{world_rank()}, end);
}

void take_back() {
  if (mode() == Mode::emulate)
    emulated::me().live.channel().take_back_announcement();
  else
    take_back_announced_end(told(CaptureLogWriter::folder_variable), Rank{world_rank()});
}

bool is_fatal(MPI_Errhandler handler) {
  const bool fatal = handler == MPI_ERRORS_ARE_FATAL;
  real().MPI_Errhandler_free(&handler);
  return fatal;
}
bool is_fatal_on(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  return real().MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS && is_fatal(handler);
}
bool is_fatal_on_window(MPI_Win window) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  return real().MPI_Win_get_errhandler(window, &handler) == MPI_SUCCESS && is_fatal(handler);
}

/// Whether MPICH ends the run by an error of an object that has no handler. Until 4.0 it asks
/// MPI_COMM_WORLD's; later MPI_COMM_SELF's, and MPI_COMM_WORLD's where the program has set none there either.
/// (One that is set and one that is missing look alike: where they may differ, MPICH decides.)
bool is_fatal_in_general() {
  if (mpichs_version() >= MpichVersion{4, 1} && !is_fatal_on(MPI_COMM_SELF)) return false;
  return is_fatal_on(MPI_COMM_WORLD);
}

/// All of MPICH's objects begin with the handle that the program knows.
int handle_of(const void* object) {
  return *static_cast<const int*>(object);
}

/// Calls a function of the program's libraries for an object of them, or for none, if they have both.
void call_for(const char* function, const char* object) {
  void* const of = object == nullptr ? nullptr : dlsym(RTLD_DEFAULT, object);
  if (object != nullptr && of == nullptr) return;
  if (void* const found = dlsym(RTLD_DEFAULT, function)) reinterpret_cast<void* (*)(void*)>(found)(of);
}

/// What the program has written and still holds back: of C, of the standard streams of C++, which are those
/// of the program's libstdc++ and not of the shim's own, and of all Fortran units. Files of C++
/// (std::ofstream) are not known.
void write_out() {
  for (const char* const stream : {"_ZSt4cout", "_ZSt4clog"}) call_for("_ZNSo5flushEv", stream);
  call_for("_ZNSt13basic_ostreamIwSt11char_traitsIwEE5flushEv", "_ZSt5wcout");
  call_for("_gfortran_flush_i4", nullptr);
  fcloseall();
}

/// As MPICH does: what the rank has printed is written out. Its announced end ends all others. Beside other
/// threads of the program, which may be anywhere in MPICH and below it, nothing is cleaned up (MPICH 4.2
/// crashes there).
[[noreturn]] void end_by(int code) {
  const int status = (code & 0xff) == 0 ? EXIT_FAILURE : code;
  if (!threads_may_call()) std::exit(status);
  write_out();
  _exit(status);
}

/// @param own_is_fatal  what MPICH says of the object's own handler. It says so of an object for which the
///   program has set none, too, and then asks the general one.
void end_if_fatal(bool own_is_fatal, int code) {
  if (code != MPI_SUCCESS && running() && own_is_fatal && is_fatal_in_general()) end_by(code);
}

/// Whether the program may have given some object a handler that does not end the run.
std::atomic<bool> may_be_caught = false;
/// How many ErrorsReturn there are.
thread_local int returning = 0;

// MPICH calls these with its lock held, if several threads may call: asking it for a handler would take that
// again. Then the rank ends itself if no handler but MPI_ERRORS_ARE_FATAL has been set; else MPICH
// decides, and the sentence stands below its stack of functions.

/// @param own  a communicator of the shim's returned this error
void end_unless_it_may_be_caught(int code, bool own) {
  if (code != MPI_SUCCESS && running() && !may_be_caught && returning == 0 && !own) end_by(code);
}

/// Errors that the shim asks MPICH for come on this one.
bool is_scratch(int comm) {
  return mode() == Mode::emulate && running() && comm == emulated::me().scratch;
}

/// @param comm  MPICH's object; null: the error belongs to no communicator
void end_if_fatal_on_comm(const void* comm, int code) {
  if (threads_may_call())
    end_unless_it_may_be_caught(code, comm != nullptr && is_scratch(handle_of(comm)));
  else
    end_if_fatal(comm == nullptr || is_fatal_on(static_cast<MPI_Comm>(handle_of(comm))), code);
}
void end_if_fatal_on_window(const void* window, int code) {
  if (window == nullptr) return;
  if (threads_may_call())
    end_unless_it_may_be_caught(code, false);
  else
    end_if_fatal(is_fatal_on_window(static_cast<MPI_Win>(handle_of(window))), code);
}

/// The error that MPICH is to take for the next one that it finds on this thread; MPI_SUCCESS if none is.
thread_local int error_to_raise = MPI_SUCCESS;

int take_error_to_raise() {
  return std::exchange(error_to_raise, MPI_SUCCESS);
}

/// While it lives, MPICH hands an error of one of its functions on, also from a window without a handler to
/// MPI_COMM_WORLD: that is the same error.
class ErrorHandedOn {
 public:
  ErrorHandedOn(const char* function, int code)
      : around_(std::exchange(innermost_, this)), function_(function), code_(code) {}
  ~ErrorHandedOn() { innermost_ = around_; }
  ErrorHandedOn(const ErrorHandedOn&) = delete;
  ErrorHandedOn& operator=(const ErrorHandedOn&) = delete;

  static bool is(const char* function, int code) {
    return innermost_ != nullptr && innermost_->function_ == function && innermost_->code_ == code;
  }

 private:
  static inline thread_local const ErrorHandedOn* innermost_ = nullptr;

  const ErrorHandedOn* const around_;
  const char* const function_;
  const int code_;
};

/// An error of one of MPICH's functions. @param end_if_nobody_handles_it  called once it is announced
/// @param mpichs  what MPICH does with it
int return_error(void* object, const char* function, int code,
                 void (*end_if_nobody_handles_it)(const void*, int), int (*mpichs)(void*, const char*, int)) {
  if (ErrorHandedOn::is(function, code)) return mpichs(object, function, code);
  if (const int raised = take_error_to_raise();
      raised != MPI_SUCCESS) {  // whoever raises it has announced it
    const ErrorHandedOn handed_on(function, raised);
    return mpichs(object, function, raised);
  }
  const AnnouncedError announced(code, function);
  end_if_nobody_handles_it(object, code);
  const ErrorHandedOn handed_on(function, code);
  return mpichs(object, function, code);
}

}  // namespace

void note_error_handler(MPI_Errhandler handler) {
  if (handler != MPI_ERRORS_ARE_FATAL) may_be_caught = true;
}

ErrorsReturn::ErrorsReturn() {
  ++returning;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    real().MPI_Comm_get_errhandler(asked_[i], &handlers_[i]);
    real().MPI_Comm_set_errhandler(asked_[i], MPI_ERRORS_RETURN);
  }
}

ErrorsReturn::~ErrorsReturn() {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    real().MPI_Comm_set_errhandler(asked_[i], handlers_[i]);
    real().MPI_Errhandler_free(&handlers_[i]);
  }
  --returning;
}

// MPI_Comm_call_errhandler would not do where no handler is set: it ends the run whatever MPI_COMM_WORLD's
// is. There MPICH itself is let find an error, which is taken for this one.

void call_handler_of(MPI_Comm comm, int code) {
  const bool seems_fatal = is_fatal_on(comm);
  end_if_fatal(seems_fatal, code);
  if (!seems_fatal) {
    real().MPI_Comm_call_errhandler(comm, code);
    return;
  }
  error_to_raise = code;
  real().MPI_Comm_rank(comm, nullptr);
}

void call_handler_of_window(MPI_Win window, int code) {
  const bool seems_fatal = is_fatal_on_window(window);
  end_if_fatal(seems_fatal, code);
  if (!seems_fatal) {
    real().MPI_Win_call_errhandler(window, code);
    return;
  }
  error_to_raise = code;
  real().MPI_Win_get_errhandler(window, nullptr);
}

ErrorDetail::ErrorDetail() : around_(detail_of_call) {
  detail_of_call = this;
}

ErrorDetail::~ErrorDetail() {
  detail_of_call = around_;
}

AnnouncedError::AnnouncedError(int code, const char* function)
    : announced_(code != MPI_SUCCESS && running()) {
  if (announced_) announce({code, describe(function, code)});
}

AnnouncedError::AnnouncedError(int code, std::string_view call, std::string_view why)
    : announced_(code != MPI_SUCCESS && running()) {
  if (!announced_) return;
  std::string described(call);
  // "See the MPI_ERROR field in MPI_Status" says less than what is known of it.
  if (code != MPI_ERR_IN_STATUS || why.empty()) described.append(": ").append(words_for(code));
  if (!why.empty()) described.append(": ").append(why);
  announce({code, described});
}

AnnouncedError::~AnnouncedError() {
  if (announced_) take_back();
}

}  // namespace morgana::mpi

// MPICH's functions call these for their errors: with the object whose handler it is and their own name.
#define MORGANA_ERROR_RETURN(name, end_if_nobody_handles_it)                                                 \
  extern "C" __attribute__((visibility("default"))) int name(void* object, const char* function, int code) { \
    using Function = int (*)(void*, const char*, int);                                                       \
    static const auto mpichs = reinterpret_cast<Function>(morgana::mpi::mpichs_function(#name));             \
    return morgana::mpi::return_error(object, function, code, &morgana::mpi::end_if_nobody_handles_it,       \
                                      mpichs);                                                               \
  }
MORGANA_ERROR_RETURN(MPIR_Err_return_comm, end_if_fatal_on_comm)
MORGANA_ERROR_RETURN(MPIR_Err_return_win, end_if_fatal_on_window)
#undef MORGANA_ERROR_RETURN
