#pragma once

#include <filesystem>

#include "replay/comparison.h"

namespace morgana {

/// Replays each job of a run again, on the hosts that it had and without the others, and sets its
/// JobResult::alone; with two further seeds, too, where it differs by less than a tenth. Jobs that ran
/// several times, or stand still, have none.
/// @param how, result  of the run
/// @throws Error, Deadlock as replay_on()
void find_times_alone(const Platform& platform, const std::filesystem::path& trace, const ReplayOptions& how,
                      ReplayResult& result);

}  // namespace morgana
