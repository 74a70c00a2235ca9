#include <fmt/core.h>

#include <memory>

#include "cli/common/command.h"
#include "cli/completion/completion_words.h"

namespace morgana::cli {

void add_completion(Commands& commands) {
  Command& command = commands.add("completion", "Print a script that completes commands in a shell");
  auto shell = std::make_shared<std::string>();
  command.add("shell", shell.get(), "bash, zsh or fish")
      ->must_be_given()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  command.footer = R"(
Examples (in ~/.bashrc, in ~/.zshrc behind compinit, in ~/.config/fish/config.fish):
  source <(morgana completion bash)
  source <(morgana completion zsh)
  morgana completion fish | source)";
  command.action = [&commands, shell] {
    fmt::print("{}", *shell == "bash"  ? bash_completion(commands)
                     : *shell == "zsh" ? zsh_completion(commands)
                                       : fish_completion(commands));
    return 0;
  };
}

}  // namespace morgana::cli
