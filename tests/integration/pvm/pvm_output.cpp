#include "tests/integration/pvm/pvm_output.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace morgana::test {
namespace {

/// Ids of tasks on the first host: 1 << 18 and a number below 256.
bool is_task(unsigned long value) {
  return value > 0x40000 && value < 0x40100;
}

/// Replaces each match by what `replacement` makes of it.
template <typename Function>
std::string replaced(const std::string& text, const std::regex& pattern, Function replacement) {
  std::string result;
  std::size_t end = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), last; match != last; ++match) {
    const auto at = static_cast<std::size_t>(match->position());
    result += text.substr(end, at - end) + replacement(*match);
    end = at + static_cast<std::size_t>(match->length());
  }
  return result + text.substr(end);
}

std::string with_single_blanks(const std::string& line) {
  return std::regex_replace(line, std::regex(" +"), " ");
}

/// printf's \n alone: no fixture needs another.
std::string unescaped(const std::string& text) {
  return std::regex_replace(text, std::regex("\\\\n"), "\n");
}

}  // namespace

std::string PvmOutputFilter::without_ids(const std::string& line) {
  // A context is captured with its number, and left as it is.
  static const std::regex pattern(R"(context:? \d+|\b(?:t|0x)?(4[0-9a-f]{4})(?![0-9a-f])|\b(262\d{3})\b)");
  return replaced(line, pattern, [this](const std::smatch& match) -> std::string {
    unsigned long id = 0;
    if (match[1].matched) id = std::stoul(match[1], nullptr, 16);
    if (match[2].matched) id = std::stoul(match[2], nullptr, 10);
    if (!is_task(id)) return match.str();
    if (order_ != LineOrder::exact) return "T";
    return "T" + std::to_string(ids_.try_emplace(id, ids_.size() + 1).first->second);
  });
}

std::string PvmOutputFilter::without_host(const std::string& line) const {
  static const std::regex word("[A-Za-z0-9_.-]+");
  return replaced(line, word,
                  [this](const std::smatch& match) { return match.str() == host_ ? "HOST" : match.str(); });
}

std::string PvmOutputFilter::without_times(const std::string& line) {
  static const std::regex number(R"(\b\d+(\.\d+)?\b)");
  static const std::regex table(R"(\s*\d+(\.\d+)?(\s+\d+(\.\d+)?)*\s*)");
  static const std::regex measured(
      R"((\b\d+(?:\.\d+)? ?(?:\(us\)|usec|MB/s|Mbps))|((?:uSec|Avg.*) \d+(?:\.\d+)?))");
  if (std::regex_match(line, table)) {
    return with_single_blanks(replaced(line, number, [](const std::smatch& match) -> std::string {
      return match.position() < 2 ? match.str() : "TIME";
    }));
  }
  if (!std::regex_search(line, measured)) return line;
  return with_single_blanks(replaced(line, measured, [](const std::smatch& match) {
    return std::regex_replace(match.str(), number, "TIME");
  }));
}

std::vector<std::string> PvmOutputFilter::lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line = without_host(without_ids(line));
    all.push_back(measures_ ? without_times(line) : line);
  }
  if (order_ != LineOrder::exact) std::sort(all.begin(), all.end());
  if (order_ == LineOrder::any_number) all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

PvmFixture read_pvm_fixture(const std::string& path) {
  std::ifstream file(path);
  PvmFixture fixture;
  std::string line;
  const auto value_of = [&line](const std::string& key, std::string& value) {
    if (line.rfind(key + ": ", 0) != 0) return false;
    value = line.substr(key.size() + 2);
    return true;
  };
  std::string value;
  while (std::getline(file, line) && line != "---") {
    if (value_of("command", fixture.command) || value_of("host", fixture.host)) continue;
    if (value_of("patience", fixture.patience) || value_of("unset", fixture.unset)) continue;
    if (value_of("input", value))
      fixture.input = unescaped(value);
    else if (value_of("times", value))
      fixture.measures = true;
    else if (value_of("compare", value) && (value == "exact" || value == "sorted" || value == "set"))
      fixture.order = value == "exact"    ? LineOrder::exact
                      : value == "sorted" ? LineOrder::any
                                          : LineOrder::any_number;
    else
      throw std::runtime_error(path + " holds an unknown line: " + line);
  }
  std::string* part = &fixture.out;
  bool ended = false;
  while (!ended && std::getline(file, line)) {
    static const std::string code = "--- exit code ";
    if (line == "--- errors")
      part = &fixture.errors;
    else if (line.rfind(code, 0) == 0)
      fixture.exit_code = std::stoi(line.substr(code.size())), ended = true;
    else
      *part += line + '\n';
  }
  if (fixture.command.empty() || !ended) throw std::runtime_error(path + " is no fixture");
  return fixture;
}

}  // namespace morgana::test
