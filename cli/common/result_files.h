#pragma once

#include <initializer_list>
#include <string>

namespace morgana::cli {

/// An output file and the option that names it.
struct ResultOption {
  const char* option;  ///< such as "--json"
  std::string file;    ///< a path; "-": standard output; empty: the option was not given
  bool ours = true;    ///< write_output() writes it. false: its writer checks that the file can be written
};

/// Checks the output files of a command. To be called before the command's work, so that a wrong name is
/// reported at once. If a file is "-", standard output is reserved for it from now on: summaries and the
/// output of programs go to standard error.
/// @throws Error if a file can't be written, or two options name the same file
void claim_results(std::initializer_list<ResultOption> results);

/// Writes a web page and prints a line about it on standard error: its file, its size in MB, `content`, and
/// that a browser opens it.
/// @param file  a path; "-": standard output
/// @param page  the HTML text
/// @param quiet  prints no line
/// @param content  what the page shows, such as "100 calls of 4 ranks"; empty: left out of the line
/// @throws Error that names the file and the cause
void write_page(const std::string& file, const std::string& page, bool quiet,
                const std::string& content = {});

}  // namespace morgana::cli
