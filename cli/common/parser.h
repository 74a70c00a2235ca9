#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/common/options.h"

namespace morgana::cli {

/// The command that the user has chosen, its targets filled; or the exit code once --help or --version has
/// been printed.
using Parsed = std::variant<const Command*, int>;

/// Reads a command line, `help` and `help COMMAND` too, without the program's name, and without "--" and what
/// follows it.
/// @param program_given  whether there was a "--"
/// @throws Error that says in one sentence what is wrong, and what was meant
Parsed parse(const Commands& commands, const std::vector<std::string>& given, bool program_given);

/// {"--platform", "-p"} of "-p,--platform": long names first; nothing of an argument by position.
std::vector<std::string> names_of(const Option& option);

}  // namespace morgana::cli
