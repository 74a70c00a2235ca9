#include <fmt/core.h>

#include "cli/command.h"
#include "cli/parser.h"
#include "experiments/experiment.h"

namespace morgana::cli {
namespace {

/// "--json --csv ...": every name of every option.
std::string option_names(const Command& command) {
  std::string all = "--help -h";
  for (const Option& option : command.options)
    for (const std::string& name : names_of(option)) all += " " + name;
  return all;
}

/// "--map) ..." lines of the case that completes an option's value, where it isn't a file's name.
constexpr const char* values = R"(    --platform|-p) values=$(morgana platforms --names 2>/dev/null) ;;
    --platforms)
      local chosen=
      [[ $word == *,* ]] && chosen=${word%,*},
      values=$(morgana platforms --names 2>/dev/null | sed "s|^|$chosen|") ;;
    --compute) values="measured none recorded:" ;;
    --from) values="live traces live-everywhere" ;;
    --map) values="block cyclic spread" ;;
    --network) values="torus express-torus cplant now irregular:32 fat-tree:4x2" ;;
    --routes) values="up-down in-transit minimal shortest-up-down" ;;
    --stages) values="gam gms network+disk network+disk+network" ;;
    --policy) values="fixed ramp hierarchical optimal 4096 128" ;;
    --routing-unit) values="each-output each-switch" ;;
    --pattern) values="uniform bit-reversal hotspot:5% local:3" ;;
    --process) values="constant exponential" ;;
    --set|--seed|--seeds|--over|--rows|--jobs|-j|--runs|--ranks|-n|--bytes|--fragments|--least|--most|--burst|--bound) return ;;
)";

/// The script follows the options as they are declared, so it can't fall behind them.
std::string bash_script(const Commands& all) {
  std::string commands, cases;
  for (const Command& command : all.all) {
    commands += (commands.empty() ? "" : " ") + command.name;
    cases += fmt::format("    {}) options=\"{}\" ;;\n", command.name, option_names(command));
  }
  commands += " help";
  std::string script = "# bash completion for morgana; load it with: source <(morgana completion bash)\n";
  script += "_morgana() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n";
  script += "  local i options values=\n  COMPREPLY=()\n";
  script += "  if ((COMP_CWORD == 1)); then\n";
  script += fmt::format("    COMPREPLY=($(compgen -W \"{} {}\" -- \"$word\"))\n    return\n  fi\n", commands,
                        "--help -h --version -V");
  script += "  for ((i = 2; i < COMP_CWORD; i++)); do\n    if [[ ${COMP_WORDS[i]} == -- ]]; then\n";
  script += "      if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -f -- \"$word\"))\n";
  script += "      else COMPREPLY=($(compgen -f -- \"$word\")); fi\n      return\n    fi\n  done\n";
  script += "  case $before in\n";
  script += values;
  script += "  esac\n  if [[ -n $values ]]; then\n";
  script += "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n    return\n  fi\n";
  script += "  case ${COMP_WORDS[1]} in\n" + cases + "  esac\n";
  script += "  [[ ${COMP_WORDS[1]} == platforms && $word != -* ]] && options=$(morgana platforms --names)\n";
  std::string experiment_names = "all";
  for (const Experiment& experiment : experiments()) experiment_names += " " + experiment.name;
  script += fmt::format("  [[ ${{COMP_WORDS[1]}} == reproduce && $word != -* ]] && options=\"{}\"\n",
                        experiment_names);
  script += fmt::format("  [[ ${{COMP_WORDS[1]}} == help ]] && options=\"{}\"\n", commands);
  script += "  [[ ${COMP_WORDS[1]} == completion && $word != -* ]] && options=bash\n";
  script += "  COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n";
  script += "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n}\n";
  script += "complete -o filenames -F _morgana morgana\n";
  return script;
}

}  // namespace

void add_completion(Commands& commands) {
  Command& command = commands.add("completion", "Print a script that completes commands in a shell");
  auto shell = std::make_shared<std::string>();
  command.add("shell", shell.get(), "bash")->must_be_given()->check(one_of({"bash"}))->type_name("SHELL");
  command.footer = R"(
Example (in ~/.bashrc):
  source <(morgana completion bash))";
  command.action = [&commands, shell] {
    fmt::print("{}", bash_script(commands));
    return 0;
  };
}

}  // namespace morgana::cli
