#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runs/ping_pong.h"
#include "runs/sweep/sweep.h"

namespace morgana {

// How much of a message a platform's message layer should push: the search of K.-P. Wong and C.-L. Wang,
// "Push-Pull Messaging", 1999, section 3.2. With nothing pushed first (BTP1 = 0) it looks for the second push
// (BTP2) that takes least time; with that, for the first push.

/// What some run takes under some setting.
struct TuningPoint {
  Bytes pushed;                 ///< the value of the key that varies
  std::optional<SimTime> time;  ///< nothing of a run that did not finish
  std::string outcome = "finished";
};

/// One key of the message layer over its values.
struct TuningStep {
  std::string key;                  ///< "messages.second-push"
  std::vector<std::string> fixed;   ///< the other settings of these points, as for --set
  std::vector<TuningPoint> points;  ///< not empty
  std::size_t best = 0;             ///< index of the point that takes least; of several, of the smallest push

  Bytes best_push() const { return points[best].pushed; }
  SimTime best_time() const { return *points[best].time; }
  /// `key=value` of the best, as for --set.
  std::string setting() const;
};

/// A run beside those of the search, for comparison.
struct TuningReference {
  std::string name;
  TuningPoint point;
};

struct Tuning {
  std::vector<TuningStep> steps;  ///< second push, first push; or the push within hosts
  std::vector<TuningReference> references;

  /// All settings of the optimum, as for --set.
  std::vector<std::string> settings() const;
};

/// What is to be searched.
struct TuningRequest {
  bool local = false;                  ///< messages.local-push, which has no second push, instead of the two
  std::vector<Bytes> first, second;    ///< values to be tried; `second` is not used if local
  std::vector<std::string> overrides;  ///< the user's, as for --set; none of a key that is searched
};

/// Carries out a workload once for each value of a key, all else being as `overrides` say. Without values it
/// runs once.
using TunedWorkload = std::function<std::vector<TuningPoint>(
    const std::string& key, const std::vector<Bytes>& values, const std::vector<std::string>& overrides)>;

/// Says what runs, and the share of this step that is done.
using TuningTold = std::function<void(const std::string&, double)>;

/// The two-step search, and beside it the platform as it is, and with everything pushed.
/// @throws Error for an override of a key that is searched, and if no run of a step finishes
Tuning tune(const TuningRequest& request, const TunedWorkload& workload);

/// Ping-pong with messages of these sizes: the time is the mean over the sizes of what one way takes.
TunedWorkload tuned_ping_pong(const std::string& platform, PingPongPlaces places, std::vector<Bytes> sizes,
                              std::size_t rounds, std::uint64_t seed, const TuningTold& told);

/// A program or a trace as a sweep runs it: the time is that of its whole execution, in the mean over the
/// seeds.
/// @param request  without axes; its overrides are replaced
TunedWorkload tuned_sweep(const SweepRequest& request, Runner runner, const TuningTold& told);

}  // namespace morgana
