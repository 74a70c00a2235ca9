#pragma once

#include <string>
#include <vector>

#include "experiments/atmservices/one_task.h"
#include "experiments/experiment.h"

namespace morgana::atm_services_paper {

inline const std::string programs[] = {"pde1", "pde2"};
inline constexpr Service all_services[] = {Service::ubr, Service::abr, Service::switching,
                                           Service::duplicating};
inline constexpr Service engines[] = {Service::switching, Service::duplicating};
/// The load of Tables 6.5 and 6.6 that is not 1.05.
int lower_load(const std::string& program);
/// rho of the curves, in per cent.
std::vector<int> loads_of(const std::string& program);
/// "PDE1".
std::string printed_name(const std::string& program);

/// The mean of cells.
double latency(const Laboratory& laboratory, const Point& point);
/// A row that is judged by whether what the paper says is so.
Row shape(const std::string& id, const std::string& title, const std::string& paper, const std::string& rule,
          const std::vector<Point>& points);
std::vector<Condition> conditions_of(const std::vector<Point>& points);

// Each adds its rows or figures.
void add_bandwidth(Experiment& experiment);         ///< A-60, A-61, A-76
void add_engine_bandwidth(Experiment& experiment);  ///< A-62 to A-65
void add_use(Experiment& experiment);               ///< A-66 to A-68
void add_latency(Experiment& experiment);           ///< A-69, A-70
void add_rates(Experiment& experiment);             ///< A-71 to A-73, figures 6.18 to 6.22
void add_fair_shares(Experiment& experiment);       ///< A-74, figure 6.14
void add_confidence(Experiment& experiment);        ///< A-75
void add_load_figures(Experiment& experiment);      ///< 6.15 to 6.17

}  // namespace morgana::atm_services_paper
