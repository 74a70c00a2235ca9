// An error that the program leaves to MPI's default handler (MPI_ERRORS_ARE_FATAL) ends all ranks at once.
// Before MPICH calls an error handler the rank announces its end, and takes that back if the handler returns.

#include "pvmshim/mpi/uncaught_errors.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/symbols.h"

namespace morgana::mpi {
namespace {

/// "Invalid rank"
std::string words_for(int code) {
  int error_class = MPI_ERR_UNKNOWN, length = 0;
  char words[MPI_MAX_ERROR_STRING] = "";
  real().MPI_Error_class(code, &error_class);
  real().MPI_Error_string(error_class, words, &length);
  return {words, static_cast<std::size_t>(length)};
}

/// "MPI_Send: Invalid rank". (Inside of MPICH it is internal_Send, or internal_Send_c for large counts.)
std::string describe(const char* function, int code) {
  constexpr std::string_view inside = "internal_", large = "_c";
  std::string_view name(function == nullptr ? "" : function);
  std::string described = "MPI";
  if (name.starts_with(inside)) {
    name.remove_prefix(inside.size());
    if (name.ends_with(large)) name.remove_suffix(large.size());
    described.append("_").append(name);
  }
  return described.append(": ").append(words_for(code));
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
    announce_end(std::getenv(CaptureLogWriter::folder_variable), Rank{world_rank()}, end);
}

void take_back() {
  if (mode() == Mode::emulate)
    emulated::me().live.channel().take_back_announcement();
  else
    take_back_announced_end(std::getenv(CaptureLogWriter::folder_variable), Rank{world_rank()});
}

}  // namespace

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
#define MORGANA_ERROR_RETURN(name)                                                                           \
  extern "C" __attribute__((visibility("default"))) int name(void* object, const char* function, int code) { \
    using Function = int (*)(void*, const char*, int);                                                       \
    static const auto mpichs = reinterpret_cast<Function>(morgana::mpi::mpichs_function(#name));             \
    const morgana::mpi::AnnouncedError announced(code, function);                                            \
    return mpichs(object, function, code);                                                                   \
  }
MORGANA_ERROR_RETURN(MPIR_Err_return_comm)
MORGANA_ERROR_RETURN(MPIR_Err_return_win)
#undef MORGANA_ERROR_RETURN
