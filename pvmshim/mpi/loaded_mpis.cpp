#include "pvmshim/mpi/loaded_mpis.h"

#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "pvmshim/channel/other_mpis.h"
#include "pvmshim/mpi/lifetime.h"
#include "pvmshim/mpi/mode.h"

namespace morgana::mpi {
namespace {

/// What a library was loaded as may be a link to MPICH's: Debian's libmpi.so is one.
int note_other_mpi(dl_phdr_info* loaded, std::size_t, void* found) {
  const std::filesystem::path as(loaded->dlpi_name);
  if (!is_other_mpi(as.filename().native())) return 0;
  std::error_code missing;
  const std::filesystem::path file = std::filesystem::canonical(as, missing);
  if (!missing && !is_other_mpi(file.filename().native())) return 0;
  *static_cast<std::string*>(found) = as.native();
  return 1;
}

/// A process that has called the other MPI's functions ends without having called any of MPICH's.
struct AtTheEnd {
  ~AtTheEnd() {
    if (mode() == Mode::pass || world_was_initialised() || std::getenv("PMI_RANK") == nullptr) return;
    if (const std::string complaint = complaint_about_loaded_mpi(); !complaint.empty())
      std::fprintf(stderr, "morgana: rank %s: %s\n", std::getenv("PMI_RANK"), complaint.c_str());
  }
};
const AtTheEnd at_the_end;

}  // namespace

std::string complaint_about_loaded_mpi() {
  std::string file;
  dl_iterate_phdr(note_other_mpi, &file);
  if (file.empty()) return file;
  const std::string name = std::filesystem::path(file).filename();
  if (name.starts_with("libmpi_abi"))
    return "it has loaded " + file +
           ", a library of the standard ABI, without Morgana's stand-in before it: start the program with "
           "--mpi abi";
  if (name.starts_with(openmpi_library))
    return "it has loaded " + file +
           ", Open MPI's own library, without Morgana's stand-in before it: start the program with --mpi "
           "openmpi";
  return "it has loaded " + file + ", which is another MPI than the one that Morgana interposes, MPICH (" +
         std::string(mpich_library) +
         "): what loads it (a Python module, say) must be built with mpicc.mpich; mpi4py, by "
         "MPICC=mpicc.mpich "
         "pip install --no-binary mpi4py mpi4py";
}

}  // namespace morgana::mpi
