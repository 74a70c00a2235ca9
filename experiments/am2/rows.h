#pragma once

#include <string>

#include "experiments/am2/programs.h"
#include "experiments/experiment.h"

namespace morgana::am2_paper {

/// Figure 5, in microseconds.
constexpr double sending = 4.09, receiving = 4.28, gap = 15.98, latency = 12.60, round_trip = 41.94;
/// GAM's, of the same figure.
constexpr double gam_sending = 1.90, gam_receiving = 4.00;
/// Messages/s: a gap each (section 5.4).
constexpr double peak = 62'578;
/// Requests that an endpoint may have outstanding (section 4.2).
constexpr int credits = 4;
/// Requests under way where nothing limits them but the interfaces.
constexpr int unlimited = 64;
/// Endpoint frames of an interface.
constexpr int frames = 7;
/// Nodes of table 1.
constexpr int cluster = 92;

Row row(std::string id, std::string title, std::string paper, std::string unit, RowKind kind, Rule rule,
        std::vector<Condition> needs, std::function<Measurement(const Laboratory&)> measure);
/// One whose parameters were chosen for it. @param note  which ones
Row fitted(Row row, std::string note);
/// The paper contradicts itself. @param note  how
Row contradicted(Row row, std::string note);

/// @param least, most  clients' shares, of an equal one
Measurement furthest_share(double least, double most);

/// The numbers of clients that are tried: 1 to 7, then up to 92.
const std::vector<int>& client_numbers();

// Rows and figures, in the paper's order.
void add_logp(Experiment& experiment);
void add_bandwidth(Experiment& experiment);
void add_cluster(Experiment& experiment);
void add_virtual_networks(Experiment& experiment);
void add_figures(Experiment& experiment);

}  // namespace morgana::am2_paper
