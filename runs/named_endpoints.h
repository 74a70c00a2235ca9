#pragma once

#include <span>

#include "emulator/messaging/machine.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// Waits for a rank's word that it uses libmorgana-am (pvmshim/mpi/active_messages.cpp), which is not known
/// before of a program that loads the library when it runs, or that a script starts. From then on the tags of
/// the library's messages name endpoints, as for a program that is linked to it.
class NamedEndpoints final : public OperationObserver {
 public:
  /// Whether there is anything to wait for: NICs that hold endpoints, which have not been announced.
  static bool are_open(const Machine& machine);

  /// @param machine  must outlive it
  explicit NamedEndpoints(Machine& machine) : machine_(machine) {}
  /// @throws Error if messages have been sent between endpoints that are ranks: the word comes too late
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;

 private:
  Machine& machine_;
  bool is_any_addressed_ = false;  ///< a message, maybe
};

}  // namespace morgana
