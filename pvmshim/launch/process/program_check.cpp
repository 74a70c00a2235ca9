#include "pvmshim/launch/process/program_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "emulator/core/working_folder.h"
#include "pvmshim/channel/other_mpis.h"
#include "pvmshim/launch/process/elf_needs.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mpich = mpich_library;
constexpr std::string_view pvm_library = "libpvm3.so.3";
/// They load MPI, if at all, when they run.
constexpr std::array interpreters{"sh",   "bash",  "dash",   "env", "python", "perl",
                                  "ruby", "julia", "octave", "R",   "lua"};
constexpr std::array standard_folders{"/lib/x86_64-linux-gnu",
                                      "/usr/lib/x86_64-linux-gnu",
                                      "/usr/local/lib",
                                      "/lib64",
                                      "/lib",
                                      "/usr/lib64",
                                      "/usr/lib"};

bool is_executable_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> folders_in(const char* variable) {
  std::vector<std::string> folders;
  const char* value = std::getenv(variable);
  std::string rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return folders;
}

/// @return the program that a script is for, if it is a script
std::optional<std::string> interpreter_of(const fs::path& program) {
  std::string line;
  std::getline(std::ifstream(program, std::ios::binary), line);
  if (!line.starts_with("#!")) return std::nullopt;
  const std::size_t start = line.find_first_not_of(" \t", 2);
  if (start == std::string::npos) return "";
  return line.substr(start, line.find_first_of(" \t\r", start) - start);
}

bool is_interpreter(const fs::path& program) {
  std::string name = program.filename().string();
  name.erase(std::find_if(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }), name.end());
  return std::find(interpreters.begin(), interpreters.end(), name) != interpreters.end();
}

/// A script or an interpreter. @throws Error for a script that can't run
bool may_load_it_later(const fs::path& program) {
  const auto interpreter = interpreter_of(program);
  if (!interpreter) return is_interpreter(program);
  if (is_executable_file(*interpreter)) return true;
  throw Error(fmt::format("{} is a script for '{}', which can't be executed: correct its first line",
                          program.string(), *interpreter));
}

/// Where the dynamic linker would most probably find the library; empty if nowhere.
fs::path find_library(const std::string& name, const std::vector<std::string>& search_path) {
  std::vector<std::string> folders = search_path;
  for (std::string& folder : folders_in("LD_LIBRARY_PATH")) folders.push_back(std::move(folder));
  folders.insert(folders.end(), standard_folders.begin(), standard_folders.end());
  for (const std::string& folder : folders)
    if (std::error_code ignored; fs::exists(fs::path(folder) / name, ignored)) return fs::path(folder) / name;
  return {};
}

struct MessageLibraries {
  bool mpich = false;
  std::string other_mpi;
  bool pvm = false;
  bool cancel_messages = false;  ///< the program, or a library that is not MPICH's own
};

MessageLibraries message_libraries_of(const ElfNeeds& program) {
  MessageLibraries found;
  std::set<std::string> seen;
  std::vector<ElfNeeds> left{program};
  while (!left.empty()) {
    const ElfNeeds needs = std::move(left.back());
    left.pop_back();
    found.cancel_messages = found.cancel_messages || needs.cancels_messages;
    for (const std::string& library : needs.libraries) {
      if (!seen.insert(library).second) continue;
      if (library == mpich) {
        found.mpich = true;
      } else if (library == pvm_library) {
        found.pvm = true;
      } else if (is_other_mpi(library)) {
        if (found.other_mpi.empty()) found.other_mpi = library;
      } else if (auto further = read_elf_needs(find_library(library, needs.search_path))) {
        // MPICH's libraries for other languages name whatever there is.
        if (library.starts_with("libmpich")) further->cancels_messages = false;
        left.push_back(std::move(*further));
      }
    }
  }
  return found;
}

/// @param mend  whose library the program would otherwise be linked to, and how to link it
ElfNeeds dynamic_elf(const fs::path& program, const char* mend) {
  const auto elf = read_elf_needs(program);
  if (!elf) throw Error(fmt::format("{} is neither a program (ELF) nor a script (#!)", program.string()));
  if (!elf->same_machine)
    throw Error(fmt::format("{} is a program for another kind of machine than this one", program.string()));
  if (!elf->dynamic)
    throw Error(fmt::format("{} is linked statically, so that nothing can stand between it and {}",
                            program.string(), mend));
  return *elf;
}

/// How to get a program of ours that is not there; empty for others.
std::string how_to_build(const fs::path& name) {
  static const std::set<std::string> kernels{"cg", "ep", "ft", "is", "mg", "pde1", "pde2", "solver"};
  static const std::set<std::string> examples{"ring", "deadlock"};
  const std::string kind = name.extension();
  if ((kind == ".mpi" || kind == ".pvm") && kernels.contains(name.stem()))
    return "; it is one of Morgana's kernels: `ninja -C build kernels` makes them in build/bin";
  if (examples.contains(name.filename()))
    return "; it is one of Morgana's examples: `ninja -C build examples` makes them in build/bin";
  return "";
}

}  // namespace

fs::path find_program(const std::string& name) {
  check_working_folder();
  if (name.find('/') != std::string::npos) {
    std::error_code ignored;
    if (!fs::exists(name, ignored))
      throw Error(fmt::format("there is no program {}{}", name, how_to_build(name)));
    if (!is_executable_file(name))
      throw Error(
          fmt::format("{} can't be executed: is it the program? (chmod +x makes a file executable)", name));
    return name;
  }
  for (const std::string& folder : folders_in("PATH"))
    if (is_executable_file(fs::path(folder) / name)) return fs::path(folder) / name;
  if (is_executable_file(name))
    throw Error(fmt::format("there is no program '{0}': for the one in this folder, write ./{0}", name));
  throw Error(fmt::format("there is no program '{}' in any folder of PATH{}", name, how_to_build(name)));
}

void check_program(const fs::path& program) {
  if (may_load_it_later(program)) return;
  const ElfNeeds elf =
      dynamic_elf(program, "MPI: link it dynamically to MPICH (mpicc.mpich without -static)");
  const MessageLibraries libraries = message_libraries_of(elf);
  if (libraries.mpich) return;
  if (!libraries.other_mpi.empty())
    throw Error(
        fmt::format("{} is linked to {}, but Morgana interposes MPICH ({}): build it with mpicc.mpich",
                    program.string(), libraries.other_mpi, mpich));
  if (elf.loads_libraries) return;  // it may load MPICH itself
  throw Error(fmt::format("{} is not linked to MPICH ({}): is it an MPI program, built with mpicc.mpich?",
                          program.string(), mpich));
}

void check_pvm_program(const fs::path& program) {
  if (may_load_it_later(program)) return;
  if (message_libraries_of(
          dynamic_elf(program, "PVM: link it to the shared libpvm3 (-lpvm3 without -static)"))
          .pvm)
    return;
  throw Error(
      fmt::format("{} is not linked to PVM's shared library ({}): is it a PVM program, and not linked to "
                  "libpvm3.a?",
                  program.string(), pvm_library));
}

bool may_cancel_messages(const fs::path& program) {
  const auto elf = read_elf_needs(program);
  if (!elf || elf->loads_libraries) return true;
  const MessageLibraries libraries = message_libraries_of(*elf);
  return !libraries.mpich || libraries.cancel_messages;
}

ProgramApi api_of(const fs::path& program) {
  const auto elf = read_elf_needs(program);
  if (!elf) return ProgramApi::mpi;
  const MessageLibraries libraries = message_libraries_of(*elf);
  return libraries.pvm && !libraries.mpich ? ProgramApi::pvm : ProgramApi::mpi;
}

}  // namespace morgana
