#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/core/link_history.h"
#include "emulator/report/limits/critical_path.h"
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
  bool is_wanted() const { return !file_.empty(); }
  /// What the page shows of a replay's timeline.
  /// @param trace  that the replay has written @param path  null: not known
  nlohmann::json data_of(const std::filesystem::path& trace, const CriticalPath* path,
                         const LinkHistory& history) const;
  /// Of each of the comparison's modelled runs, in their order. @param data  as data_of()
  void take(const ComparedRun& run, nlohmann::json data);
  /// Nothing if no page is asked for.
  /// @param notices  of the trace, and of what its replays mean
  /// @param quiet  says nothing of the page
  void write(const Comparison& comparison, const std::vector<std::string>& notices, bool quiet) const;

 private:
  struct Path {
    std::string platform;
    PathTimes times;
  };

  ChartSection path_section() const;
  ChartTable gains() const;

  std::string file_;
  std::size_t events_of_each_;
  std::vector<Path> paths_;
  std::vector<ChartRun> runs_;
};

}  // namespace morgana::cli
