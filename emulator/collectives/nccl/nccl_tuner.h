#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/collectives/measured_collective.h"
#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/collectives/nccl/nccl_schedule.h"

namespace morgana::nccl {

/// A table that overrides NCCL's cost model: the file of the tuner plug-in that comes with NCCL as an example
/// (ext-tuner/example), lines of
///
///     collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks[,numPipeOps[,regBuff]]
///
/// The first line that fits a collective decides. As in the plug-in, -1 stands for any number of nodes, ranks
/// and pipeline operations, any registration, and the channels that NCCL would take; and a line whose
/// algorithm and protocol NCCL does not have for the collective, or on the platform, is passed over. Here a
/// collective is one pipeline operation (numPipeOps 1) of buffers that are not registered (regBuff 0).
class Tuner {
 public:
  /// @param file  its name, for errors
  /// @throws Error naming file and line, and what is allowed there
  static Tuner parse(std::string_view text, const std::string& file);

  struct Decision {
    Algorithm algorithm = Algorithm::ring;
    Protocol protocol = Protocol::simple;
    std::uint32_t channels = 0;  ///< 0: as the cost model would have it
    std::size_t line = 0;        ///< of the file, from 1
  };
  /// @param bytes  Plan::bytes, which is the size that NCCL asks the plug-in with
  /// @return nothing if no line fits
  /// @throws Error naming the line that fits if it names an algorithm of NCCL that is not modelled
  std::optional<Decision> decide(MeasuredCollective collective, std::int64_t bytes, const GpuLayout& layout,
                                 const Parameters& parameters) const;

  const std::string& file() const { return file_; }

 private:
  /// NCCL's algorithms, in the order of their names in tuner files.
  enum class Named : std::uint8_t { tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat };
  static Algorithm algorithm_of(Named algorithm);
  struct Line {
    MeasuredCollective collective;
    std::int64_t least, most;  ///< bytes
    Named algorithm;
    Protocol protocol;
    std::int64_t channels, nodes, ranks, pipe_operations, registered;  ///< -1: any
    std::size_t number;
  };
  static bool known_to_nccl(const Line& line);
  static Line read_line(std::string_view text, const std::string& where);

  std::string file_;
  std::vector<Line> lines_;
};

/// For libraries other than NCCL. @throws Error
[[noreturn]] void refuse_tuner(const Tuner& tuner);

}  // namespace morgana::nccl
