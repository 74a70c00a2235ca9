#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

/// Finds a program as a shell would (a path, or a name looked up in PATH).
/// @throws Error if there is none or it can't be executed
std::filesystem::path find_program(const std::string& name);

/// The binary interface for which a program was built: the MPI library that it needs.
enum class MpiInterface : std::uint8_t {
  mpich,         ///< libmpich.so.12, as Debian's MPICH has it
  mpich_family,  ///< libmpi.so.12: the same interface under the name that MPICH itself gives it
  openmpi,       ///< libmpi.so.40
  abi            ///< libmpi_abi.so.1 (or .so.0): the standard ABI of MPI 5.0
};
/// What the user says of it. automatic: what the program's file says, and what the mpi4py of a Python says.
enum class MpiChoice : std::uint8_t { automatic, mpich, openmpi, abi };

/// Checks that the program is one that the shim can be put into: dynamically linked for this machine, and
/// with one MPI library that Morgana stands in for among those that it needs, directly or through others.
/// Scripts and the usual interpreters may load MPI later and pass.
/// @return the interface that its ranks get. @throws Error that says what stands against it
MpiInterface check_program(const std::filesystem::path& program, MpiChoice choice = MpiChoice::automatic);

/// The same for PVM: dynamically linked, with libpvm3.so.3 among the libraries that it needs.
void check_pvm_program(const std::filesystem::path& program);

/// The same for a program with its arguments (`command`, not empty). Where the program is one that starts
/// another one (nice, env, strace, gdb ...; or any other that is given an MPI program), the one that it
/// starts is checked, as far as it can be found among the arguments.
/// @throws Error also for a launcher of ranks such as mpiexec, and if there is no such program
MpiInterface check_command(const std::vector<std::string>& command, MpiChoice choice = MpiChoice::automatic);
void check_pvm_command(const std::vector<std::string>& command);

/// Whether nothing says for which MPI library a command's programs are: a script or an interpreter starts
/// them.
bool is_mpi_guessed(const std::vector<std::string>& command, MpiChoice choice);

/// Whether the program, or a library that it needs, names MPI_Cancel. True if that can't be known: it may
/// load more when it runs.
bool may_cancel_messages(const std::filesystem::path& program);
/// The same of the program that the command starts in the end.
bool may_cancel_messages(const std::vector<std::string>& command);

/// Whether the program that the command starts in the end needs libmorgana-am.so, so that its messages' tags
/// name endpoints. False for what loads that library later.
bool sends_active_messages(const std::vector<std::string>& command);

enum class ProgramApi : std::uint8_t { mpi, pvm };
/// Whether the program that the command starts in the end needs PVM's library; whatever else it is counts as
/// MPI's.
ProgramApi api_of(const std::vector<std::string>& command);

}  // namespace morgana
