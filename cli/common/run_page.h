#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cli/common/run_options.h"
#include "cli/common/temporary_folder.h"
#include "emulator/core/link_history.h"
#include "emulator/engine/engine.h"
#include "emulator/report/limits/bottleneck.h"
#include "pvmshim/launch/process/interrupt.h"
#include "report/timeline_page.h"
#include "runs/live_run.h"

namespace morgana::cli {

/// The default number of calls and messages that a page holds: some 12 MB.
inline constexpr std::size_t events_of_page = 300'000;
/// All runs of a comparison together: some 4 MB.
inline constexpr std::size_t events_of_comparison = 100'000;

/// What a page shows of it. @param first  the page's first rank: those before it are services
CarriedMessages carried_by(const RankTraffic& traffic, std::size_t first);

/// What a deadlock's text says, as lines for the top of a page: at most so many ranks that wait.
std::vector<BottleneckLine> deadlock_lines(const Deadlock& deadlock, std::size_t most = 24);

/// Its cycle, for the page.
std::vector<CycleMember> cycle_of(const Deadlock& deadlock);

/// The page that --report asks for, drawn from the run's trace, which is in a temporary folder unless --trace
/// asks for it.
class RunPage {
 public:
  /// @throws Error if pages are asked for and this build can't make them
  explicit RunPage(const OutputOptions& options);
  /// Whether there will be a page.
  bool is_wanted() const { return !options_.page.empty(); }
  /// Where the run's trace is to be written; empty: nowhere.
  const std::filesystem::path& trace() const { return trace_; }
  /// What stands at the top of a page that is drawn of a deadlock: how the program was run.
  void begin_with(std::vector<BottleneckLine> settings) { settings_ = std::move(settings); }
  /// Once the trace is there; nothing if no page is asked for. @param path  the critical one; null: not known
  /// @param links  may be empty
  /// @param bottleneck  shown at the top
  /// @param execution  of an execution trace; else null
  /// @param traffic  null: not known
  /// @param ended  of a deadlock: ranks whose last call has ended, though the trace ends with it
  void write(const CriticalPath* path = nullptr, const LinkHistory& links = {},
             const std::vector<BottleneckLine>& bottleneck = {}, std::span<const CycleMember> cycle = {},
             std::span<const Rank> ended = {}, const ExecutionTimeline* execution = nullptr,
             const RankTraffic* traffic = nullptr) const;
  /// Runs something that writes the trace; of a deadlock, which leaves what came before it, the page is drawn
  /// at once. Reports what is not written because the run has failed.
  template <typename Run>
  auto of(const Run& run) const {
    try {
      return run();
    } catch (const Deadlock& deadlock) {
      std::vector<BottleneckLine> lines = deadlock_lines(deadlock);
      lines.insert(lines.end(), settings_.begin(), settings_.end());
      write(nullptr, {}, lines, cycle_of(deadlock), deadlock.ended());
      options_.tell_unwritten(true);
      throw;
    } catch (const RankFailed&) {
      options_.tell_unwritten(false);
      throw;
    } catch (const ProgramFailed&) {
      options_.tell_unwritten(false);
      throw;
    } catch (const Interrupted&) {
      options_.tell_unwritten(false);
      throw;
    }
  }

 private:
  const OutputOptions& options_;
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path trace_;
  std::vector<BottleneckLine> settings_;
};

}  // namespace morgana::cli
