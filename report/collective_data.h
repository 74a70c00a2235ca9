#pragma once

#include <nlohmann/json_fwd.hpp>

#include "traces/export/timeline.h"

namespace morgana {

/// A page's data on collectives, as page_data() has it: `collectives`, each with its ranks' parts.
nlohmann::json collectives_of(const Timeline& timeline);
/// The same, summed up by the call that begins them: `collective_totals`.
nlohmann::json collective_totals_of(const Timeline& timeline);

}  // namespace morgana
