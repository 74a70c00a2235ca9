#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "experiments/experiment.h"

namespace morgana::pipelines_paper {

/// A row that takes no run: theory gives it.
Row theory_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, Rule rule, const std::function<Measurement()>& measure);
Row theory_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, Rule rule, const std::function<double()>& value);
/// One whose value the paper does not print, but its parameters and equations give: it stands in parentheses.
Row calculated(Row row);
/// "12.34".
std::string number(double value);

// Rows and figures, in the paper's order.
void add_equal(Experiment& experiment);
/// Within those: what takes the emulated machine.
void add_emulated(Experiment& experiment);
/// 4 KB on the platform myrinet-gam in as many equal fragments, up to 32, in us.
double emulated_gam_us(std::size_t count);
void add_optimum(Experiment& experiment);
void add_gms(Experiment& experiment);
void add_disk(Experiment& experiment);
void add_static_sizes(Experiment& experiment);
void add_figures(Experiment& experiment);

}  // namespace morgana::pipelines_paper
