#include "pvmshim/launch/process/program_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "emulator/core/working_folder.h"
#include "pvmshim/channel/other_mpis.h"
#include "pvmshim/launch/process/clock_check.h"
#include "pvmshim/launch/process/elf_needs.h"
#include "pvmshim/launch/process/library_search.h"
#include "pvmshim/launch/process/python_module.h"
#include "pvmshim/launch/process/starters.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mpich = mpich_library;
constexpr std::string_view pvm_library = "libpvm3.so.3";
constexpr std::string_view active_messages_library = "libmorgana-am.so";
/// They load MPI, if at all, when they run.
constexpr std::array interpreters{"sh",   "bash", "dash",  "zsh",    "ksh", "python",
                                  "perl", "ruby", "julia", "octave", "R",   "lua"};

bool is_executable_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
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

/// "#!/usr/bin/python3" and "#!/usr/bin/env python3": the program that a script is for. Empty if it is not
/// known.
fs::path python_of_script(const fs::path& script) {
  std::string line;
  std::getline(std::ifstream(script, std::ios::binary), line);
  std::istringstream words(line.substr(std::min<std::size_t>(2, line.size())));
  std::string word;
  words >> word;
  if (fs::path(word).filename() != "env") return word;
  while (words >> word)
    if (word.front() != '-' && word.find('=') == std::string::npos) break;
  for (const std::string& folder : folders_in("PATH"))
    if (is_executable_file(fs::path(folder) / word)) return fs::path(folder) / word;
  return {};
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

struct MessageLibraries {
  bool mpich = false;         ///< as Debian names it
  bool mpich_family = false;  ///< under MPICH's own name
  bool openmpi = false;
  std::string abi;  ///< the name that the standard ABI's library has there
  std::string
      unsupported_part;         ///< a library of Open MPI's or the ABI's that does not run over the stand-ins
  std::string missing_binding;  ///< Open MPI's library for a language, which is needed and not here
  std::string other_mpi;
  bool pvm = false;
  bool active_messages = false;
  bool cancel_messages = false;  ///< the program, or a library that is not MPICH's own
  bool mpi_clock = false;        ///< the same
};

/// Open MPI's libraries for other languages and interfaces, which do not run over the stand-in, and other
/// versions of the standard ABI's.
bool is_unsupported_part(std::string_view library) {
  return library.starts_with("libmpi_") || library.starts_with("liboshmem.so");
}

MessageLibraries message_libraries_of(const ElfNeeds& program) {
  MessageLibraries found;
  std::set<std::string> seen;
  std::vector<ElfNeeds> left{program};
  while (!left.empty()) {
    const ElfNeeds needs = std::move(left.back());
    left.pop_back();
    found.cancel_messages = found.cancel_messages || needs.cancels_messages;
    found.mpi_clock = found.mpi_clock || needs.reads_mpi_clock;
    for (const std::string& library : needs.libraries) {
      if (!seen.insert(library).second) continue;
      if (library == mpich) {
        found.mpich = true;
      } else if (library == mpich_family_library) {
        found.mpich_family = true;
      } else if (library == openmpi_library || is_openmpi_binding(library)) {
        found.openmpi = true;
        if (is_openmpi_binding(library) && is_missing(library, needs.search_path))
          found.missing_binding = library;
      } else if (library == standard_abi_library || library == earlier_abi_library) {
        found.abi = library;
      } else if (is_unsupported_part(library)) {
        if (found.unsupported_part.empty()) found.unsupported_part = library;
      } else if (library == pvm_library) {
        found.pvm = true;
      } else if (is_other_mpi(library)) {
        if (found.other_mpi.empty()) found.other_mpi = library;
      } else if (library == active_messages_library) {
        found.active_messages = true;
        if (auto further = read_elf_needs(find_library(library, needs.search_path)))
          left.push_back(std::move(*further));
      } else if (auto further = read_elf_needs(find_library(library, needs.search_path))) {
        // MPICH's libraries for other languages name whatever there is.
        if (library.starts_with("libmpich") || library.starts_with("libmpifort"))
          further->cancels_messages = further->reads_mpi_clock = false;
        left.push_back(std::move(*further));
      }
    }
  }
  return found;
}

bool has_mpi(const MessageLibraries& libraries) {
  return libraries.mpich || libraries.mpich_family || libraries.openmpi || !libraries.abi.empty() ||
         !libraries.unsupported_part.empty();
}

/// @throws Error if it has a library for messages inside, so that nothing can stand between
void refuse_library_inside(const fs::path& program) {
  const std::string library = library_linked_into(program);
  if (library.empty()) return;
  throw Error(fmt::format("{} is linked statically with {}, so that nothing can stand between it and {}: {}",
                          program.string(), library == "PVM" ? "PVM (libpvm3.a)" : library, library,
                          library == "PVM" ? "relink it with PVM's shared library (-lpvm3 without -static "
                                             "and without libpvm3.a; libpvm3.so.3 is in Debian's libpvm3)"
                                           : "relink it with the shared library of MPICH or Open MPI (their "
                                             "mpicc without -static)"));
}

/// @param mend  whose library the program would otherwise be linked to, and how to link it
ElfNeeds dynamic_elf(const fs::path& program, const char* mend) {
  const auto elf = read_elf_needs(program);
  if (!elf) throw Error(fmt::format("{} is neither a program (ELF) nor a script (#!)", program.string()));
  if (!elf->same_machine)
    throw Error(
        fmt::format("{} is a program for another kind of machine than this one: build it here, for 64 bits",
                    program.string()));
  if (!elf->dynamic) refuse_library_inside(program);
  if (!elf->dynamic)
    throw Error(fmt::format("{} is linked statically, so that nothing can stand between it and {}",
                            program.string(), mend));
  return *elf;
}

/// Whether it is plain that ranks run it: a script, an interpreter, or linked to a library for messages.
bool is_for_ranks(const fs::path& program) {
  if (interpreter_of(program) || is_interpreter(program)) return true;
  const auto elf = read_elf_needs(program);
  if (!elf) return false;
  const MessageLibraries libraries = message_libraries_of(*elf);
  return has_mpi(libraries) || libraries.pvm || !libraries.other_mpi.empty();
}

/// Where a word leads that may name a program; empty if nowhere.
fs::path program_named(const std::string& word) {
  if (word.empty() || word.front() == '-') return {};
  if (word.find('/') != std::string::npos) return is_executable_file(word) ? fs::path(word) : fs::path();
  for (const std::string& folder : folders_in("PATH"))
    if (is_executable_file(fs::path(folder) / word)) return fs::path(folder) / word;
  return {};
}

/// What a command starts in the end.
struct StartedProgram {
  fs::path path;
  bool is_known;  ///< if not: `path` starts another program, which its arguments do not show
};

/// "-n 2 -- ./program 5": how `mpiexec -n 2 ./program 5` is said to Morgana. Empty if it can't be told.
std::string without_launcher(const std::vector<std::string>& command, std::size_t launcher) {
  std::string ranks;
  for (std::size_t i = launcher + 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    const bool counts = word == "-n" || word == "-np" || word == "--ntasks" || word == "-c";
    if (counts && i + 1 < command.size()) {
      ranks = "-n " + command[++i] + " ";
    } else if (const fs::path program = program_named(word);
               !program.empty() && (word.find('/') != std::string::npos || is_for_ranks(program))) {
      std::string text = ranks + "--";
      for (; i < command.size(); ++i) text += " " + command[i];
      return text;
    }
  }
  return "";
}

[[noreturn]] void refuse_launcher(const std::vector<std::string>& command, std::size_t at) {
  const std::string instead = without_launcher(command, at);
  throw Error(
      fmt::format("{} starts ranks, and so does Morgana: leave it out, and put the program itself after "
                  "\"--\"{}",
                  command[at], instead.empty() ? "" : ", as in `" + instead + "`"));
}

/// Follows a command through what starts something else.
StartedProgram started_program(const std::vector<std::string>& command) {
  if (is_rank_launcher(command.at(0))) refuse_launcher(command, 0);
  const fs::path first = find_program(command[0]);
  const bool is_starter = starts_another(command[0]);
  const auto elf_of_first = read_elf_needs(first);
  const bool may_load_mpi = elf_of_first && elf_of_first->loads_libraries;
  if (!is_starter && (may_load_mpi || is_for_ranks(first))) return {first, true};
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (is_starter && is_rank_launcher(command[i])) refuse_launcher(command, i);
    const fs::path program = program_named(command[i]);
    if (program.empty()) continue;
    if (is_starter && starts_another(command[i]))
      return started_program({command.begin() + static_cast<std::ptrdiff_t>(i), command.end()});
    // A starter's first path is the program, whatever it is; of other words it depends on what they name.
    const bool is_path = command[i].find('/') != std::string::npos;
    const auto elf = read_elf_needs(program);
    if (is_starter ? is_path || is_for_ranks(program)
                   : elf && is_for_ranks(program) && !is_interpreter(program))
      return {program, true};
  }
  return {first, !is_starter};
}

/// Behind the shell's own options, what it is given to carry out by -c; null if it is not.
const std::string* text_of_shell(const std::vector<std::string>& command, std::size_t shell) {
  static const std::set<std::string> with_value{"--rcfile", "--init-file"};
  bool carries_out = false;
  for (std::size_t i = shell + 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    const bool ends_options = word == "--" || word == "-";
    if (ends_options) ++i;
    if (ends_options || (!word.starts_with('-') && !word.starts_with('+')))
      return carries_out && i < command.size() ? &command[i] : nullptr;
    const bool is_long = word.starts_with("--");
    if (!is_long && word.front() == '-' && word.find('c') != std::string::npos) carries_out = true;
    if (is_long ? with_value.contains(word) : word.back() == 'o' || word.back() == 'O') ++i;
  }
  return nullptr;
}

/// Of `bash -c "./program 5"`, also behind what starts the shell: the first word of the text that names a
/// program that is linked to MPI; empty for other commands, and if there is none.
fs::path program_in_shell_text(const fs::path& shell, const std::vector<std::string>& command) {
  if (!is_interpreter(shell) || !shell.filename().string().ends_with("sh")) return {};
  const auto word_of_shell =
      std::ranges::find_if(command, [&](const std::string& word) { return program_named(word) == shell; });
  if (word_of_shell == command.end()) return {};
  const std::string* const text =
      text_of_shell(command, static_cast<std::size_t>(word_of_shell - command.begin()));
  if (text == nullptr) return {};
  std::istringstream words(*text);
  for (std::string word; words >> word;) {
    const fs::path program = program_named(word);
    const auto elf = program.empty() ? std::nullopt : read_elf_needs(program);
    if (elf && has_mpi(message_libraries_of(*elf))) return program;
  }
  return {};
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

/// Where nothing is known of the program, MPICH is what it most probably loads.
MpiInterface chosen(MpiChoice choice) {
  switch (choice) {
    case MpiChoice::openmpi:
      return MpiInterface::openmpi;
    case MpiChoice::abi:
      return MpiInterface::abi;
    default:
      return MpiInterface::mpich;
  }
}

/// What a program is linked to: "Open MPI (libmpi.so.40)".
struct Linked {
  MpiChoice choice;
  std::string name;
};

std::vector<Linked> linked_by(const MessageLibraries& libraries) {
  std::vector<Linked> found;
  if (libraries.mpich || libraries.mpich_family)
    found.push_back(
        {MpiChoice::mpich, fmt::format("MPICH ({})", libraries.mpich ? mpich : mpich_family_library)});
  const std::string& part = libraries.unsupported_part;
  if (libraries.openmpi || (!part.empty() && !part.starts_with("libmpi_abi")))
    found.push_back({MpiChoice::openmpi, fmt::format("Open MPI ({})", openmpi_library)});
  if (!libraries.abi.empty())
    found.push_back({MpiChoice::abi, fmt::format("the standard ABI ({})", libraries.abi)});
  return found;
}

const char* option_of(MpiChoice choice) {
  return choice == MpiChoice::abi ? "abi" : choice == MpiChoice::openmpi ? "openmpi" : "mpich";
}

/// @param libraries  has_mpi()
MpiInterface interface_of(const fs::path& program, const MessageLibraries& libraries, MpiChoice choice) {
  const std::vector<Linked> linked = linked_by(libraries);
  if (linked.size() > 1)
    throw Error(
        fmt::format("{} is linked to {} and to {}: link it, and every library that it needs, to one of them",
                    program.string(), linked[0].name, linked[1].name));
  if (choice != MpiChoice::automatic && !linked.empty() && choice != linked.front().choice)
    throw Error(fmt::format("--mpi {}: {} is linked to {}: leave out --mpi", option_of(choice),
                            program.string(), linked.front().name));
  if (!libraries.unsupported_part.empty())
    throw Error(unsupported_part_text(program.string(), libraries.unsupported_part));
  if (!libraries.missing_binding.empty())
    throw Error(missing_binding_text(program.string(), libraries.missing_binding));
  if (linked.front().choice == MpiChoice::mpich)
    return libraries.mpich ? MpiInterface::mpich : MpiInterface::mpich_family;
  return chosen(linked.front().choice);
}

/// A Python is asked which file its mpi4py is; nothing is known of others.
MpiInterface interface_of_interpreter(const fs::path& program, MpiChoice choice) {
  if (choice != MpiChoice::automatic) return chosen(choice);
  // One with MPI built in needs not be asked.
  if (const auto elf = read_elf_needs(program); elf && has_mpi(message_libraries_of(*elf)))
    return interface_of(program, message_libraries_of(*elf), choice);
  // A script that goes by an interpreter's name (pyenv's) is asked itself.
  const bool is_script = interpreter_of(program).has_value() && !is_interpreter(program);
  const fs::path module = mpi4py_of(is_script ? python_of_script(program) : program);
  const auto elf = module.empty() ? std::nullopt : read_elf_needs(module);
  if (!elf) return chosen(choice);
  const MessageLibraries libraries = message_libraries_of(*elf);
  return has_mpi(libraries) ? interface_of(module, libraries, choice) : chosen(choice);
}

}  // namespace

fs::path find_program(const std::string& name) {
  check_working_folder();
  if (name.find('/') != std::string::npos) {
    std::error_code ignored;
    if (!fs::exists(name, ignored))
      throw Error(fmt::format("there is no program {}{}", name, how_to_build(name)));
    if (fs::is_directory(name, ignored)) throw Error(name + " is a folder, not a program: name the program");
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

MpiInterface check_program(const fs::path& program, MpiChoice choice) {
  if (may_load_it_later(program)) return interface_of_interpreter(program, choice);
  const ElfNeeds elf =
      dynamic_elf(program, "MPI: link it dynamically to MPICH (mpicc.mpich without -static) or Open MPI");
  const MessageLibraries libraries = message_libraries_of(elf);
  if (has_mpi(libraries)) return interface_of(program, libraries, choice);
  if (!libraries.other_mpi.empty())
    throw Error(
        fmt::format("{} is linked to {}, but Morgana runs programs for MPICH ({}, {}), Open MPI ({}) and the "
                    "standard ABI ({}): build it with mpicc.mpich",
                    program.string(), libraries.other_mpi, mpich, mpich_family_library, openmpi_library,
                    standard_abi_library));
  refuse_library_inside(program);
  if (elf.loads_libraries) return chosen(choice);  // it may load MPI itself
  throw Error(fmt::format(
      "{} is linked to neither MPICH ({}) nor Open MPI ({}) nor the standard ABI ({}): is it an MPI program, "
      "built with mpicc.mpich?",
      program.string(), mpich, openmpi_library, standard_abi_library));
}

void check_pvm_program(const fs::path& program) {
  if (may_load_it_later(program)) return;
  if (message_libraries_of(
          dynamic_elf(program, "PVM: link it to the shared libpvm3 (-lpvm3 without -static)"))
          .pvm)
    return;
  refuse_library_inside(program);
  throw Error(
      fmt::format("{} is not linked to PVM's shared library ({}): is it a PVM program, and not linked to "
                  "libpvm3.a?",
                  program.string(), pvm_library));
}

MpiInterface check_command(const std::vector<std::string>& command, MpiChoice choice) {
  const StartedProgram started = started_program(command);
  if (choice == MpiChoice::automatic)
    if (const fs::path program = program_in_shell_text(started.path, command); !program.empty())
      return check_program(program);
  return started.is_known ? check_program(started.path, choice) : chosen(choice);
}

void check_pvm_command(const std::vector<std::string>& command) {
  const StartedProgram started = started_program(command);
  if (started.is_known) check_pvm_program(started.path);
}

bool is_mpi_guessed(const std::vector<std::string>& command, MpiChoice choice) {
  return choice == MpiChoice::automatic && may_load_it_later(started_program(command).path);
}

bool may_cancel_messages(const fs::path& program) {
  const auto elf = read_elf_needs(program);
  if (!elf || elf->loads_libraries) return true;
  const MessageLibraries libraries = message_libraries_of(*elf);
  return !has_mpi(libraries) || libraries.cancel_messages;
}

bool may_cancel_messages(const std::vector<std::string>& command) {
  const StartedProgram started = started_program(command);
  return !started.is_known || may_cancel_messages(started.path);
}

bool may_read_mpi_clock(const std::vector<std::string>& command) {
  const StartedProgram started = started_program(command);
  const auto elf = read_elf_needs(started.path);
  if (!started.is_known || !elf || elf->loads_libraries) return true;
  const MessageLibraries libraries = message_libraries_of(*elf);
  return !has_mpi(libraries) || libraries.mpi_clock;
}

bool sends_active_messages(const std::vector<std::string>& command) {
  const StartedProgram started = started_program(command);
  const auto elf = read_elf_needs(started.path);
  return started.is_known && elf && message_libraries_of(*elf).active_messages;
}

ProgramApi api_of(const std::vector<std::string>& command) {
  const StartedProgram started = started_program(command);
  const auto elf = read_elf_needs(started.path);
  if (!started.is_known || !elf) return ProgramApi::mpi;
  const MessageLibraries libraries = message_libraries_of(*elf);
  return libraries.pvm && !has_mpi(libraries) ? ProgramApi::pvm : ProgramApi::mpi;
}

}  // namespace morgana
