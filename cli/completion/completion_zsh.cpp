#include <fmt/format.h>

#include "cli/common/parser.h"
#include "cli/completion/completion_words.h"

namespace morgana::cli {
namespace {

/// For single quotes, and for _arguments and _describe, to which brackets and colons mean something.
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  }
  return out;
}

/// What _arguments does to complete a value.
std::string zsh_action(const CompletionWords& value) {
  if (!value.command.empty()) return value.joined ? "_morgana_platform_list" : "_morgana_platforms";
  if (!value.words.empty()) {
    std::string words = fmt::format("{}", fmt::join(value.words, " "));
    if (value.files) return fmt::format("{{_values -w value {}; _files}}", words);
    for (std::size_t at = 0; (at = words.find(':', at)) != std::string::npos; at += 2) words.insert(at, "\\");
    return fmt::format("({})", words);
  }
  return value.files ? "_files" : " ";
}

std::string zsh_spec(const Option& option) {
  std::string specs;
  const std::vector<std::string> names = names_of(option);
  for (const std::string& name : names) {
    const std::string others = option.repeated ? "*" : fmt::format("({})", fmt::join(names, " "));
    std::string value;
    if (!std::holds_alternative<bool*>(option.target))
      value = fmt::format(":{}:{}", zsh_quoted(option.type.empty() ? "value" : option.type),
                          zsh_action(words_for_value(option)));
    specs +=
        fmt::format(" \\\n        '{}{}[{}]{}'", others, name, zsh_quoted(brief(option.description)), value);
  }
  return specs;
}

}  // namespace

std::string zsh_completion(const Commands& all) {
  std::string commands, names, cases;
  for (const Command& command : all.all) {
    commands += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(brief(command.description)));
    names += (names.empty() ? "" : " ") + command.name;
    cases += fmt::format("    {})\n      _arguments '(- *)'{{-h,--help}}'[Print a help text]'", command.name);
    for (const Option& option : command.options)
      if (option.names.starts_with('-')) cases += zsh_spec(option);
    cases += fmt::format(" \\\n        '*:argument:{}' ;;\n", zsh_action(words_for_argument(all, command)));
  }
  return fmt::format(R"zsh(#compdef morgana
# zsh completion for morgana; load it with: source <(morgana completion zsh), or keep it as _morgana in a folder of $fpath
_morgana_platforms() {{
  local -a names
  names=(${{(f)"$(morgana platforms --names 2>/dev/null)"}})
  compadd -a names
  _files
}}
_morgana_platform_list() {{
  local -a names
  names=(${{(f)"$(morgana platforms --names 2>/dev/null)"}})
  _values -s , platform $names
}}
_morgana() {{
  local -a commands
  commands=(
{0}    'help:Print the help text of a command'
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local program=${{words[(i)--]}}
  if ((program < CURRENT)); then
    if ((CURRENT == program + 1)); then _command_names -e; _files
    else _files; fi
    return
  fi
  shift words
  ((CURRENT--))
  case ${{words[1]}} in
{1}    help) compadd {2} ;;
  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _morgana "$@"; else compdef _morgana morgana; fi
)zsh",
                     commands, cases, names);
}

}  // namespace morgana::cli
