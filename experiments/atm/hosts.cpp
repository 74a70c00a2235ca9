#include <fmt/format.h>

#include <algorithm>

#include "experiments/atm/kernels.h"
#include "experiments/atm/rows.h"

// What a host's work on each cell does: Table 2.4 and figure 2.5.
namespace morgana::atm_paper {
namespace {

constexpr int slow_host = 500;                // us a cell
constexpr int delays[] = {0, 100, 250, 500};  // four values, as the paper had; it names the outer two
constexpr int host_loads[] = {0, 30, 60, 70};

const char* const pde2_note =
    "PDE2's messages have two or three cells, 25 s of work at most, one after the other (A-34), and four "
    "workers send "
    "at the same time; ours computes for 7 ms, stretched to 24.6 s, and the scatter of that hides most "
    "delays";

Row slow_down(const std::string& kernel, double fast, double slow, double least) {
  const Condition from = on_atm(kernel, 1, 0), to = on_atm(kernel, 1, 70, slow_host);
  Row row{"A-32." + kernel,
          "total with 500 us a cell at load 0.7 over the ideal one",
          fmt::format("{:.3g}", slow / fast),
          "",
          RowKind::statistical,
          at_least(least)};
  row.needs = {from, to};
  row.measure = [from, to](const Laboratory& laboratory) {
    return measured(laboratory.quotient(to, from, "total_s"), laboratory.seeds());
  };
  if (kernel == "pde2") row.note = pde2_note;
  return row;
}

/// The delay is one of each cell: ten cells more take ten delays longer.
Row unit_of_delay() {
  const auto echo = [](int cells) {
    return Condition{fmt::format("echo {}", cells),
                     "atm-ideal",
                     {"interface.model=atm-adapter", "interface.host-delay=500 us"}};
  };
  Row row{"A-33",
          "what ten more cells add to a message's latency, in host delays",
          "10",
          "",
          RowKind::deterministic,
          within_share(10, 0.005)};
  row.needs = {echo(1), echo(11)};
  row.measure = [one = echo(1), eleven = echo(11)](const Laboratory& laboratory) {
    return measured((laboratory.mean(eleven, "mean_latency_us") - laboratory.mean(one, "mean_latency_us")) /
                    slow_host);
  };
  return row;
}

Row rise(std::string id, const std::string& kernel, const char* figure, double paper, std::string note) {
  const Condition from = on_atm(kernel, 1, 70), to = on_atm(kernel, 1, 70, slow_host);
  Row row{std::move(id),
          fmt::format("rise of {}'s {} time by 500 us a cell", kernel,
                      figure == std::string("total_s") ? "total" : "communication"),
          fmt::format("{:.3g}", paper),
          "s",
          RowKind::statistical,
          no_rule(),
          Standing::contradicted};
  row.needs = {from, to};
  row.measure = [from, to, figure](const Laboratory& laboratory) {
    return measured(laboratory.mean(to, figure) - laboratory.mean(from, figure));
  };
  row.note = std::move(note);
  return row;
}

std::vector<Condition> grid(const std::string& kernel) {
  std::vector<Condition> conditions;
  for (const int load : host_loads)
    for (const int delay : delays) conditions.push_back(on_atm(kernel, 1, load, delay));
  return conditions;
}

double total(const Laboratory& laboratory, const std::string& kernel, int load, int delay) {
  return laboratory.mean(on_atm(kernel, 1, load, delay), "total_s");
}

/// By how much load 0.7 prolongs a run, at worst over the delays.
double load_sensitivity(const Laboratory& laboratory, const std::string& kernel) {
  double worst = 0;
  for (const int delay : delays)
    worst = std::max(worst, total(laboratory, kernel, 70, delay) / total(laboratory, kernel, 0, delay) - 1);
  return worst;
}

Row steep(const std::string& kernel) {
  Row row{"A-39.steep." + kernel, "total over host delays 0, 100, 250, 500 us, no load",
          "steep growth",         "s",
          RowKind::shape,         as_worded("rises, at least twofold")};
  row.needs = grid(kernel);
  if (kernel == "pde2") row.note = pde2_note;
  row.measure = [kernel](const Laboratory& laboratory) {
    std::vector<double> totals;
    std::string text;
    for (const int delay : delays) {
      totals.push_back(total(laboratory, kernel, 0, delay));
      text += fmt::format("{}{:.3g}", text.empty() ? "" : ", ", totals.back());
    }
    return found(std::is_sorted(totals.begin(), totals.end()) && totals.back() >= 2 * totals.front(), text);
  };
  return row;
}

void add_curves(std::vector<Row>& rows) {
  rows.push_back(steep("pde1"));
  rows.push_back(steep("pde2"));
  Row load{
      "A-39.load",    "growth by load 0.7, at worst over the host delays", "pde2 sensitive, pde1 not", "",
      RowKind::shape, as_worded("pde1 below 5 %, pde2 above pde1")};
  Row order{"A-39.order",         "total with 500 us over that with none, no load",
            "pde1 degrades more", "",
            RowKind::shape,       as_worded("pde1 above pde2")};
  for (const char* kernel : {"pde1", "pde2"})
    for (const Condition& condition : grid(kernel)) {
      load.needs.push_back(condition);
      order.needs.push_back(condition);
    }
  load.measure = [](const Laboratory& laboratory) {
    const double pde1 = load_sensitivity(laboratory, "pde1"), pde2 = load_sensitivity(laboratory, "pde2");
    return found(pde1 < 0.05 && pde2 > pde1,
                 fmt::format("pde1 {:.1f} %, pde2 {:.1f} %", 100 * pde1, 100 * pde2));
  };
  order.measure = [](const Laboratory& laboratory) {
    const auto growth = [&](const char* kernel) {
      return total(laboratory, kernel, 0, slow_host) / total(laboratory, kernel, 0, 0);
    };
    return found(growth("pde1") > growth("pde2"),
                 fmt::format("pde1 x {:.3g}, pde2 x {:.3g}", growth("pde1"), growth("pde2")));
  };
  load.note = pde2_note;
  rows.push_back(std::move(load));
  rows.push_back(std::move(order));
}

}  // namespace

void add_hosts(Experiment& experiment) {
  std::vector<Row>& rows = experiment.rows;
  rows.push_back(slow_down("pde1", 24.5, 199.5, 5));
  rows.push_back(slow_down("pde2", 32.8, 103.0, 2.5));
  rows.push_back(slow_down("cg", 5.84, 144.5, 5));
  rows.push_back(slow_down("ft", 16.4, 151.7, 5));
  rows.push_back(unit_of_delay());
  rows.push_back(
      rise("A-34", "pde2", "total_s", 103.0 - 32.5,
           "8068 short messages can't take 71 s at 0.5 ms a cell: 25 s at most, one after the other"));
  rows.push_back(rise("A-35.communication", "cg", "communication_s", 104.9 - 3.03,
                      "the cells' delays along the program's chains of messages give 58 s"));
  rows.push_back(rise("A-35.total", "cg", "total_s", 144.5 - 5.99,
                      "in the paper time outside of communication rises too, from 3 to 39.6 s"));
  add_curves(rows);
  for (const char* kernel : {"pde1", "pde2"}) {
    ExperimentFigure plot{fmt::format("figure-2.5-{}", kernel), grid(kernel), {}};
    plot.draw = [kernel](const Laboratory& laboratory) {
      Curves curves{std::string(kernel) + ", after figure 2.5",
                    "host delay (us a cell)",
                    "execution time (s)",
                    false,
                    false,
                    {},
                    {}};
      for (const int load : host_loads) {
        Curve curve{fmt::format("rho 0.{}", load / 10), {}};
        for (const int delay : delays) {
          const ConfidenceInterval interval = laboratory.interval(on_atm(kernel, 1, load, delay), "total_s");
          curve.points.push_back(
              {static_cast<double>(delay), interval.mean, load == 0 ? 0 : interval.radius});
        }
        curves.curves.push_back(std::move(curve));
      }
      return curves;
    };
    experiment.figures.push_back(std::move(plot));
  }
}

}  // namespace morgana::atm_paper
