#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/temporary_folder.h"
#include "emulator/report/critical_path.h"
#include "replay/comparison.h"
#include "report/chart_page.h"

namespace morgana::cli {

/// The page that `morgana compare --report` asks for: where the time goes on each platform, and the runs'
/// timelines over one axis.
class ComparePage {
 public:
  /// @param file  empty: none is asked for
  /// @param platforms  as many as share the events that a page holds
  /// @throws Error if a page is asked for and this build can't make it
  ComparePage(std::string file, std::size_t platforms);
  /// Before each replay: lets it be watched. Nothing if no page is asked for, as of all that follows.
  void watch(ReplayOptions& how);
  /// After each replay, in the order of the comparison's modelled runs.
  /// @param path  null: not known
  void take(const ComparedRun& run, const ReplayResult& result, const CriticalPath* path);
  /// @param notices  of the trace, and of what its replays mean
  /// @param quiet  says nothing of the page
  void write(const Comparison& comparison, const std::vector<std::string>& notices, bool quiet) const;

 private:
  struct Path {
    std::string platform;
    CriticalPath found;
  };

  ChartSection path_section() const;
  ChartTable gains() const;

  std::string file_;
  std::size_t events_of_each_;
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path trace_;
  std::vector<Path> paths_;
  std::vector<ChartRun> runs_;
};

}  // namespace morgana::cli
