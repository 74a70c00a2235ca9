#pragma once

#include <string>
#include <vector>

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// What the user asked of a kernel.
struct Request {
  std::string class_name;  ///< whose sizes these are; "custom" if none
  Sizes sizes;
  bool help = false;
  bool traffic = false;  ///< print which messages were sent

  // Of the PVM face only:
  int tasks = 4;
  bool raw = false;     ///< PvmDataRaw in place of the XDR encoding
  bool direct = false;  ///< PvmRouteDirect in place of the daemons
};

enum class Face { mpi, pvm };

/// Reads the arguments after the program's name.
/// @throws Refusal for anything that is not an option, is out of range or fails the kernel's own check. For
/// MPI the caller checks again with the number of ranks.
Request read_command_line(const Kernel& kernel, Face face, const std::vector<std::string>& arguments);

/// The text of --help.
std::string help(const Kernel& kernel, Face face);

}  // namespace morgana::kernels
