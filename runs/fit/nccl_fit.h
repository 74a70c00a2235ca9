#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/platform/platform.h"
#include "runs/fit/nccl_log.h"
#include "runs/fit/network_fit.h"

namespace morgana {

/// Keys of [nccl] and the rate of a node's links, such that all-reduces take what a log of nccl-tests says.
///
/// Times lie on three lines, by size LL's, LL128's and Simple's: t = A + B s with rising A and falling B, of
/// which the lowest counts, as in NCCL's choice. For all divisions of the sizes into three parts each part's
/// line follows by least squares of relative errors; the division with the least errors counts. A ring of n
/// GPUs takes
///   A = start + 2 (n - 1) (hop + latency),  B = 2 (n - 1) / n (per-byte + wire / rate)
/// with NCCL's own start, the platform's latency, wire = 2 (LL), 16/15 (LL128), 1 (Simple), and no per-byte
/// of Simple; so hops follow from A, the rate from Simple's B, and per-byte from the other ones.
struct NcclFit {
  struct Regime {
    nccl::Protocol protocol = nccl::Protocol::ll;
    double from = 0, to = 0;         ///< bytes
    double us = 0, us_per_byte = 0;  ///< A, B
    double start_us = 0, hop_us = 0, per_byte_us = 0;
  };
  std::array<Regime, nccl::protocols> regimes;
  double bytes_per_us = 0;  ///< of a GPU's links
};

/// @param platform  whose latency within a node counts
/// @throws Error if the times lie on no such lines, the platform has too few GPUs in a node, or NCCL would
/// take NVLS there
NcclFit fit_nccl(const NcclLog& log, const Platform& platform);

/// The platform file: an extension of another platform.
std::string platform_text(const NcclFit& fit, const NcclLog& log, const std::string& extended,
                          const std::string& description);
/// Its lines that are fitted, as an extension has them.
std::string fitted_keys(const NcclFit& fit);

/// What the platform makes of the log's all-reduces, carried out as NCCL's model chooses.
struct NcclResidual : Residual {
  std::string carried_out_by;
};
std::vector<NcclResidual> residuals(const Platform& platform, const NcclLog& log);
/// @throws Error if the fitted platform misses the log's times, in the mean, by 10 % more than the lines do:
/// then what it extends is no platform of such GPUs
void refuse_misfit(const NcclFit& fit, const NcclLog& log, const std::string& extended,
                   std::span<const NcclResidual> left);

}  // namespace morgana
