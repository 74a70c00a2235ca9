#pragma once

#include <string>

#include "emulator/report/pictures/curves.h"
#include "runs/tuning.h"

namespace morgana {

/// What was tuned, for people.
struct TuningSubject {
  std::string platform;
  std::string workload;  ///< "ping-pong of 4 KiB between two hosts"
};

/// The curves as a table, the best value of each with a star; then what it gains, and the settings.
std::string tuning_text(const TuningSubject& subject, const Tuning& tuning);
/// A line a run.
std::string tuning_csv(const Tuning& tuning);
std::string tuning_json(const TuningSubject& subject, const Tuning& tuning);
Curves tuning_curves(const TuningSubject& subject, const Tuning& tuning);

}  // namespace morgana
