#include "runs/command_text.h"

#include <fmt/format.h>

namespace morgana {

std::string command_text(const std::vector<std::string>& program) {
  static constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%";
  std::string text;
  for (const std::string& word : program) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

bool is_colon_behind_backslashes(const std::string& word) {
  return word.size() > 1 && word.back() == ':' && word.find_first_not_of('\\') == word.size() - 1;
}

std::vector<std::string> behind_dashes(std::vector<std::string> program) {
  for (std::string& word : program)
    if (word == ":" || is_colon_behind_backslashes(word)) word.insert(0, 1, '\\');
  return program;
}

std::string programs_text(const std::vector<RankProgram>& programs) {
  std::string text;
  for (const RankProgram& program : programs) {
    if (!text.empty()) {
      text += fmt::format(" : -n {} ", program.ranks);
      for (const auto& [name, value] : program.environment)
        text += "--env " + command_text({name + "=" + value}) + " ";
    }
    text += command_text(behind_dashes(program.command));
  }
  return text;
}

}  // namespace morgana
