#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// What the tasks of a captured PVM run have recorded, as ranks: the tasks are the ranks from 1 on, in the
/// order in which they were started; rank 0 is the virtual machine (its daemon and its group server), whose
/// part follows from what the tasks say to it and hear from it (docs/decisions/0009).
class PvmCapture {
 public:
  static constexpr std::size_t services = 1, ranks_at_start = 2;

  /// @param folder  as given to run_capturing_pvm
  /// @throws Error if no task has recorded anything, or a log holds nonsense
  explicit PvmCapture(const std::filesystem::path& folder);
  ~PvmCapture();

  /// Reports to the observers (a TraceWriter, statistics) every rank's operations in its program's order, the
  /// ranks' merged by when operations ended.
  /// @return a sentence for each task whose log ends before it did
  std::vector<std::string> read(std::span<OperationObserver* const> observers);
  /// A sentence for each program of which pvm_spawn has started fewer tasks than it was asked for.
  std::vector<std::string> shortfalls() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
