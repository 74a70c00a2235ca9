#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "emulator/collectives/measured_collective.h"
#include "emulator/collectives/nccl_parameters.h"
#include "emulator/platform/platform.h"
#include "runs/nccl_group.h"

namespace morgana {

/// What a collective took, from its start until the last rank had left it.
struct CollectiveTime {
  SimTime time;
  /// Size over time, in bytes per second; and times bus_factor().
  double algorithm_bandwidth = 0, bus_bandwidth = 0;
  /// What carried it out: "tree ll128", "ring simple (tuner, line 14)", or MPICH's algorithm,
  /// "recursive-doubling".
  std::string carried_out_by;
};

/// A collective of all ranks, which enter it at the same time and do nothing else, on a modelled platform,
/// without any process.
class CollectiveTimer {
 public:
  struct Group {
    MeasuredCollective collective = MeasuredCollective::all_reduce;
    std::size_t ranks = 2;
    Placement placement = {};
    std::uint64_t seed = 1;
  };
  /// How it is carried out; "auto" is the library's choice.
  struct How {
    std::string algorithm = "auto";  ///< one of the library's for this collective
    std::string protocol = "auto";   ///< NCCL's: ll, ll128, simple
  };
  /// @throws Error for ranks that can't be placed so
  CollectiveTimer(Platform platform, CollectiveLibrary library, Group group);

  /// @param bytes  as nccl-tests count them, > 0; as possible_size()
  /// @throws Error for an algorithm or protocol that the library does not have for this collective, and where
  /// a message is lost
  CollectiveTime time(Bytes bytes, const How& how) const;

 private:
  CollectiveTime time_of_mpi(Bytes bytes, const std::string& algorithm) const;

  Platform platform_;
  Group group_;
  std::optional<NcclGroup> nccl_;  ///< nothing: MPICH
};

}  // namespace morgana
