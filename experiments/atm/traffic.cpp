#include <fmt/format.h>
#include <algorithm>

#include "experiments/atm/kernels.h"
#include "experiments/atm/paper.h"
#include "experiments/atm/rows.h"

// What the kernels say to each other: tables A.1, A.2 and 1.2.
namespace morgana::atm_paper {
namespace {

Condition traffic_of(const PublishedKernel& kernel) {
  return {std::string(kernel.name) + " traffic", "atm-ideal"};
}

/// the paper's tables among themselves. Nothing is run, so nothing is judged.
void add_formulas(std::vector<Row>& rows, const PublishedKernel& kernel) {
  const PublishedTraffic& traffic = kernel.traffic;
  const std::string name(kernel.name);
  Row density{"A-10." + name,
              "messages over the total time on ideal ATM, both of the paper",
              fmt::format("{}", traffic.messages_per_second),
              "1/s",
              RowKind::reference,
              no_rule(),
              Standing::informational};
  density.measure = [&kernel](const Laboratory&) {
    return measured(kernel.traffic.messages / kernel.atm.total);
  };
  Row throughput{"A-11." + name,
                 "messages over the total time on ideal ATM, times mean length, all of the paper",
                 fmt::format("{}", traffic.megabits_per_second),
                 "Mb/s",
                 RowKind::reference,
                 no_rule(),
                 Standing::informational};
  throughput.measure = [&kernel](const Laboratory&) {
    return measured(kernel.traffic.messages / kernel.atm.total * kernel.traffic.mean_bytes * 8 / 1e6);
  };
  rows.push_back(std::move(density));
  rows.push_back(std::move(throughput));
}

Row of_traffic(const PublishedKernel& kernel, const std::string& what, const std::string& title, double paper,
               const std::string& unit, Rule rule) {
  Row row{fmt::format("A-13.{}.{}", kernel.name, what),
          title,
          fmt::format("{}", paper),
          unit,
          RowKind::deterministic,
          std::move(rule)};
  row.needs = {traffic_of(kernel)};
  return row;
}

void add_ours(std::vector<Row>& rows, const PublishedKernel& kernel) {
  const PublishedTraffic& traffic = kernel.traffic;
  const auto figure = [condition = traffic_of(kernel)](const char* name) {
    return [condition, name](const Laboratory& laboratory) {
      return measured(laboratory.mean(condition, name));
    };
  };
  rows.push_back(of_traffic(kernel, "count", "messages between the tasks", traffic.messages, "",
                            within_share(traffic.messages, 0.02)));
  rows.back().measure = figure("messages");
  rows.push_back(of_traffic(kernel, "mean", "their mean length", traffic.mean_bytes, "B",
                            within_share(traffic.mean_bytes, 0.02)));
  rows.back().measure = figure("mean_bytes");
  const bool exact =
      kernel.name == "pde1" || kernel.name == "cg" || kernel.name == "ft" || kernel.name == "mg";
  rows.push_back(of_traffic(kernel, "median", "their median length", traffic.median_bytes, "B",
                            exact ? within(traffic.median_bytes, 0) : no_rule()));
  rows.back().measure = figure("median_bytes");
  if (!exact) {
    rows.back().standing = Standing::informational;
    rows.back().note = "the paper does not determine the sizes of this kernel";
  }
}

/// Table 1.2's throughputs on multiprocessors follow from none of the other tables.
Row on_multiprocessor(std::string_view name, double paper) {
  const PublishedKernel& kernel = atm_paper::kernel(name);
  const Condition sgi = on(std::string(name), "sgi-powerchallenge");
  Row row{fmt::format("A-12.{}", name), "throughput on multiprocessors (Table 1.2)",
          fmt::format("{}", paper),     "Mb/s",
          RowKind::deterministic,       no_rule(),
          Standing::contradicted};
  row.needs = {sgi};
  row.measure = [sgi, &kernel](const Laboratory& laboratory) {
    Measurement result = measured(laboratory.mean(sgi, "bytes") * 8 / 1e6 / laboratory.mean(sgi, "total_s"));
    result.text =
        fmt::format("the paper's own bytes and times give {:.3g} (SGI) and {:.3g} (SP2)",
                    kernel.traffic.messages * kernel.traffic.mean_bytes * 8 / 1e6 / kernel.sgi.total,
                    kernel.traffic.messages * kernel.traffic.mean_bytes * 8 / 1e6 / kernel.sp2.total);
    return result;
  };
  row.note = "Table 1.2 disagrees with Tables A.1 and 2.2 for every kernel; ours is on sgi-powerchallenge";
  return row;
}

}  // namespace

void add_traffic(Experiment& experiment) {
  std::vector<Row>& rows = experiment.rows;
  for (const PublishedKernel& kernel : kernels)
    if (kernel.traffic.messages > 0) add_formulas(rows, kernel);
  for (const auto& [name, paper] : {std::pair{"cg", 20.66}, {"ft", 53.20}, {"is", 39.95}, {"mg", 7.29}})
    rows.push_back(on_multiprocessor(name, paper));
  for (const PublishedKernel& kernel : kernels)
    if (kernel.traffic.messages > 0) add_ours(rows, kernel);
  const PublishedKernel& ep = atm_paper::kernel("ep");
  Row silent{
      "A-14",      "messages that EP's workers send while they compute", "0", "", RowKind::deterministic,
      within(0, 0)};
  silent.needs = {traffic_of(ep)};
  silent.measure = [condition = traffic_of(ep)](const Laboratory& laboratory) {
    return measured(laboratory.mean(condition, "during_computing"));
  };
  rows.push_back(std::move(silent));
}

}  // namespace morgana::atm_paper
