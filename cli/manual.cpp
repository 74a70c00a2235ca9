#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/common/command.h"
#include "cli/common/parser.h"
#include "cli/common/result_files.h"
#include "emulator/core/error.h"
#include "emulator/report/output_file.h"

// Manual pages in the roff of man(7), made of the same descriptions as --help.

namespace morgana::cli {
namespace {

/// Text as roff takes it: no line of it is a request.
std::string roff_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      (out += "\\&") += c;
    else
      out += c;
  }
  return out;
}

/// The same of what is typed as it stands: a dash is no hyphen.
std::string literal(const std::string& text) {
  std::string out;
  for (const char c : roff_text(text)) {
    if (c == '-') out += '\\';
    out += c;
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string header(const std::string& page, const Commands& all) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"Morgana\"\n", literal(upper(page)), literal(all.version));
}

/// What --help shows below the options: paragraphs, and lines of examples, which begin with two spaces.
std::string body(const std::string& footer) {
  std::string out;
  bool in_example = false;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool example = line.starts_with("  ");
    if (example != in_example) out += example ? ".EX\n" : ".EE\n";
    in_example = example;
    if (line.empty())
      out += ".PP\n";
    else if (line == "Example:" || line == "Examples:")
      out += ".SH EXAMPLES\n";
    else
      out += (example ? literal(line) : roff_text(line)) + "\n";
  }
  return in_example ? out + ".EE\n" : out;
}

std::string default_of(const Option& option) {
  if (option.default_text) return *option.default_text;
  if (!option.default_shown) return {};
  return std::visit(
      [](const auto* target) -> std::string {
        using Value = std::decay_t<decltype(*target)>;
        if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, std::optional<std::string>>)
          return {};
        else if constexpr (std::is_same_v<Value, std::string> || std::is_arithmetic_v<Value>)
          return fmt::format("{}", *target);
        else
          return fmt::format("{}", fmt::join(*target, ","));
      },
      option.target);
}

bool is_flag(const Option& option) {
  return std::holds_alternative<bool*>(option.target);
}

std::string value_of(const Option& option) {
  if (is_flag(option)) return {};
  return option.type.empty() ? "VALUE" : option.type;
}

std::string entry(const Option& option) {
  std::string names;
  for (const std::string& name : names_of(option))
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", literal(name));
  if (names.empty()) names = fmt::format("\\fI{}\\fR", literal(option.names));
  if (const std::string value = value_of(option); !value.empty() && option.names.starts_with('-'))
    names += fmt::format(" \\fI{}\\fR", literal(value));
  std::string text = roff_text(option.description);
  if (const std::string preset = default_of(option); !preset.empty())
    text += fmt::format(".\nDefault: {}.", literal(preset));
  if (option.needs != nullptr)
    text += fmt::format(".\nOnly with {}.", literal(names_of(*option.needs).front()));
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

std::string page_of(const Command& command, const Commands& all) {
  std::string page = header(all.name + "-" + command.name, all);
  page += fmt::format(".SH NAME\n{} \\- {}\n", literal(all.name + "-" + command.name),
                      roff_text(command.description));
  page += fmt::format(".SH SYNOPSIS\n\\fB{} {}\\fR [\\fIOPTIONS\\fR]", all.name, command.name);
  std::string positional, options;
  for (const Option& option : command.options) {
    if (option.names.starts_with('-')) {
      options += entry(option);
    } else {
      const std::string name = fmt::format("\\fI{}\\fR", literal(option.names));
      page += option.required ? " " + name : fmt::format(" [{}]", name);
      positional += entry(option);
    }
  }
  if (command.takes_program) page += " \\-\\- \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]";
  page += "\n";
  if (!positional.empty()) page += ".SH ARGUMENTS\n" + positional;
  page += ".SH OPTIONS\n" + options + ".TP\n\\fB\\-\\-help\\fR, \\fB\\-h\\fR\nPrint a help text and exit\n";
  const std::size_t text = command.footer.find_first_not_of('\n');
  if (text != std::string::npos) {
    const std::string footer = command.footer.substr(text);
    page += (footer.starts_with("Example") ? "" : ".SH NOTES\n") + body(footer);
  }
  return page + fmt::format(".SH SEE ALSO\n.BR {} (1)\n", all.name);
}

std::string page_of(const Commands& all) {
  std::string page = header(all.name, all);
  const std::string& text = all.description;
  const std::size_t first = text.find('.');
  page += fmt::format(".SH NAME\n{} \\- {}\n", all.name, roff_text(text.substr(0, first)));
  page += fmt::format(
      ".SH SYNOPSIS\n\\fB{}\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\-\\- \\fIPROGRAM\\fR "
      "[\\fIARGUMENTS\\fR]]\n",
      all.name);
  page +=
      ".SH DESCRIPTION\n" + body(text.substr(std::min(text.find_first_not_of(". \n", first), text.size())));
  page += ".SH COMMANDS\n";
  for (const Command& command : all.all)
    page += fmt::format(".TP\n.BR {}\\-{} (1)\n{}\n", all.name, literal(command.name),
                        roff_text(command.description));
  page += ".SH NOTES\n" +
          body(all.footer.substr(std::min(all.footer.find_first_not_of('\n'), all.footer.size())));
  page += R"(.SH ENVIRONMENT
.TP
.B MORGANA_PLATFORMS
The folder of the platforms, in place of the one that comes with Morgana.
.TP
.B MORGANA_LIBRARIES
The folder of the libraries that are put into programs.
.TP
.B MORGANA_CACHE
Where translated traces are kept, or off; see
.BR morgana\-cache (1).
.TP
.B MORGANA_MPICH_MESSAGES
ucx: ranks of emulated runs connect as MPICH would by itself.
)";
  page += ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < all.all.size(); ++i)
    page += fmt::format(".BR {}\\-{} (1){}\n", all.name, literal(all.all[i].name),
                        i + 1 < all.all.size() ? "," : "");
  return page;
}

struct ManualArguments {
  std::string command, folder;
};

int manual(const Commands& all, const ManualArguments& options) {
  if (!options.folder.empty()) {
    make_output_folder(options.folder);
    const std::filesystem::path folder = options.folder;
    write_output((folder / (all.name + ".1")).string(), page_of(all));
    for (const Command& command : all.all)
      write_output((folder / (all.name + "-" + command.name + ".1")).string(), page_of(command, all));
    return 0;
  }
  if (options.command.empty()) {
    fmt::print("{}", page_of(all));
    return 0;
  }
  for (const Command& command : all.all)
    if (command.name == options.command) {
      fmt::print("{}", page_of(command, all));
      return 0;
    }
  throw Error(fmt::format("there is no command {}; see `morgana --help`", options.command));
}

}  // namespace

void add_manual(Commands& commands) {
  Command& command = commands.add("manual", "Print a manual page for man");
  auto options = std::make_shared<ManualArguments>();
  command.add("name", &options->command, "Command of the page; default: morgana itself")
      ->type_name("COMMAND");
  command.add("--all", &options->folder, "Write the pages of all commands into this folder")
      ->type_name("DIR");
  command.footer = R"(
Examples:
  man -l <(morgana manual run)
  morgana manual --all ~/.local/share/man/man1)";
  command.action = [&commands, options] { return manual(commands, *options); };
}

}  // namespace morgana::cli
