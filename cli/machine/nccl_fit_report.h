#pragma once

#include <string>
#include <vector>

#include "runs/fit/nccl_fit.h"

namespace morgana::cli {

/// What was found in a log of nccl-tests, and how near it comes to what was measured.
/// @param extended  the platform that the fitted keys extend
std::string fit_report(const NcclFit& fit, const NcclLog& log, const std::string& extended,
                       const std::vector<NcclResidual>& left);

}  // namespace morgana::cli
