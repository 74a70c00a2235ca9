#include "pvmshim/launch/process/installation.h"

#include <fmt/format.h>

#include <cstdlib>

#include "emulator/core/error.h"

namespace morgana {
namespace fs = std::filesystem;
namespace {

fs::path bin_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}
fs::path installed_folder() {
  return bin_folder().parent_path() / "lib" / "morgana";
}

}  // namespace

fs::path own_library(const std::string& name) {
  const char* folder = std::getenv("MORGANA_LIBRARIES");
  fs::path library = folder != nullptr ? fs::path(folder) / name : bin_folder().parent_path() / "lib" / name;
  if (folder == nullptr && !fs::exists(library) && fs::exists(installed_folder() / name))
    library = installed_folder() / name;
  if (!fs::exists(library))
    throw Error(
        fmt::format("Morgana's library {} is missing: build it, or set MORGANA_LIBRARIES to its folder",
                    library.string()));
  return fs::absolute(library);
}

fs::path own_programs() {
  const fs::path installed = installed_folder() / "bin";
  return fs::is_directory(installed) ? installed : bin_folder();
}

}  // namespace morgana
