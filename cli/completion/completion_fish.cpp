#include <fmt/format.h>

#include "cli/common/parser.h"
#include "cli/completion/completion_words.h"

namespace morgana::cli {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// " -x -a '...'": what may stand there; files, too, with -r.
std::string fish_values(const CompletionWords& value) {
  std::string words = fmt::format("{}", fmt::join(value.words, " "));
  if (!value.command.empty())
    words += (words.empty() ? "" : " ") + (value.joined ? fmt::format("(__fish_append , ({}))", value.command)
                                                        : fmt::format("({})", value.command));
  return fmt::format(" {}{}", value.files ? "-r -F" : "-x", words.empty() ? "" : " -a " + fish_quoted(words));
}

}  // namespace

std::string fish_completion(const Commands& all) {
  std::string script =
      "# fish completion for morgana; load it with: morgana completion fish | source\n"
      "complete -c morgana -n __fish_use_subcommand -x -a help -d 'Print the help text of a command'\n"
      "complete -c morgana -s h -l help -d 'Print a help text'\n"
      "complete -c morgana -n __fish_use_subcommand -s V -l version -d 'Print the version'\n";
  std::string names;
  for (const Command& command : all.all) {
    names += (names.empty() ? "" : " ") + command.name;
    script += fmt::format("complete -c morgana -n __fish_use_subcommand -x -a {} -d {}\n", command.name,
                          fish_quoted(brief(command.description)));
    const std::string within =
        fmt::format("complete -c morgana -n '__fish_seen_subcommand_from {}'", command.name);
    const CompletionWords argument = words_for_argument(all, command);
    if (!argument.words.empty() || !argument.command.empty())
      script += fmt::format("{}{}\n", within, fish_values(argument));
    for (const Option& option : command.options) {
      if (!option.names.starts_with('-')) continue;
      script += within;
      for (const std::string& name : names_of(option))
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!std::holds_alternative<bool*>(option.target)) script += fish_values(words_for_value(option));
      script += fmt::format(" -d {}\n", fish_quoted(brief(option.description)));
    }
  }
  return script + fmt::format("complete -c morgana -n '__fish_seen_subcommand_from help' -x -a {}\n",
                              fish_quoted(names));
}

}  // namespace morgana::cli
