#pragma once

#include <vector>

#include "experiments/experiment.h"
#include "experiments/pushpull/curve_shapes.h"
#include "experiments/pushpull/settings.h"

namespace morgana::push_pull_paper {

/// The note of rows that count as fitted since they failed under other readings of the same text.
inline constexpr const char* changed_for_it =
    "what is translated before a push was read anew (docs/decisions/0074) after this had been seen to fail";

/// What a test measures for a message of so many bytes.
double value(const Laboratory& laboratory, const Condition& condition, int bytes);
/// What a test measures for each of its sizes up to `most` bytes.
std::vector<Sample> curve(const Laboratory& laboratory, const Test& test, const Condition& condition,
                          int most = 1 << 30);

// Rows and figures, in the paper's order.
void add_within(Experiment& experiment);
void add_between(Experiment& experiment);
void add_searches(Experiment& experiment);
void add_receivers(Experiment& experiment);
void add_figures(Experiment& experiment);

}  // namespace morgana::push_pull_paper
