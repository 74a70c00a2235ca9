#include "pvmshim/mpi/symbols.h"

#include <dlfcn.h>

#include <string>
#include <string_view>

#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"

/// The function of this name in the stand-in for another MPI's library, where the program has one before it
/// (stand_in/targets.cpp). Not defined otherwise.
extern "C" __attribute__((weak)) void* morgana_stand_in_function(const char* name);

namespace morgana::mpi {
namespace {

using Dlsym = decltype(&::dlsym);

Dlsym real_dlsym() {
#if defined(__x86_64__)
  constexpr const char* first_version = "GLIBC_2.2.5";
#elif defined(__aarch64__)
  constexpr const char* first_version = "GLIBC_2.17";
#endif
  static const auto found = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", first_version));
  return found;
}

/// This library's function of a name; null if it has none.
void* own_function(const char* name) {
  static void* const own = [] {
    Dl_info about{};
    dladdr(reinterpret_cast<const void*>(&libc_dlsym), &about);
    return dlopen(about.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  void* const found = own == nullptr ? nullptr : real_dlsym()(own, name);
  Dl_info about{};
  const bool is_own = found != nullptr && dladdr(found, &about) != 0 && !lies_in_mpich(found);
  return is_own ? found : nullptr;
}

/// What stands in for a function of MPICH's; null for all others.
void* stand_in(void* handle, const char* name) {
  const std::string_view wanted(name == nullptr ? "" : name);
  if (!wanted.starts_with("MPI") && !wanted.starts_with("PMPI")) return nullptr;
  if (mode() == Mode::pass || handle == RTLD_DEFAULT) return nullptr;  // there we come first anyway
  if (handle == RTLD_NEXT) {  // a tool's, which means the library: not itself, through our MPI_ function
    const std::string profiled = (wanted.starts_with("PMPI") ? "" : "P") + std::string(name);
    return morgana_stand_in_function != nullptr ? morgana_stand_in_function(profiled.c_str())
                                                : own_function(profiled.c_str());
  }
  return lies_in_mpich(real_dlsym()(handle, name)) ? own_function(name) : nullptr;
}

}  // namespace

void* libc_dlsym(void* handle, const char* name) {
  return real_dlsym()(handle, name);
}

/// The C library finds out by the return address who asks for the next definition (RTLD_NEXT): so its
/// function is jumped to, not called, which optimisation does.
extern "C" __attribute__((visibility("default"), optimize("O2"))) void* dlsym(void* handle,
                                                                              const char* name) noexcept {
  if (void* const ours = stand_in(handle, name)) return ours;
  return real_dlsym()(handle, name);
}

}  // namespace morgana::mpi
