#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/pipeline/schedule.h"
#include "emulator/pipeline/stage.h"

namespace morgana::cli {

/// What `morgana fragment` is asked for.
struct FragmentOptions {
  std::string stages, bytes, policy = "fixed";
  std::optional<std::string> fragments;
  std::string json, csv, plot, diagram;
  bool quiet = false;
};

/// A message and the pipeline that it is to pass.
struct FragmentTask {
  pipeline::Stages stages;
  Bytes message;
  std::string policy;                    ///< a word, or a number of bytes
  std::optional<Bytes> fragment_size;    ///< of a policy that is a size
  std::optional<std::size_t> fragments;  ///< how many; else the policy finds the best number
};

/// @throws Error for what is no such task
FragmentTask fragment_task(const FragmentOptions& options);

/// Latency by the theory of a number of fragments.
struct CountLatency {
  std::size_t fragments;
  pipeline::RealTime latency;
};

/// How the message is cut.
struct FragmentPlan {
  pipeline::Pieces pieces;          ///< at each stage, in whole bytes
  pipeline::RealTime by_theory;     ///< with real sizes
  std::vector<CountLatency> curve;  ///< by the policy; of a policy that is a size, by equal fragments
  std::string note;                 ///< a sentence; empty if there is nothing to be said
};

/// @throws Error if it can't be cut that way
FragmentPlan fragment_plan(const FragmentTask& task);

/// @throws Error if the clock can't hold the time it takes
pipeline::Schedule carried_out(const FragmentTask& task, const pipeline::Pieces& pieces);

}  // namespace morgana::cli
