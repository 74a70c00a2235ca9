#include <fmt/format.h>

#include <algorithm>

#include "experiments/atm/kernels.h"
#include "experiments/atm/paper.h"
#include "experiments/atm/rows.h"

// The kernels on four kinds of computer: Table 2.2.
namespace morgana::atm_paper {
namespace {

constexpr const char* ethernet = "ethernet-10";
constexpr const char* loaded = "ethernet-10-loaded";
constexpr const char* sgi = "sgi-powerchallenge";
constexpr const char* sp2 = "ibm-sp2";
constexpr const char* atm = "atm-ideal";

std::vector<Condition> everywhere(const std::string& kernel) {
  std::vector<Condition> conditions;
  for (const char* platform : {ethernet, loaded, sgi, sp2, atm}) conditions.push_back(on(kernel, platform));
  return conditions;
}

const char* const processors_note =
    "by Table 2.1 the PowerChallenge's processors are 2.9 times as fast as the Alphas and the SP2's, by "
    "Table 2.2 "
    "slower for some programs";

/// Which platform is fastest, and how all do.
Row least(std::string id, std::string title, const std::string& kernel, const char* winner,
          const char* figure) {
  Row row{std::move(id),  std::move(title),
          winner,         "",
          RowKind::shape, as_worded(fmt::format("{} is lowest", winner))};
  row.needs = everywhere(kernel);
  row.note = processors_note;
  row.measure = [conditions = row.needs, winner, figure](const Laboratory& laboratory) {
    std::vector<std::pair<double, std::string>> order;
    for (const Condition& condition : conditions)
      order.emplace_back(laboratory.mean(condition, figure), condition.platform);
    std::sort(order.begin(), order.end());
    std::string text;
    for (const auto& [seconds, platform] : order)
      text += fmt::format("{}{} {:.3g} s", text.empty() ? "" : ", ", platform, seconds);
    return found(order.front().second == winner, text);
  };
  return row;
}

const char* lowest_total(std::string_view kernel) {
  if (kernel == "pde1" || kernel == "solver") return atm;
  return kernel == "cg" ? sp2 : sgi;
}

const char* lowest_communication(std::string_view kernel) {
  return kernel == "cg" || kernel == "ft" ? sp2 : sgi;
}

Row speed_up(const PublishedKernel& kernel) {
  const Condition slow = on(std::string(kernel.name), ethernet), fast = on(std::string(kernel.name), atm);
  const double paper = kernel.ethernet.total / kernel.atm.total;
  Row row{fmt::format("A-22.{}", kernel.name),
          "total on silent Ethernet over that on ideal ATM",
          fmt::format("{:.3g}", paper),
          "",
          RowKind::statistical,
          within_factor(paper, 1.5)};
  row.needs = {slow, fast};
  row.measure = [slow, fast](const Laboratory& laboratory) {
    return measured(laboratory.quotient(slow, fast, "total_s"), laboratory.values(slow, "total_s").size());
  };
  row.note =
      "outside of communication the paper's Ethernet is slower by other factors than Table 2.1's processors: "
      "1.4 "
      "(EP) to 28 (SOLVER) instead of 6.1";
  return row;
}

Row share(const PublishedKernel& kernel) {
  const Condition condition = on(std::string(kernel.name), atm);
  const double paper = 100 * kernel.atm.communication / kernel.atm.total;
  Row row{fmt::format("A-23.{}", kernel.name),
          "communication's share of the total on ideal ATM",
          fmt::format("{:.1f}", paper),
          "%",
          RowKind::statistical,
          within(paper, 10)};
  row.needs = {condition};
  row.measure = [condition](const Laboratory& laboratory) {
    return measured(100 * laboratory.mean(condition, "share"));
  };
  row.note = "the paper counts building and packing messages as communication; here they are computing";
  return row;
}

/// No program can send its bytes faster than its links are.
Row wire_floor(const std::string& name) {
  const PublishedKernel& kernel = atm_paper::kernel(name);
  constexpr double rate = 155.52e6, senders = 4;
  const double floor = 8.0 / 48 * 53 * kernel.traffic.messages * kernel.traffic.mean_bytes / rate / senders;
  const Condition condition = on(name, atm);
  Row row{"A-24." + name,
          "communication time against that of its cells on the wire",
          fmt::format("{:.2f}", floor),
          "s",
          RowKind::deterministic,
          at_least(floor)};
  row.needs = {condition};
  row.measure = [condition](const Laboratory& laboratory) {
    return measured(laboratory.mean(condition, "communication_s"));
  };
  row.note =
      "sends return at once: cells go out while the next message is being built, which here is computing";
  return row;
}

Row by_day(const PublishedKernel& kernel) {
  const Condition day = on(std::string(kernel.name), loaded), night = on(std::string(kernel.name), ethernet);
  Row row{fmt::format("A-25.{}", kernel.name),
          "total on loaded Ethernet over that on a silent one",
          fmt::format("{:.3g}", kernel.ethernet_loaded.total / kernel.ethernet.total),
          "",
          RowKind::shape,
          at_least(1)};
  row.needs = {day, night};
  row.measure = [day, night](const Laboratory& laboratory) {
    return measured(laboratory.quotient(day, night, "total_s"), laboratory.values(day, "total_s").size());
  };
  return row;
}

/// Table 2.2 as it is and as it comes out here.
Row table_entry(const PublishedKernel& kernel, const char* platform, const Times& paper) {
  const Condition condition = on(std::string(kernel.name), platform);
  Row row{fmt::format("T-2.2.{}.{}", kernel.name, platform),
          "total and communication time (Table 2.2)",
          paper.communication > 0 ? fmt::format("{} / {}", paper.total, paper.communication)
                                  : fmt::format("{}", paper.total),
          "s",
          RowKind::statistical,
          no_rule(),
          Standing::informational};
  row.needs = {condition};
  row.measure = [condition](const Laboratory& laboratory) {
    return found(true, fmt::format("{:.3g} / {:.3g}", laboratory.mean(condition, "total_s"),
                                   laboratory.mean(condition, "communication_s")));
  };
  return row;
}

}  // namespace

void add_environments(Experiment& experiment) {
  std::vector<Row>& rows = experiment.rows;
  for (const PublishedKernel& kernel : kernels)
    rows.push_back(least(fmt::format("A-20.{}", kernel.name), "the lowest total time",
                         std::string(kernel.name), lowest_total(kernel.name), "total_s"));
  for (const PublishedKernel& kernel : kernels)
    if (kernel.atm.communication > 0)
      rows.push_back(least(fmt::format("A-21.{}", kernel.name), "the lowest communication time",
                           std::string(kernel.name), lowest_communication(kernel.name), "communication_s"));
  for (const PublishedKernel& kernel : kernels) rows.push_back(speed_up(kernel));
  for (const PublishedKernel& kernel : kernels)
    if (kernel.atm.communication > 0) rows.push_back(share(kernel));
  for (const char* name : {"ft", "is", "pde1"}) rows.push_back(wire_floor(name));
  for (const PublishedKernel& kernel : kernels) rows.push_back(by_day(kernel));
  for (const PublishedKernel& kernel : kernels) {
    rows.push_back(table_entry(kernel, ethernet, kernel.ethernet));
    rows.push_back(table_entry(kernel, loaded, kernel.ethernet_loaded));
    rows.push_back(table_entry(kernel, sgi, kernel.sgi));
    rows.push_back(table_entry(kernel, sp2, kernel.sp2));
    rows.push_back(table_entry(kernel, atm, kernel.atm));
  }
}

}  // namespace morgana::atm_paper
