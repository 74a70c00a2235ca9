#pragma once

#include "cli/collective_report.h"
#include "report/chart_page.h"

namespace morgana::cli {

/// The page of `morgana collective`: which algorithm is fastest from which size on, busbw and time over size,
/// and what limits the largest size.
ChartPage collective_page(const CollectiveReport& report);

}  // namespace morgana::cli
