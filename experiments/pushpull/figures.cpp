#include <fmt/format.h>

#include "experiments/pushpull/rows.h"

// Figures 5, 6 and 8, and the curves of the two searches.
namespace morgana::push_pull_paper {
namespace {

/// Figure 5's.
constexpr int longest_in_figures = 6000;

struct Line {
  std::string name;
  Condition condition;
};

std::vector<Condition> needs(const std::vector<Line>& lines) {
  std::vector<Condition> all;
  for (const Line& line : lines) all.push_back(line.condition);
  return all;
}

std::vector<Line> mechanisms(const Test& test) {
  std::vector<Line> lines;
  for (const Mechanism* one : {&push_zero, &push_pull, &push_all})
    lines.push_back({one->name, condition(test, *one)});
  return lines;
}

ExperimentFigure over_sizes(const char* name, const char* title, const Test& test,
                            const std::vector<Line>& lines, bool logarithmic = false) {
  return {name, needs(lines), [=, &test](const Laboratory& laboratory) {
            Curves curves{title, "message (bytes)", "latency (us)", false, logarithmic, {}, {}};
            for (const Line& line : lines) {
              Curve one{line.name, {}};
              for (const Sample& sample : curve(laboratory, test, line.condition, longest_in_figures))
                one.points.push_back({sample.size, sample.value});
              curves.curves.push_back(std::move(one));
            }
            return curves;
          }};
}

/// A search, a curve a message.
ExperimentFigure search_figure(const char* name, const std::string& title, const std::vector<int>& pushes,
                               Condition (*searched)(int bytes)) {
  std::vector<Condition> all;
  for (const int bytes : pushes) all.push_back(searched(bytes));
  return {name, all, [=](const Laboratory& laboratory) {
            Curves curves{title, "pushed (bytes)", "single trip (us)", false, false, {}, {}};
            for (const int size : search.sizes) {
              Curve one{fmt::format("{} B", size), {}};
              for (const int bytes : pushes)
                one.points.push_back({static_cast<double>(bytes), value(laboratory, searched(bytes), size)});
              curves.curves.push_back(std::move(one));
            }
            return curves;
          }};
}

}  // namespace

void add_figures(Experiment& experiment) {
  std::vector<Line> optimised;
  for (const Optimisation& one : optimisations)
    optimised.push_back({one.name, condition(trip_between, push_pull, one.overrides)});
  auto& figures = experiment.figures;
  figures.push_back(search_figure("second-push", "Second push, none first (section 3.2)", second_pushes(),
                                  search_for_second));
  figures.push_back(search_figure("first-push",
                                  fmt::format("First push, {} B second (section 3.2)", second_push),
                                  first_pushes(), search_for_first));
  figures.push_back(over_sizes("figure-5", "Figure 5: within a node, pushed buffer of 12 KB", trip_within,
                               mechanisms(trip_within)));
  figures.push_back(
      over_sizes("figure-6", "Figure 6: between nodes, by optimisation", trip_between, optimised));
  figures.push_back(over_sizes("figure-8-early", "Figure 8: early receiver", early, mechanisms(early)));
  figures.push_back(over_sizes("figure-8-late", "Figure 8: late receiver, pushed buffer of 4 KB", late,
                               mechanisms(late), true));
}

}  // namespace morgana::push_pull_paper
