#pragma once

#include <initializer_list>
#include <string>

namespace morgana::cli {

/// A file that results are to go to, and the option that names it.
struct ResultOption {
  const char* option;  ///< "--json"
  std::string file;    ///< empty: not asked for; "-": standard output
  bool ours = true;    ///< write_output's; else whoever writes it says whether that can be done
};

/// Before a run that may take long. If a file is "-", standard output is reserved for it: summaries and what
/// programs print go to standard error.
/// @throws Error if a file can't be written, or two options name the same one
void claim_results(std::initializer_list<ResultOption> results);

/// Writes a web page, and says on standard error how large it is and what to do with it.
/// @param content  what it shows, such as "100 calls of 4 ranks"; empty: its name says enough
/// @param quiet  writes it, and says nothing
/// @throws Error naming the file and the cause
void write_page(const std::string& file, const std::string& page, bool quiet,
                const std::string& content = {});

}  // namespace morgana::cli
