#include <fmt/format.h>

#include "cli/common/parser.h"
#include "cli/completion/completion_words.h"

namespace morgana::cli {
namespace {

std::string patterns_of(const Option& option) {
  return fmt::format("{}", fmt::join(names_of(option), "|"));
}

std::string words_of(const CompletionWords& value) {
  return fmt::format("{}{}{}", fmt::join(value.words, " "),
                     value.words.empty() || value.command.empty() ? "" : " ",
                     value.command.empty() ? "" : fmt::format("$({})", value.command));
}

/// "    --map) values=...; files=1 ;;\n" of an option that takes a value.
std::string value_case(const Option& option) {
  const CompletionWords value = words_for_value(option);
  std::string actions;
  if (value.joined)
    actions = fmt::format(
        "local chosen=\n          [[ $word == *,* ]] && chosen=${{word%,*}},\n"
        "          values=$({} | sed \"s|^|$chosen|\")",
        value.command);
  else if (!value.words.empty() || !value.command.empty())
    actions = fmt::format("values=\"{}\"", words_of(value));
  if (value.files) actions += (actions.empty() ? "" : "; ") + std::string("files=1");
  return fmt::format("        {}) valued=1{}{} ;;\n", patterns_of(option), actions.empty() ? "" : "; ",
                     actions);
}

std::string command_case(const Commands& all, const Command& command) {
  std::string text = fmt::format("    {})\n      case $before in\n", command.name);
  std::string names = "--help -h";
  for (const Option& option : command.options) {
    for (const std::string& name : names_of(option)) names += " " + name;
    if (option.names.starts_with('-') && !std::holds_alternative<bool*>(option.target))
      text += value_case(option);
  }
  const CompletionWords argument = words_for_argument(all, command);
  text += fmt::format("      esac\n      options=\"{}\"; arguments=\"{}\"; argument_files={} ;;\n", names,
                      words_of(argument), argument.files ? 1 : 0);
  return text;
}

}  // namespace

std::string bash_completion(const Commands& all) {
  std::string commands, cases;
  for (const Command& command : all.all) {
    commands += command.name + " ";
    cases += command_case(all, command);
  }
  return fmt::format(R"(# bash completion for morgana; load it with: source <(morgana completion bash)
_morgana() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local i options= arguments= argument_files=0 values= files=0 valued=0
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{0}help --help -h --version -V" -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -f -- "$word"))
      else COMPREPLY=($(compgen -f -- "$word")); fi
      return
    fi
  done
  case ${{COMP_WORDS[1]}} in
{1}    help) arguments="{0}" ;;
  esac
  if ((!valued)); then
    values=$arguments files=$argument_files
    [[ $word != -* ]] || values=$options files=0
  fi
  COMPREPLY=($(compgen -W "$values" -- "$word"))
  ((!files)) || COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _morgana morgana
)",
                     commands, cases);
}

}  // namespace morgana::cli
