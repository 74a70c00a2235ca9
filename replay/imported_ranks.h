#pragma once

#include "emulator/engine/operation_source.h"
#include "traces/import/imported_program.h"

namespace morgana {

/// An imported program as what an engine runs.
class ImportedRanks final : public OperationSource {
 public:
  /// @param program  must outlive this
  explicit ImportedRanks(ImportedProgram& program) : program_(program) {}
  std::size_t ranks() const override { return program_.ranks(); }
  /// @throws Error naming file and line of what can't be read
  bool next(Rank rank, Operation& operation) override {
    operation = Operation();
    program_.next(rank, operation);
    return true;
  }
  void answer(Rank rank, const Answer& answer) override {
    if (!answer.completed.empty()) program_.found_complete(rank, answer.completed);
  }

 private:
  ImportedProgram& program_;
};

}  // namespace morgana
