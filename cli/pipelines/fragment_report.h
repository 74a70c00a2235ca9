#pragma once

#include <string>

#include "cli/pipelines/fragment_plan.h"

namespace morgana::cli {

// What `morgana fragment` prints about its plan.

/// The stages, the sizes, when they arrive, the lower bound and latency over the number of fragments.
std::string fragment_text(const FragmentTask& task, const FragmentPlan& plan,
                          const pipeline::Schedule& schedule);
/// All of it, each piece at each stage too.
std::string fragment_json(const FragmentTask& task, const FragmentPlan& plan,
                          const pipeline::Schedule& schedule);
/// Latency over the number of fragments.
std::string fragment_csv(const FragmentTask& task, const FragmentPlan& plan);
/// Draws the same.
void draw_latency_curve(const std::string& file, const FragmentTask& task, const FragmentPlan& plan,
                        const pipeline::Schedule& schedule);
/// @throws Error for more pieces than can be told apart in a picture
void check_time_space(const std::string& file, const pipeline::Schedule& schedule);
/// Draws which fragment is in which stage when.
void draw_time_space(const std::string& file, const FragmentTask& task, const pipeline::Schedule& schedule);

/// "fixed, 5 fragments": the policy and the pieces at the bottleneck.
std::string policy_text(const FragmentTask& task, const pipeline::Schedule& schedule);

}  // namespace morgana::cli
