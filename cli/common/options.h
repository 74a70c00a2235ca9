#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace morgana::cli {

// What commands and their options are, as data: parser.h reads a command line by it, completion.cpp makes a
// shell's script of it, and --help shows it.

/// Says what is wrong with a value, nothing if it is fine.
using ValueCheck = std::function<std::string(const std::string& value)>;

/// Where a value goes.
using Target = std::variant<bool*, std::string*, std::optional<std::string>*, int*, std::uint32_t*,
                            std::int64_t*, std::uint64_t*, std::vector<std::string>*,
                            std::vector<std::uint32_t>*, std::vector<double>*>;

/// An option, a flag (its target is a bool) or an argument by position (its name has no dash).
struct Option {
  Option(std::string names_, Target target_, std::string description_)
      : names(std::move(names_)), target(target_), description(std::move(description_)) {}

  Option* type_name(std::string name) { return type = std::move(name), this; }
  Option* check(ValueCheck one) { return checks.push_back(std::move(one)), this; }
  Option* must_be_given() { return required = true, this; }
  /// Each time that it is given it adds one value.
  Option* may_be_repeated() { return repeated = true, this; }
  /// One value holds several.
  Option* split_at(char separator) { return delimiter = separator, this; }
  Option* only_with(const Option& other) { return needs = &other, this; }
  /// --help shows what the target holds now, or `text`.
  Option* show_default() { return default_shown = true, this; }
  Option* show_default(std::string text) { return default_text = std::move(text), this; }

  std::string names;  ///< "-p,--platform"
  Target target;
  std::string description, type;
  std::vector<ValueCheck> checks;
  bool required = false, repeated = false, default_shown = false;
  std::optional<char> delimiter;
  std::optional<std::string> default_text;
  const Option* needs = nullptr;
};

/// A command below `morgana`.
struct Command {
  std::string name, description;
  std::string footer;          ///< below its options in --help
  bool takes_program = false;  ///< after "--"
  bool takes_several = false;  ///< programs there, with a lone ":" between them
  std::deque<Option> options;
  std::function<int()> action;  ///< once the targets have their values; returns the exit code
  /// Why it has no --on, and what to do instead: said of those who try it.
  std::string why_alone = {};

  /// The target must outlive the command line's reading.
  Option* add(std::string names, Target target, std::string text) {
    return &options.emplace_back(std::move(names), target, std::move(text));
  }
};

/// `morgana` itself.
struct Commands {
  std::string name, description, footer, version;
  std::deque<Command> all;

  Command& add(std::string command, std::string text) {
    return all.emplace_back(Command{std::move(command), std::move(text), {}, false, false, {}, {}});
  }
};

// What an option takes, checked in Morgana's own words: `--api: "foo" is not auto, mpi or pvm`.
ValueCheck one_of(const std::vector<std::string>& words);
/// More than `low` and less than `high`.
ValueCheck number_between(double low, double high);
ValueCheck whole_number(std::int64_t least, std::int64_t most);
/// Of anything that is left to chance.
ValueCheck seed_number();
/// Not one of another kind of file; a name without an ending may be.
ValueCheck name_of_page();
/// Anything but "", which a variable of the shell's gives that is not set. Every option checks it.
ValueCheck something();

}  // namespace morgana::cli
