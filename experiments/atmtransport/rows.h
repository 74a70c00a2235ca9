#pragma once

#include <string>
#include <vector>

#include "experiments/atmtransport/bursts_of_pde1.h"
#include "experiments/experiment.h"

namespace morgana::atm_transport_paper {

// Protocols, by their platforms.
inline const std::string sscop = "atm-oc3-sscop";
inline const std::string several = "atm-oc3-pcaal";  ///< elements in a cell
inline const std::string single = "atm-oc3-pcaal-single";
inline constexpr int loads[] = {40, 70, 90, 110, 150};
inline constexpr int loads_of_table[] = {40, 50, 70, 80, 90, 110, 120, 140, 150};  ///< Table 5.4

bool all_finished(const Laboratory& laboratory, const Condition& condition);
/// In how many runs it is unstable, or the mean latency.
std::string told(const Laboratory& laboratory, const Condition& condition);
double latency(const Laboratory& laboratory, const Condition& condition);
double loss(const Laboratory& laboratory, const Condition& condition);
/// "60 % wait for a POLL": the share of messages, in the mean of all runs; of those that finish.
std::string waiting(const Laboratory& laboratory, const Condition& condition);
/// A row that is judged by whether what the paper says is so.
Row shape(const std::string& id, const std::string& title, const std::string& paper, const std::string& rule,
          const std::vector<Condition>& needs);

// Each adds its rows or figures.
void add_stability(Experiment& experiment);       ///< A-40, A-41
void add_drop_policies(Experiment& experiment);   ///< A-40 with EPD and PPD
void add_cells_and_loss(Experiment& experiment);  ///< A-43, A-44
void add_latency(Experiment& experiment);         ///< A-45, A-46
void add_other_readings(Experiment& experiment);
void add_changes(Experiment& experiment);     ///< A-47, A-48
void add_programs(Experiment& experiment);    ///< A-49
void add_confidence(Experiment& experiment);  ///< A-50
void add_figures(Experiment& experiment);

}  // namespace morgana::atm_transport_paper
