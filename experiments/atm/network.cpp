#include <fmt/format.h>

#include <algorithm>

#include "experiments/atm/kernels.h"
#include "experiments/atm/rows.h"

// What load and size of the network do: Table 2.3, figures 2.2 and 2.4.
namespace morgana::atm_paper {
namespace {

constexpr int network_loads[] = {0, 30, 60, 70};
constexpr int sizes[] = {1, 2, 4};

std::string percent(double quotient) {
  return fmt::format("{:+.1f}", 100 * (quotient - 1));
}

/// Growth of the total time from one condition to another, in per cent.
Measurement growth(const Laboratory& laboratory, const Condition& from, const Condition& to) {
  ConfidenceInterval interval = laboratory.quotient(to, from, "total_s");
  interval.mean = 100 * (interval.mean - 1);
  interval.radius *= 100;
  return measured(interval, laboratory.seeds());
}

Row load_effect(const std::string& kernel, double silent, double loaded) {
  const Condition from = on_atm(kernel, 1, 0), to = on_atm(kernel, 1, 70);
  Row row{"A-30." + kernel,         "growth of the total by load 0.7, one switch",
          percent(loaded / silent), "%",
          RowKind::statistical,     below(10)};
  row.needs = {from, to};
  row.measure = [from, to](const Laboratory& laboratory) { return growth(laboratory, from, to); };
  return row;
}

Row size_effect(const std::string& kernel, double one, double four, Rule rule) {
  const Condition from = on_atm(kernel, 1, 70), to = on_atm(kernel, 4, 70);
  Row row{"A-31." + kernel,     "growth of the total from one to four switches at load 0.7",
          percent(four / one),  "%",
          RowKind::statistical, std::move(rule)};
  row.needs = {from, to};
  row.measure = [from, to](const Laboratory& laboratory) { return growth(laboratory, from, to); };
  return row;
}

const char* const pde2_note =
    "each of PDE2's messages is late by microseconds; for 6 s more, one after the other, each of the 8128 "
    "would have "
    "to be late by 0.7 ms";

Row size_order() {
  Row row{"A-31.order",   "which program the network's size slows down most",
          "pde2",         "",
          RowKind::shape, as_worded("pde2 is first")};
  row.note = pde2_note;
  for (const char* kernel : {"pde1", "pde2", "cg", "ft"})
    for (const int size : {1, 4}) row.needs.push_back(on_atm(kernel, size, 70));
  row.measure = [](const Laboratory& laboratory) {
    std::vector<std::pair<double, std::string>> order;
    for (const char* kernel : {"pde1", "pde2", "cg", "ft"})
      order.emplace_back(-*growth(laboratory, on_atm(kernel, 1, 70), on_atm(kernel, 4, 70)).value, kernel);
    std::sort(order.begin(), order.end());
    std::string text;
    for (const auto& [less, kernel] : order)
      text += fmt::format("{}{} {:+.1f} %", text.empty() ? "" : ", ", kernel, -less);
    return found(order.front().second == "pde2", text);
  };
  return row;
}

const char* const loss_note =
    "counted are cells that find 500 in their switch: the paper gives neither its limit nor how long others' "
    "bursts "
    "last; ours (0.435 ms) fill such a buffer only together with the program's own, so far as these coincide";

Row loss_growth(const std::string& kernel) {
  const Condition from = on_atm(kernel, 1, 60), to = on_atm(kernel, 1, 70);
  Row row{"A-36." + kernel,
          "estimated loss at load 0.7 over that at 0.6, one switch",
          "10",
          "",
          RowKind::statistical,
          between(5, 20)};
  row.needs = {from, to};
  row.measure = [from, to](const Laboratory& laboratory) {
    const double before = laboratory.mean(from, "estimated_loss"),
                 after = laboratory.mean(to, "estimated_loss");
    // A seed alone may have no loss to divide by.
    Measurement result = before > 0 ? measured(after / before) : Measurement();
    result.runs = laboratory.seeds();
    result.text = fmt::format("{:.3g} to {:.3g}", before, after);
    return result;
  };
  row.note = loss_note;
  return row;
}

/// Estimated losses of a kernel at a load, by size.
std::vector<double> losses(const Laboratory& laboratory, const std::string& kernel, int load) {
  std::vector<double> result;
  for (const int size : sizes)
    result.push_back(laboratory.mean(on_atm(kernel, size, load), "estimated_loss"));
  return result;
}

std::string three(const std::vector<double>& values) {
  return fmt::format("{:.3g}, {:.3g}, {:.3g}", values[0], values[1], values[2]);
}

Row loss_by_size(const std::string& id, const std::string& kernel, int load, const std::string& words,
                 std::function<bool(const std::vector<double>&)> holds) {
  Row row{fmt::format("A-37.{}.{}", id, kernel),
          fmt::format("estimated loss with 1, 2, 4 switches at load 0.{}", load / 10),
          words,
          "",
          RowKind::shape,
          as_worded(words)};
  for (const int size : sizes) row.needs.push_back(on_atm(kernel, size, load));
  row.measure = [kernel, load, holds = std::move(holds)](const Laboratory& laboratory) {
    const std::vector<double> values = losses(laboratory, kernel, load);
    return found(holds(values), three(values));
  };
  row.note = loss_note;
  return row;
}

void add_losses(std::vector<Row>& rows) {
  for (const char* kernel : {"pde1", "pde2"}) rows.push_back(loss_growth(kernel));
  for (const char* kernel : {"pde1", "pde2"}) {
    rows.push_back(loss_by_size("falls", kernel, 60, "falls with size",
                                [](const auto& loss) { return loss[0] > loss[1] && loss[1] > loss[2]; }));
    rows.push_back(loss_by_size("flat", kernel, 70, "within a factor 1.5", [](const auto& loss) {
      const auto [least, greatest] = std::minmax_element(loss.begin(), loss.end());
      return *least > 0 && *greatest <= 1.5 * *least;
    }));
    for (const int load : {0, 30})
      rows.push_back(loss_by_size(fmt::format("none-{}", load), kernel, load, "none",
                                  [](const auto& loss) { return loss[0] + loss[1] + loss[2] == 0; }));
  }
  Row order{"A-37.order",   "whose cells are lost more at load 0.7, mean of all sizes",
            "pde2",         "",
            RowKind::shape, as_worded("pde2 above pde1")};
  for (const char* kernel : {"pde1", "pde2"})
    for (const int size : sizes) order.needs.push_back(on_atm(kernel, size, 70));
  order.measure = [](const Laboratory& laboratory) {
    const auto sum = [&](const char* kernel) {
      const std::vector<double> loss = losses(laboratory, kernel, 70);
      return (loss[0] + loss[1] + loss[2]) / 3;
    };
    const double pde1 = sum("pde1"), pde2 = sum("pde2");
    return found(pde2 > pde1, fmt::format("pde1 {:.3g}, pde2 {:.3g}", pde1, pde2));
  };
  order.note = loss_note;
  rows.push_back(std::move(order));
}

/// A figure of PDE1 or PDE2 over the load, a curve for each size.
ExperimentFigure over_load(const std::string& name, const std::string& kernel, const std::string& figure,
                           const std::string& y_name) {
  ExperimentFigure plot{name, {}, {}};
  for (const int size : sizes)
    for (const int load : network_loads) plot.needs.push_back(on_atm(kernel, size, load));
  plot.draw = [=](const Laboratory& laboratory) {
    Curves curves{kernel + ", after " + (figure == "total_s" ? "figure 2.2" : "figure 2.4"),
                  "background load (rho)",
                  y_name,
                  false,
                  false,
                  {},
                  {}};
    for (const int size : sizes) {
      Curve curve{fmt::format("{} switch{}", size, size == 1 ? "" : "es"), {}};
      for (const int load : network_loads) {
        const ConfidenceInterval interval = laboratory.interval(on_atm(kernel, size, load), figure);
        curve.points.push_back({load / 100.0, interval.mean, load == 0 ? 0 : interval.radius});
      }
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  return plot;
}

}  // namespace

void add_network(Experiment& experiment) {
  std::vector<Row>& rows = experiment.rows;
  rows.push_back(load_effect("pde1", 24.5, 24.6));
  rows.push_back(load_effect("pde2", 32.8, 32.5));
  rows.push_back(load_effect("cg", 5.84, 5.99));
  rows.push_back(load_effect("ft", 16.4, 17.7));
  rows.push_back(size_effect("pde1", 24.6, 25.4, below(8)));
  rows.push_back(size_effect("cg", 5.99, 6.01, below(8)));
  rows.push_back(size_effect("ft", 17.7, 18.1, below(8)));
  rows.push_back(size_order());
  add_losses(rows);
  for (const char* kernel : {"pde1", "pde2"}) {
    experiment.figures.push_back(
        over_load(fmt::format("figure-2.2-{}", kernel), kernel, "total_s", "execution time (s)"));
    experiment.figures.push_back(
        over_load(fmt::format("figure-2.4-{}", kernel), kernel, "estimated_loss", "estimated cell loss"));
  }
}

}  // namespace morgana::atm_paper
