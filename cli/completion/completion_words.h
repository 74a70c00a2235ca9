#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/common/options.h"

namespace morgana::cli {

/// What may stand for an option's value, or for an argument.
struct CompletionWords {
  std::vector<std::string> words;
  std::string command;  ///< that prints more of them; empty: none
  bool joined = false;  ///< several, with commas between them
  bool files = false;   ///< a file's name
};

/// Of an option, by one of its names.
CompletionWords words_for_value(const Option& option);
/// Of a command's argument without a name.
CompletionWords words_for_argument(const Commands& all, const Command& command);
/// What an option or command does, in a few words.
std::string brief(const std::string& description);

// A shell's script, made of the options as they are declared.
std::string bash_completion(const Commands& all);
std::string zsh_completion(const Commands& all);
std::string fish_completion(const Commands& all);

}  // namespace morgana::cli
