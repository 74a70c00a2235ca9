// What flows that share a port do.

#include <fmt/format.h>

#include "experiments/modern/dctcp_queue.h"
#include "experiments/modern/rows.h"

namespace morgana::modern_papers {
namespace {

constexpr unsigned many_flows = 40;
constexpr const char* segments = "segments";

std::string model_text(double value) {
  return fmt::format("{:.1f}", value);
}

void add_dctcp(std::vector<Row>& rows, unsigned flows) {
  const Condition condition = dctcp_with(flows);
  const std::string who = fmt::format("DCTCP, {} flows", flows);
  const double most = marking_threshold + flows, least = least_queue_by_model(flows);
  rows.push_back(figure_row(fmt::format("DT-1.{}", flows), who + ": longest queue", model_text(most),
                            segments, within(most, 2), condition, "most"));
  rows.push_back(figure_row(fmt::format("DT-2.{}", flows), who + ": shortest queue", model_text(least),
                            segments, within_share(least, 0.25), condition, "least"));
  if (flows >= many_flows) {
    rows.back().standing = Standing::informational;
    rows.back().note =
        "a window has three segments then and changes by whole ones, which the model of a smooth window "
        "leaves out";
  }
  rows.push_back(figure_row(fmt::format("DT-3.{}", flows), who + ": share of the rate", "1", "",
                            at_least(0.9999), condition, "busy"));
}

void add_dcqcn(std::vector<Row>& rows, unsigned flows) {
  const Condition condition = dcqcn_with(flows);
  const std::string who = fmt::format("DCQCN, {} flows", flows);
  rows.push_back(figure_row(fmt::format("DQ-1.{}", flows), who + ": Jain's index of their bytes in 100 ms",
                            "flows converge to equal shares", "", at_least(0.99), condition, "fairness"));
  rows.push_back(figure_row(fmt::format("DQ-2.{}", flows), who + ": least of their shares over an equal one",
                            "flows converge to equal shares", "", at_least(0.9), condition, "least"));
  Row settled = figure_row(fmt::format("DQ-3.{}", flows),
                           who + ": time until Jain's index is at least 0.95 in each window of 5 ms", "-",
                           "ms", no_rule(), condition, "settled");
  settled.standing = Standing::informational;
  rows.push_back(settled);
  Row used = figure_row(fmt::format("DQ-4.{}", flows), who + ": share of the rate", "-", "", no_rule(),
                        condition, "used");
  used.standing = Standing::informational;
  rows.push_back(used);
}

}  // namespace

Condition dctcp_with(unsigned flows) {
  return {.workload = fmt::format("{} flows by DCTCP", flows)};
}

Condition dcqcn_with(unsigned flows) {
  return {.workload = fmt::format("{} flows by DCQCN", flows)};
}

std::vector<Row> congestion_rows() {
  std::vector<Row> rows;
  for (const unsigned flows : {2U, 10U, many_flows}) add_dctcp(rows, flows);
  for (const unsigned flows : {2U, 8U}) add_dcqcn(rows, flows);
  return rows;
}

}  // namespace morgana::modern_papers
