#include "pvmshim/mpi/stand_in/targets.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pvmshim/mpi/stand_in/constants.h"

namespace morgana::stand_in {
namespace {

constexpr const char* mpich_library = "libmpich.so.12";
constexpr const char* shim_library = "libmorgana-mpi.so";
constexpr int exit_code = 1;  // the guide's: did what is not supported

std::string own_path() {
  Dl_info about{};
  dladdr(reinterpret_cast<const void*>(&end_with), &about);
  return about.dli_fname == nullptr ? "" : about.dli_fname;
}

using Dlsym = decltype(&::dlsym);

/// The C library's dlsym: the shim's would give its own functions in place of MPICH's.
Dlsym libc_dlsym() {
#if defined(__x86_64__)
  constexpr const char* first_version = "GLIBC_2.2.5";
#elif defined(__aarch64__)
  constexpr const char* first_version = "GLIBC_2.17";
#endif
  static const auto found =
      reinterpret_cast<Dlsym>(dlvsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "dlsym", first_version));
  return found;
}

void* find(void* handle, const char* name) {
  return libc_dlsym()(handle, name);
}

void* shim_handle() {
  static void* const handle = [] {
    const std::string own = own_path();
    const std::string beside = own.substr(0, own.find_last_of('/') + 1) + shim_library;
    return dlopen(beside.c_str(), RTLD_NOW | RTLD_NOLOAD);
  }();
  if (handle == nullptr)
    end_with(stand_in_name,
             " works under `morgana run` and `morgana capture` only: libmorgana-mpi.so is not loaded");
  return handle;
}

void* mpich_handle() {
  static void* const handle = dlopen(mpich_library, RTLD_NOW);
  if (handle == nullptr) end_with("cannot load MPICH, which carries out the program's calls: ", dlerror());
  return handle;
}

/// @param of_mpich  MPICH's own, even if the shim has it
template <typename Function>
void look_up(Function& function, const char* name, bool of_mpich) {
  // Where ranks of a file are gathered, MPICH goes by the names of the emulated hosts.
  const bool answers_mpich = std::string_view(name) == "PMPI_Get_processor_name";
  void* found = of_mpich && !answers_mpich ? nullptr : find(shim_handle(), name);
  if (found == nullptr) found = find(mpich_handle(), name);
  if (found == nullptr) end_with("the installed MPICH is older than 4.0: it lacks ", name);
  function = reinterpret_cast<Function>(found);
}

/// The code of the library in which this address lies.
struct CodeSearch {
  std::uintptr_t address;
  Targets::Code found;
};

int note_code(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<CodeSearch*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const Targets::Code code{object->dlpi_addr + segment.p_vaddr, segment.p_memsz};
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || !code.holds(search.address)) continue;
    search.found = code;
    return 1;
  }
  return 0;
}

Targets::Code code_around(void* function) {
  CodeSearch search{reinterpret_cast<std::uintptr_t>(function), {}};
  dl_iterate_phdr(note_code, &search);
  return search.found;
}

Targets load(bool of_mpich) {
  Targets all{};
#define MORGANA_CALL(name, ...) look_up(all.name, "P" #name, of_mpich);
#define MORGANA_BY_HAND(name, ...) look_up(all.name, "P" #name, of_mpich);
#define MORGANA_CALL_AS(name, other, ...)
#define MORGANA_ALONE(name, ...)
#include "pvmshim/mpi/stand_in/calls.def"
#undef MORGANA_CALL
#undef MORGANA_BY_HAND
#undef MORGANA_CALL_AS
#undef MORGANA_ALONE
  all.mpich = code_around(find(mpich_handle(), "PMPI_Type_size"));
  all.shim = code_around(find(shim_handle(), "PMPI_Send"));
  all.own = code_around(reinterpret_cast<void*>(&end_with));
  return all;
}

void* own_handle() {
  static void* const handle = dlopen(own_path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  return handle;
}

int* pointer_in_mpich(const char* name) {
  auto* const place = static_cast<int**>(find(mpich_handle(), name));
  return place == nullptr ? nullptr : *place;
}

/// The libraries that were there at the first call and that may be a tool's: all but ours and those of MPI
/// itself, of which a program may have loaded another one by its path.
std::vector<std::pair<void*, std::uintptr_t>> other_libraries() {
  std::vector<std::string> names;
  const auto note = [](dl_phdr_info* object, std::size_t, void* data) {
    const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    if (!name.empty() && !name.starts_with("libmorgana") && !name.starts_with("libmpi") &&
        !name.starts_with("linux-vdso"))
      static_cast<std::vector<std::string>*>(data)->emplace_back(path);
    return 0;
  };
  dl_iterate_phdr(note, &names);
  std::vector<std::pair<void*, std::uintptr_t>> handles;
  for (const std::string& name : names) {
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    link_map* map = nullptr;
    if (handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
      handles.emplace_back(handle, map->l_addr);
  }
  return handles;
}

}  // namespace

const Targets& targets() {
  static const Targets all = load(false);
  return all;
}

const Targets& targets_of_mpich() {
  static const Targets all = load(true);
  return all;
}

int* unweighted() {
  static int* const address = pointer_in_mpich("MPI_UNWEIGHTED");
  return address;
}

int* empty_weights() {
  static int* const address = pointer_in_mpich("MPI_WEIGHTS_EMPTY");
  return address;
}

void* function_of_tool(const char* name) {
  static const auto& libraries = *new std::vector<std::pair<void*, std::uintptr_t>>(other_libraries());
  for (const auto& [handle, base] : libraries) {
    // A library's look-up goes on in those that it needs.
    void* const found = find(handle, name);
    Dl_info about{};
    if (found != nullptr && dladdr(found, &about) != 0 &&
        reinterpret_cast<std::uintptr_t>(about.dli_fbase) == base)
      return found;
  }
  return nullptr;
}

void end_with(const char* what, const char* more) {
  const char* const rank = std::getenv("PMI_RANK");
  if (rank != nullptr)
    std::fprintf(stderr, "morgana: rank %s: %s%s\n", rank, what, more);
  else
    std::fprintf(stderr, "morgana: %s%s\n", what, more);
  std::fflush(nullptr);
  _exit(exit_code);
}

}  // namespace morgana::stand_in

/// For the shim, when a tool asks for the next function of a name (RTLD_NEXT): this library's, not the
/// shim's.
extern "C" __attribute__((visibility("default"))) void* morgana_stand_in_function(const char* name) {
  return morgana::stand_in::find(morgana::stand_in::own_handle(), name);
}
