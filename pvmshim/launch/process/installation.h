#pragma once

#include <filesystem>
#include <string>

namespace morgana {

// Where Morgana's own files lie: in a build folder the command is in bin and the libraries are in lib; an
// installation keeps the libraries and programs that are not called directly in lib/morgana.

/// One of Morgana's own libraries, for example "libmorgana-mpi.so": in the folder that the environment
/// variable MORGANA_LIBRARIES names, else in ../lib or ../lib/morgana beside this program.
/// @throws Error if it is not there
std::filesystem::path own_library(const std::string& name);

/// The folder of the programs that come with Morgana (kernels, measurements): the command's own, or
/// ../lib/morgana/bin beside that.
std::filesystem::path own_programs();

}  // namespace morgana
