#include <fmt/format.h>

#include "experiments/itb/rows.h"

// What graphs and routes give by counting: sections 5.1, 5.4.2 and 5.5.1.
namespace morgana::itb_paper {
namespace {

const char* const calculated = "not printed: what follows from the paper's description of its networks";

Row calculated_row(Row row) {
  row.note = calculated;
  return row;
}

void add_tori(Experiment& experiment, PaperTasks& tasks) {
  const Condition torus = tasks.counts("torus"), express = tasks.counts("express-torus");
  const auto exact = RowKind::deterministic;
  auto& rows = experiment.rows;
  rows.push_back(figure_row("I-01", "torus, mean distance", "4.06", "cables", exact, within(4.06, 0.005),
                            torus, "minimal"));
  rows.push_back(figure_row("I-02", "torus, mean up*/down* distance", "4.57", "cables", exact,
                            within(4.57, 0.005), torus, "legal"));
  rows.push_back(figure_row("I-03", "torus, pairs of switches with a minimal legal path", "80", "%", exact,
                            between(78, 83), torus, "share", percent));
  rows.push_back(figure_row("I-04", "express torus, the same", "94", "%", exact, between(93.5, 94.5), express,
                            "share", percent));
  const Condition drawn = tasks.counts("torus", "uniform", true);
  const Condition drawn_express = tasks.counts("express-torus", "uniform", true);
  rows.push_back(calculated_row(figure_row("I-05", "torus, in-transit hosts a message", "0.556", "", exact,
                                           between(0.50, 0.61), drawn, "in_transit")));
  rows.push_back(calculated_row(figure_row("I-06", "express torus, the same", "0.379", "", exact,
                                           within_share(0.379, 0.1), drawn_express, "in_transit")));
}

void add_local(Experiment& experiment, PaperTasks& tasks) {
  experiment.rows.push_back(figure_row("I-07", "64 switches, local traffic (3), in-transit hosts a message",
                                       "0.0008", "", RowKind::statistical, below(0.01),
                                       tasks.counts("irregular:64", "local:3", true), "in_transit"));
  experiment.rows.push_back(figure_row("I-08", "64 switches, local traffic (5), in-transit hosts a message",
                                       "0.381", "", RowKind::statistical, between(0.30, 0.45),
                                       tasks.counts("irregular:64", "local:5", true), "in_transit"));
}

struct Irregular {
  int switches;
  double share, minimal, legal, in_transit;
};
constexpr Irregular irregular[] = {{8, 98.9, 1.43, 1.44, 0.110},
                                   {16, 87.0, 1.96, 2.12, 0.225},
                                   {32, 75.2, 2.54, 2.93, 0.360},
                                   {64, 60.9, 3.16, 3.91, 0.525}};

void add_irregular_counts(Experiment& experiment, PaperTasks& tasks) {
  const auto add = [&](const Irregular& one, const char* check, const char* part, const char* title,
                       double paper, const char* unit, Rule rule, const char* figure, double factor) {
    experiment.rows.push_back(calculated_row(figure_row(
        fmt::format("{}.{}{}", check, part, one.switches),
        fmt::format("{} switches, {}", one.switches, title), fmt::format("{}", paper), unit,
        RowKind::statistical, std::move(rule),
        tasks.counts(fmt::format("irregular:{}", one.switches), "uniform", true), figure, factor)));
  };
  for (const Irregular& one : irregular)
    add(one, "I-09", "", "pairs with a minimal legal path", one.share, "%", within(one.share, 3), "share",
        percent);
  for (const Irregular& one : irregular) {
    add(one, "I-10", "minimal.", "mean distance", one.minimal, "cables", within_share(one.minimal, 0.02),
        "minimal", 1);
    add(one, "I-10", "legal.", "mean up*/down* distance", one.legal, "cables", within_share(one.legal, 0.02),
        "legal", 1);
  }
  for (const Irregular& one : irregular)
    add(one, "I-11", "", "in-transit hosts a message", one.in_transit, "", within_share(one.in_transit, 0.1),
        "in_transit", 1);
}

void add_bit_reversal(Experiment& experiment, PaperTasks& tasks) {
  const Condition reversal = tasks.counts("torus", "bit-reversal");
  const auto add = [&](const char* part, const char* title, const char* paper, const char* unit, Rule rule,
                       const char* figure, double factor) {
    experiment.rows.push_back(calculated_row(
        figure_row(std::string("I-12.") + part, std::string("torus, bit reversal: ") + title, paper, unit,
                   RowKind::deterministic, std::move(rule), reversal, figure, factor)));
  };
  add("fixed", "hosts that would send to themselves", "32", "", within(32, 0), "fixed", 1);
  add("minimal", "mean distance", "3.733", "cables", within(3.733, 0.0005), "minimal", 1);
  add("legal", "mean up*/down* distance", "4.533", "cables", within(4.533, 0.0005), "legal", 1);
  add("share", "pairs with a minimal legal path", "65.8", "%", within(65.8, 0.05), "share", percent);
}

}  // namespace

void add_counts(Experiment& experiment, PaperTasks& tasks) {
  add_tori(experiment, tasks);
  add_local(experiment, tasks);
  add_irregular_counts(experiment, tasks);
  add_bit_reversal(experiment, tasks);
}

}  // namespace morgana::itb_paper
