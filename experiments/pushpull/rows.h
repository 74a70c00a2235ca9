#pragma once

#include <vector>

#include "experiments/experiment.h"
#include "experiments/pushpull/curve_shapes.h"
#include "experiments/pushpull/settings.h"

namespace morgana::push_pull_paper {

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
