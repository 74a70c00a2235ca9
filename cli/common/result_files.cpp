#include "cli/common/result_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "emulator/core/standard_error.h"
#include "emulator/report/output_file.h"

namespace morgana::cli {
namespace {

/// One name for a file, however it is written.
std::string settled(const std::string& file) {
  if (file == "-") return file;
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file), ignored);
}

}  // namespace

void claim_results(std::initializer_list<ResultOption> results) {
  std::map<std::string, const char*> claimed;
  for (const auto& [option, file, ours] : results) {
    if (file.empty()) continue;
    if (file != "-") check_output_name(file);  // before it is looked up
    const auto [place, first] = claimed.emplace(settled(file), option);
    if (!first)
      throw Error(fmt::format("{} and {} both name {}: give each another file", place->second, option,
                              file == "-" ? "standard output" : file));
    if (ours) check_output(file);
  }
  if (claimed.contains("-")) reserve_standard_output();
}

void write_page(const std::string& file, const std::string& page, bool quiet, const std::string& content) {
  write_output(file, page);
  if (quiet) return;
  print_error(fmt::format("{}: {:.1f} MB{}{}; open it in a browser\n",
                          file == "-" ? "the page on standard output" : file,
                          static_cast<double>(page.size()) / 1e6, content.empty() ? "" : ", ", content));
}

}  // namespace morgana::cli
