#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "emulator/collectives/measured_collective.h"
#include "emulator/collectives/nccl/nccl_model.h"
#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/platform/platform.h"
#include "runs/nccl_group.h"

namespace morgana {

/// What a collective took, from its start until the last rank had left it.
struct CollectiveTime {
  SimTime time;
  /// Size over time, in bytes per second; and times bus_factor().
  double algorithm_bandwidth = 0, bus_bandwidth = 0;
  /// What carried it out: "tree ll128", "ring simple (tuner, line 14)", or MPICH's or Open MPI's algorithm,
  /// "recursive-doubling".
  std::string carried_out_by;
  /// Which tier of links was busy for long, or that none was, and the busiest of them (limiting_tier_text,
  /// busiest_links_text); empty of a network without links.
  std::string limit, busiest;
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

  /// What carries it out, as CollectiveTime::carried_out_by; nothing is run.
  /// @param bytes  as nccl-tests count them, > 0; as possible_size()
  /// @throws Error for an algorithm or protocol that the library does not have for this collective
  std::string carried_out_by(Bytes bytes, const How& how) const;
  /// What is carried out alike (`auto` and the algorithm that it chooses, but for Open MPI's) runs once.
  /// @param progress  called now and then with the share done, where that is known; may be empty
  /// @throws Error as carried_out_by(), and where a message is lost
  CollectiveTime time(Bytes bytes, const How& how, const std::function<void(double)>& progress = {}) const;

 private:
  nccl::Choice nccl_choice(Bytes bytes, const How& how) const;
  Machine mpi_machine(const How& how) const;
  std::string mpi_algorithm(Bytes bytes, const How& how, const Machine& machine) const;
  Bytes given(Bytes bytes) const;
  CollectiveTime time_of_mpi(Bytes bytes, const How& how) const;

  /// What decides a time: size, what carries it out, and with Open MPI, which cuts messages only then,
  /// whether that is asked for.
  using Way = std::tuple<Bytes, std::string, bool>;
  Platform platform_;
  Group group_;
  CollectiveLibrary library_;
  std::optional<NcclGroup> nccl_;  ///< nothing: MPICH or Open MPI
  mutable std::map<Way, CollectiveTime> known_;
};

}  // namespace morgana
