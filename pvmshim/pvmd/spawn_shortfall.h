#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace morgana::pvm {

/// Environment variable of recorded tasks: the folder in which the program was started.
constexpr const char* start_folder_variable = "MORGANA_START_FOLDER";

/// Calls of pvm_spawn for one program that have started fewer tasks than they asked for.
struct SpawnShortfall {
  std::string file;        ///< as the program names it
  std::int64_t asked = 0;  ///< tasks, of those calls together
  std::int64_t started = 0;
  std::int32_t code = 0;  ///< of the first task that was not started: PVM's, < 0 (codes.h)
};

/// Adds a call to those of its program.
void add_shortfall(std::vector<SpawnShortfall>& all, SpawnShortfall call);

/// "pvm_spawn started 0 of 4 tasks of ./worker (PvmNoFile: there is no such program)".
std::string text_of(const SpawnShortfall& shortfall);

/// A line in a file of `folder`, from any process that records there. What can't be written is left out.
void note_shortfall(const std::filesystem::path& folder, const SpawnShortfall& call);
/// What they have noted, by program.
std::vector<SpawnShortfall> noted_shortfalls(const std::filesystem::path& folder);

}  // namespace morgana::pvm
