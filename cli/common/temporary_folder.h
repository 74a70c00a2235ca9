#pragma once

#include <filesystem>
#include <optional>

#include "pvmshim/launch/process/interrupt.h"

namespace morgana::cli {

/// Where a command that shares its runs out has files that all machines see: the folder in which it runs.
/// @param shares  whether it does; if not, where TMPDIR says
inline std::filesystem::path parent_for_shared_runs(bool shares) {
  return shares ? std::filesystem::current_path() : std::filesystem::path();
}

/// A private folder (mode 0700) for files that other users must not see. It is gone when this object is, and
/// also when this process is killed: a small process of its own makes the folder, waits and then removes it.
class TemporaryFolder {
 public:
  /// @param parent  where it is made; empty: where TMPDIR says
  explicit TemporaryFolder(std::filesystem::path parent = {});
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  void end_keeper();

  std::filesystem::path path_;
  int lifeline_ = -1;  ///< write end of a pipe: closed by whatever ends this process
  int keeper_ = -1;
  std::optional<HelperProcess> helper_;
};

}  // namespace morgana::cli
