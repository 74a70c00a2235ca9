#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/report/csv.h"

namespace morgana {

/// Results as they come, one row a run, in a CSV file that a later call takes up where this one has stopped,
/// however it has stopped. The first columns say what was run, the others what it gave.
class ResultFile {
 public:
  /// Opens the file, or makes it, and locks it; a last row that was cut off in the writing is dropped.
  /// @param heading  names of the columns; the first `inputs` say what was run
  /// @throws Error for a file that can't be read or written, holds something else, or is in use
  ResultFile(const std::string& path, CsvRow heading, std::size_t inputs);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  const std::vector<CsvRow>& rows() const { return rows_; }
  /// The row of a run that is in the file already; nullptr if it is not.
  const CsvRow* find(const CsvRow& inputs) const;
  /// Puts a row at the end, at once.
  void append(const CsvRow& row);
  /// Puts the rows in order: those that are none of `order`'s first, as they came, then those of `order`,
  /// which lists inputs. So the same runs give the same file, whichever ended first.
  void arrange(const std::vector<CsvRow>& order);

 private:
  CsvRow inputs_of(const CsvRow& row) const;
  void take_up(const std::string& text);

  std::string path_;
  CsvRow heading_;
  std::size_t inputs_;
  int fd_ = -1;
  std::vector<CsvRow> rows_;
  std::map<CsvRow, std::size_t> place_;  // of a row in rows_, by its inputs
};

/// The rows of such a file as it stands now, also while another process writes to it; none if there is no
/// file.
/// @throws Error for a file that can't be read or holds something else
std::vector<CsvRow> read_results(const std::string& path, const CsvRow& heading);

}  // namespace morgana
