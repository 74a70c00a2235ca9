#pragma once

#include <map>
#include <string>
#include <vector>

namespace morgana::test {

/// Which lines may differ between runs: none; their order; or also how often each occurs.
enum class LineOrder { exact, any, any_number };

/// Makes outputs of PVM programs comparable. It replaces
/// - task ids, however they are written (t40003, 0x40003, 40003 or 262147 on the first host): by T1, T2, ...
///   in the order in which they are seen first, where the lines' order is fixed, else all by T; a number
///   behind the word "context" is none, though new contexts look alike;
/// - the machine's name: by HOST;
/// - if the program measures, what it has measured, by TIME: all numbers of a line that holds nothing else,
///   but for a row's number at its begin, and in other lines numbers before or behind "us", "usec", "uSec",
///   "MB/s", "Mbps" or in a line of "Avg"; runs of blanks in such lines count as one, because the widths of
///   columns follow the numbers.
class PvmOutputFilter {
 public:
  PvmOutputFilter(LineOrder order, bool measures, std::string host)
      : order_(order), measures_(measures), host_(std::move(host)) {}

  std::vector<std::string> lines(const std::string& text);

 private:
  std::string without_ids(const std::string& line);
  std::string without_host(const std::string& line) const;
  static std::string without_times(const std::string& line);

  LineOrder order_;
  bool measures_;
  std::string host_;
  std::map<unsigned long, std::size_t> ids_;
};

/// A run over the real PVM that was recorded (see the script `record`).
struct PvmFixture {
  std::string command;  ///< with {programs} and {here}
  std::string input;
  LineOrder order = LineOrder::exact;
  bool measures = false;
  std::string host;      ///< on which it was recorded
  std::string patience;  ///< a line that the program prints as often as it has to wait; "": none
  std::string unset;     ///< in lines that show a variable which the program has never set; "": none
  std::string out, errors;
  int exit_code = 0;
};

/// @throws std::runtime_error if the file is no fixture
PvmFixture read_pvm_fixture(const std::string& path);

}  // namespace morgana::test
