// The one place that knows CLI11: its header alone takes a compiler seconds.

#include "cli/common/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include "cli/common/launcher_options.h"
#include "emulator/core/error.h"
#include "emulator/schema/nearest.h"
#include "runs/command_text.h"

namespace morgana::cli {
namespace {

/// A description in lines of a help's second column. No line begins with an option's name, so that it can't
/// be taken for an option of the list.
std::string wrapped(const std::string& text) {
  constexpr std::size_t longest_line = 84;
  std::string all;
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    // The word, and the options' names that follow it.
    std::size_t end = std::min(text.find(' ', at), text.size());
    while (end + 1 < text.size() && text[end + 1] == '-')
      end = std::min(text.find(' ', end + 1), text.size());
    if (line > 0 && line + 1 + end - at > longest_line) {
      all += '\n';
      line = 0;
    } else if (line > 0) {
      all += ' ';
      ++line;
    }
    all += text.substr(at, end - at);
    line += end - at;
    at = end + 1;
  }
  return all;
}

class Wrapped : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option));
  }
};

/// "[OPTIONS] -- PROGRAM [ARGUMENTS]".
class ProgramUsage : public Wrapped {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    const std::size_t end = usage.find_last_not_of('\n') + 1;
    return usage.insert(end, " -- PROGRAM [ARGUMENTS]");
  }
};

CLI::Option* declare(CLI::App& app, const Option& option) {
  return std::visit(
      [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), bool*>)
          return app.add_flag(option.names, *target, option.description);
        else
          return app.add_option(option.names, *target, option.description);
      },
      option.target);
}

/// @return what is wrong: nothing ever
std::string without_outer_spaces(std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  text = first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
  return "";
}

void add_options(CLI::App& app, const Command& command) {
  std::map<const Option*, CLI::Option*> declared;
  for (const Option& option : command.options) {
    CLI::Option* const one = declared[&option] = declare(app, option);
    if (!option.type.empty()) one->type_name(option.type);
    if (option.repeated) one->take_all()->expected(1)->allow_extra_args(false);
    if (option.delimiter) {
      one->delimiter(*option.delimiter);
      one->transform(CLI::Validator(without_outer_spaces, "", ""));  // "a, b"
    }
    if (!std::holds_alternative<bool*>(option.target)) one->check(something());
    for (const ValueCheck& check : option.checks) one->check(check);
    if (option.default_shown) one->capture_default_str();
    if (option.default_text) one->default_str(*option.default_text);
    if (option.required) one->required();
    if (option.needs != nullptr) one->needs(declared.at(option.needs));
  }
}

/// "...; see `morgana --help`", or after a question "...? See `morgana --help`".
std::string followed_by(const std::string& what, const std::string& help) {
  return what.ends_with('?') ? what + " See" + help.substr(3) : what + "; " + help;
}

void check_name(const Commands& commands, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands.all) {
    if (command.name == name) return;
    names.push_back(command.name);
  }
  const auto meant = nearest(name, names);
  throw Error(followed_by(
      fmt::format("there is no command {}{}", name, meant ? "; did you mean " + *meant + "?" : ""),
      "see `morgana --help`"));
}

/// "; did you mean --platform?", of an option that the chosen command does not have.
std::string meant(const std::vector<std::string>& unknown, const Command* chosen) {
  std::vector<std::string> names{"--help"};
  if (chosen != nullptr) {
    for (const Option& option : chosen->options)
      for (const std::string& name : names_of(option))
        if (name.starts_with("--")) names.push_back(name);
  }
  const auto near = nearest(unknown.front().substr(0, unknown.front().find('=')), names);
  return near ? "; did you mean " + *near + "?" : "";
}

/// "; morgana compare and morgana replay have it", of a long option that few other commands have; and which
/// have those of runs on several machines, where somebody may expect them.
std::string elsewhere(const std::string& word, const Commands& commands, const Command* chosen) {
  constexpr std::size_t most_named = 2;
  if (!word.starts_with("--")) return "";
  const std::string asked = word.substr(0, word.find('='));
  std::vector<std::string> who;
  for (const Command& command : commands.all)
    for (const Option& option : command.options) {
      const std::vector<std::string> names = names_of(option);
      if (std::ranges::find(names, asked) != names.end()) who.push_back("morgana " + command.name);
    }
  const bool of_machines = asked == "--on" || asked == "--with" || asked == "--distribution";
  if (who.empty() || (who.size() > most_named && !of_machines)) return "";
  std::string alone;
  if (of_machines) alone = "it works on this machine alone: ";
  if (of_machines && chosen != nullptr && !chosen->why_alone.empty()) alone += chosen->why_alone + "; ";
  return fmt::format("; {}{} {} it", alone, fmt::join(who, of_machines ? ", " : " and "),
                     who.size() == 1 ? "has" : "have");
}

/// Whether a word has that short option: at its beginning, or behind flags (-qn0).
bool has_short(const std::string& word, const std::string& name, const Command& chosen) {
  const auto is_flag = [&](const std::string& letter) {
    return std::ranges::any_of(chosen.options, [&](const Option& option) {
      const std::vector<std::string> names = names_of(option);
      return std::holds_alternative<bool*>(option.target) && std::ranges::find(names, letter) != names.end();
    });
  };
  if (!word.starts_with('-')) return false;
  for (const char letter : word.substr(1)) {
    const std::string one{'-', letter};
    if (one == name) return true;
    if (!is_flag(one)) return false;
  }
  return false;
}

/// CLI11 begins with an option's long name; the user may have typed the short one.
std::string as_typed(std::string what, const Command& chosen, const std::vector<std::string>& given) {
  const auto typed = [&](const std::string& name) {
    return std::ranges::any_of(given, [&](const std::string& word) {
      return name.starts_with("--") ? word == name || word.starts_with(name + "=")
                                    : has_short(word, name, chosen);
    });
  };
  for (const Option& option : chosen.options) {
    const std::vector<std::string> names = names_of(option);
    if (names.empty() || !what.starts_with(names.front() + ":") || typed(names.front())) continue;
    const auto other = std::ranges::find_if(names, typed);
    if (other != names.end()) return what.replace(0, names.front().size(), *other);
  }
  return what;
}

/// What is wrong with the options, in one sentence.
/// @param given  the command's words
std::string explain(const CLI::ParseError& error, const CLI::App& app, const Commands& commands,
                    const Command* chosen, bool program_given, const std::vector<std::string>& given) {
  const std::string help = fmt::format("see `morgana{} --help`", chosen == nullptr ? "" : " " + chosen->name);
  const std::vector<std::string> unknown = app.remaining(true);
  const bool lacks_one = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  // What is missing may have been written, with another name.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      (lacks_one && !unknown.empty() && unknown.front().starts_with("--"))) {
    if (!unknown.empty() && unknown.front().starts_with('-')) {
      const std::string others = elsewhere(unknown.front(), commands, chosen);
      return followed_by(fmt::format("{} is not an option of {}{}", unknown.front(),
                                     chosen == nullptr ? "morgana" : "morgana " + chosen->name,
                                     others.empty() ? meant(unknown, chosen) : others),
                         help);
    }
    const bool wants_program = !program_given && (chosen == nullptr || chosen->takes_program);
    return fmt::format("{} was not expected; {}{}", command_text(unknown),
                       wants_program ? "a program to start goes after \"--\"; " : "", help);
  }
  std::string what = chosen == nullptr ? error.what() : as_typed(error.what(), *chosen, given);
  // CLI11 begins with a capital, unless with an option's name.
  if (what.size() > 1 && (what[1] == ' ' || std::islower(static_cast<unsigned char>(what[1])) != 0))
    what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
  return fmt::format("{}; {}", what, help);
}

/// CLI11 drops what is empty in "a,,b" and "a,", which may stand for a name that got lost.
/// @param arguments  of a command, its name first
void refuse_empty_parts(const std::vector<std::string>& arguments, const Command& command) {
  for (const Option& option : command.options) {
    if (!option.delimiter) continue;
    const std::string two{*option.delimiter, *option.delimiter};
    for (const std::string& name : names_of(option)) {
      for (std::size_t i = 1; i < arguments.size(); ++i) {
        std::string value;
        if (arguments[i] == name && i + 1 < arguments.size()) value = arguments[i + 1];
        if (arguments[i].starts_with(name + "=")) value = arguments[i].substr(name.size() + 1);
        if (value.starts_with(*option.delimiter) || value.ends_with(*option.delimiter) ||
            value.find(two) != std::string::npos)
          throw Error(fmt::format("{}: \"{}\" names nothing on one side of a comma; see `morgana {} --help`",
                                  name, value, command.name));
      }
    }
  }
}

bool starts_programs(const Command& command) {
  return command.takes_program || std::ranges::any_of(command.options, [](const Option& option) {
           const std::vector<std::string> names = names_of(option);
           return std::ranges::find(names, "--ranks") != names.end();
         });
}

/// `help` is --help, and `help COMMAND` is COMMAND --help.
std::vector<std::string> with_help_as_option(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

}  // namespace

std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < option.names.size();) {
    const std::size_t end = std::min(option.names.find(',', begin), option.names.size());
    if (option.names[begin] == '-') names.push_back(option.names.substr(begin, end - begin));
    begin = end + 1;
  }
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name.starts_with("--"); });
  return names;
}

Parsed parse(const Commands& commands, const std::vector<std::string>& given, bool program_given) {
  std::vector<std::string> arguments = with_help_as_option(given);
  CLI::App app(commands.description, commands.name);
  app.footer(commands.footer);
  app.set_version_flag("-V,--version", commands.version);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  std::map<const CLI::App*, const Command*> by_app;
  for (const Command& command : commands.all) {
    CLI::App* const one = app.add_subcommand(command.name, command.description);
    by_app[one] = &command;
    one->footer(command.footer);
    if (command.takes_program)
      one->formatter(std::make_shared<ProgramUsage>());
    else
      one->formatter(std::make_shared<Wrapped>());
    add_options(*one, command);
  }

  if (!arguments.empty() && !arguments.front().starts_with('-')) check_name(commands, arguments.front());
  const auto chosen = [&]() -> const Command* {
    return app.get_subcommands().empty() ? nullptr : by_app.at(app.get_subcommands().front());
  };
  for (const Command& command : commands.all) {
    if (arguments.empty() || arguments.front() != command.name) continue;
    refuse_empty_parts(arguments, command);
    arguments = with_ranks_per_host(std::move(arguments), command);
    if (starts_programs(command)) arguments = without_launchers_options(std::move(arguments), command);
  }
  try {
    app.parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // reversed, as CLI11 wants them
  } catch (const CLI::Success& asked) {                                   // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw Error(explain(error, app, commands, chosen(), program_given, arguments));
  }
  return chosen();
}

}  // namespace morgana::cli
