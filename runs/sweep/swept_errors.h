#pragma once

#include <filesystem>
#include <string>

namespace morgana {

/// While it lives, what this process and its children write to standard error goes to a file of its own: for
/// the processes of a sweep's runs, each of which makes one run. A file into which nothing was written is
/// removed.
class SweptErrors {
 public:
  /// @param folder  made when needed; empty: everything is dropped
  /// @param run  the run's name, from which the file's name follows
  /// @throws Error if there can't be such a file
  SweptErrors(const std::filesystem::path& folder, const std::string& run);
  ~SweptErrors();
  SweptErrors(const SweptErrors&) = delete;
  SweptErrors& operator=(const SweptErrors&) = delete;

  /// FOLDER/network.latency=1+us,seed+1.txt: different names give different files.
  static std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& run);
  static bool are_kept(const std::filesystem::path& folder, const std::string& run);

 private:
  std::filesystem::path file_;
  int saved_ = -1;
};

}  // namespace morgana
