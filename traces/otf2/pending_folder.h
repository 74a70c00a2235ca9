#pragma once

#include <filesystem>
#include <optional>

#include "emulator/core/error.h"
#include "emulator/core/unfinished_path.h"

namespace morgana {

/// A folder in the making: lies beside its later place under another name, and disappears unless it is kept.
/// What is complete is never lost: where its place can't be had any more, it stays beside it.
class PendingFolder {
 public:
  /// @throws Error if something is at `place` that is neither an OTF2 trace of ours, with nothing beside its
  /// own files, nor an empty folder, or if the folder can't be made
  explicit PendingFolder(const std::filesystem::path& place);
  ~PendingFolder();
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Where it will lie.
  const std::filesystem::path& place() const { return place_; }
  /// Moves it to its place. @return whether a trace that was there is gone
  /// @throws Error, which names the folder that holds it now, if something else is at its place now
  /// that must not go
  bool keep();

 private:
  bool put_at_place();
  /// @return where it is
  std::filesystem::path leave_beside();

  std::filesystem::path place_, path_;
  std::optional<UnfinishedPath> unfinished_;
};

}  // namespace morgana
