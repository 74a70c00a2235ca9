#include "tests/integration/support/printed_lines.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace morgana::test {
namespace {

/// A rank's numbers are written in eleven letters from this one on; the last ends a line.
constexpr const char* first_letters = "alAL";

bool is_of(char letter, char first) {
  return letter >= first && letter <= first + 10;
}

std::string lines_of(char first, int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line) {
    for (const char digit : std::to_string(line)) text += static_cast<char>(first + digit - '0');
    text += static_cast<char>(first + 10);
  }
  return text;
}

}  // namespace

std::string wrong_lines(const std::string& text, int ranks, int lines) {
  std::size_t letters = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const char first = first_letters[rank];
    std::string its;
    std::copy_if(text.begin(), text.end(), std::back_inserter(its),
                 [first](char letter) { return is_of(letter, first); });
    if (its != lines_of(first, lines))
      return "of rank " + std::to_string(rank) + " there are " +
             std::to_string(std::ranges::count(its, first + 10)) + " lines instead of " +
             std::to_string(lines) + ", or they are out of order";
    letters += its.size();
  }
  const std::size_t ends = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(lines);
  if (text.size() != letters + ends || static_cast<std::size_t>(std::ranges::count(text, '\n')) != ends)
    return "something else stands between the ranks' lines";
  return "";
}

std::string without_notes(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("morgana: note: ")) kept += line + "\n";
  return kept;
}

}  // namespace morgana::test
