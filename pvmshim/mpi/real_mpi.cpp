#include "pvmshim/mpi/real_mpi.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/core/error.h"
#include "pvmshim/mpi/symbols.h"

namespace morgana::mpi {
namespace {

constexpr const char* library = "libmpich.so.12";

struct Code {
  std::uintptr_t begin = 0, end = 0;
};

int find_code(dl_phdr_info* object, std::size_t, void* data) {
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  if (!path.substr(path.find_last_of('/') + 1).starts_with("libmpich.so")) return 0;
  auto& code = *static_cast<Code*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    code.begin = object->dlpi_addr + segment.p_vaddr;
    code.end = code.begin + segment.p_memsz;
  }
  return 1;
}

template <typename Function>
void look_up(void* handle, const char* name, Function& function) {
  // Every MPI_X has a PMPI_X, and nobody wraps that one but we.
  const std::string profiled = std::string("P") + name;
  function = reinterpret_cast<Function>(libc_dlsym(handle, profiled.c_str()));
  if (function == nullptr)
    throw Error("the program's MPI library lacks " + profiled + ": it must be MPICH 4.0 or later (" +
                library + ")");
}

/// A program may have loaded it out of our sight (dlopen without RTLD_GLOBAL): by name it is found all the
/// same.
void* loaded_library() {
  void* handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) handle = dlopen(library, RTLD_NOW);
  if (handle == nullptr) throw Error(std::string("cannot load ") + library + ": " + dlerror());
  return handle;
}

RealMpi load() {
  void* handle = loaded_library();
  RealMpi mpi{};
#define MORGANA_COVERED(name, implementation, type, parameters, arguments) look_up(handle, #name, mpi.name);
#include "pvmshim/mpi/covered.def"
#undef MORGANA_COVERED
#define MORGANA_REFUSED(name, type, parameters, arguments) look_up(handle, #name, mpi.name);
#include "pvmshim/mpi/refused.def"
#undef MORGANA_REFUSED
#define MORGANA_FILE(name, call, parameters, arguments) look_up(handle, #name, mpi.name);
#define MORGANA_FILE_REQUEST(name, call, parameters, arguments) look_up(handle, #name, mpi.name);
#include "pvmshim/mpi/files.def"
#undef MORGANA_FILE
#undef MORGANA_FILE_REQUEST
#define MORGANA_LOCAL(name) look_up(handle, #name, mpi.name);
#include "pvmshim/mpi/local.def"
#undef MORGANA_LOCAL
  return mpi;
}

}  // namespace

const RealMpi& real() {
  static const RealMpi mpi = load();
  return mpi;
}

void* mpichs_function(const char* name) {
  return libc_dlsym(loaded_library(), name);
}

MpichVersion mpichs_version() {
  static const MpichVersion version = [] {
    char words[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    using Function = decltype(&::MPI_Get_library_version);
    const auto mpichs = reinterpret_cast<Function>(mpichs_function("PMPI_Get_library_version"));
    if (mpichs != nullptr) mpichs(words, &length);
    return version_in({words, static_cast<std::size_t>(length)});
  }();
  return version;
}

bool lies_in_mpich(const void* address) {
  // A program may load MPICH later on (dlopen): what is not there yet is looked for again.
  static std::atomic<const Code*> known{nullptr};
  const Code* code = known.load(std::memory_order_acquire);
  if (code == nullptr) {
    Code found;
    dl_iterate_phdr(find_code, &found);
    if (found.end == 0) return false;
    known.store(code = new Code(found), std::memory_order_release);  // for as long as the process lives
  }
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  return place >= code->begin && place < code->end;
}

}  // namespace morgana::mpi
