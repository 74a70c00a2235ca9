#pragma once

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/kernels/common/team.h"

namespace morgana::kernels {

/// Throws a Refusal that names the call and PVM's error, if `code` is one. @return code
int pvm_checked(int code, const char* call);

/// The workers of a kernel that PVM's master has spawned.
class PvmTeam : public Team {
 public:
  /// @param tasks  the task ids of all workers, by rank
  /// @param encoding  for pvm_initsend
  PvmTeam(int rank, std::vector<int> tasks, int encoding)
      : Team(rank, static_cast<int>(tasks.size())), tasks_(std::move(tasks)), encoding_(encoding) {}

  void finish() override {}  // pvm_send has taken a copy
  double seconds() const override;

 protected:
  void post(int to, int tag, Element element, const void* values, std::size_t count) override;
  void take(int from, int tag, Element element, void* values, std::size_t count) override;

 private:
  std::vector<int> tasks_;
  int encoding_;
};

}  // namespace morgana::kernels
