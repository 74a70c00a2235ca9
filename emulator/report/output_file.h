#pragma once

#include <string>

#include "emulator/core/error.h"

namespace morgana {

/// Writes `text` to the file `path`, or to standard output if `path` is "-". The file changes in one step:
/// a reader sees the old content or the new, never half of it. A link stays one: what it leads to
/// changes.
/// @throws Error naming the file and the cause
void write_output(const std::string& path, const std::string& text);

/// The file that a path leads to, by way of links or not; whether or not it is there.
/// @throws Error if links lead to each other
std::string output_target(const std::string& path);

/// Whether a file could have that name. @throws Error naming it and the cause (empty, too long, below a file)
void check_output_name(const std::string& path);

/// From here on standard output is write_output's alone: what anybody else writes there, also programs that
/// are started later, goes to standard error.
/// @throws Error if that can't be arranged
void reserve_standard_output();

/// Whether write_output could write there, as far as that can be said before.
/// @throws Error naming the file and the cause
void check_output(const std::string& path);

/// Makes the folder that results are to be put into, with those above it, if it isn't there.
/// @throws Error naming the folder and the cause, also if files can't be made in it
void make_output_folder(const std::string& path);

}  // namespace morgana
