#include <fmt/format.h>

#include <algorithm>

#include "experiments/itb/rows.h"

// Irregular networks: Tables 1, 2 and 3.
namespace morgana::itb_paper {
namespace {

constexpr int sizes[] = {8, 16, 32, 64};
constexpr int lengths[] = {32, 512, 1024};

struct Spread {
  double least, greatest, mean;
};
std::string printed(const Spread& spread) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", spread.mean, spread.least, spread.greatest);
}

std::string network(int switches) {
  return fmt::format("irregular:{}", switches);
}

/// By length, then by size.
constexpr Spread factors[3][4] = {
    {{0.90, 1.10, 0.97}, {1.09, 1.63, 1.33}, {1.66, 2.40, 2.00}, {2.60, 3.89, 3.21}},
    {{0.81, 1.05, 0.92}, {1.00, 1.50, 1.25}, {1.44, 2.17, 1.76}, {2.38, 3.25, 2.72}},
    {{0.83, 1.13, 0.92}, {1.00, 1.50, 1.27}, {1.50, 2.01, 1.77}, {2.25, 3.20, 2.65}}};
constexpr Spread changes[3][4] = {
    {{-0.28, 7.86, 2.24}, {7.31, 14.87, 10.32}, {10.59, 14.16, 12.93}, {10.12, 15.15, 12.69}},
    {{-0.02, 1.39, 0.48}, {0.99, 2.73, 1.65}, {1.19, 2.52, 1.82}, {-1.12, 1.52, 0.42}},
    {{0.00, 0.98, 0.22}, {-0.08, 1.15, 0.52}, {-2.22, 0.34, -0.85}, {-3.90, -1.34, -2.27}}};

Row growth_row(PaperTasks& tasks) {
  Row row{"I-20.growth",  "the factor grows with the network",
          "yes",          "",
          RowKind::shape, as_worded("8 < 16 < 32 < 64 switches, each length")};
  std::vector<std::vector<Condition>> series;
  for (const int length : lengths) {
    auto& conditions = series.emplace_back();
    for (const int size : sizes) conditions.push_back(tasks.saturation(network(size), "uniform", length));
    row.needs.insert(row.needs.end(), conditions.begin(), conditions.end());
  }
  row.measure = [series](const Laboratory& laboratory) {
    bool grows = true;
    for (const auto& conditions : series) {
      for (std::size_t i = 1; i < conditions.size(); ++i)
        grows =
            grows && laboratory.mean(conditions[i], "factor") > laboratory.mean(conditions[i - 1], "factor");
    }
    return found(grows, grows ? "yes" : "no");
  };
  return row;
}

Row length_row(PaperTasks& tasks) {
  Row row{"I-20.length",  "short messages gain no less at 32 and 64 switches",
          "yes",          "",
          RowKind::shape, as_worded("32 B >= 512 B")};
  std::vector<std::pair<Condition, Condition>> pairs;
  for (const int size : {32, 64}) {
    pairs.emplace_back(tasks.saturation(network(size), "uniform", 32), tasks.saturation(network(size)));
    row.needs.push_back(pairs.back().first);
    row.needs.push_back(pairs.back().second);
  }
  row.measure = [pairs](const Laboratory& laboratory) {
    bool holds = true;
    std::string text;
    for (const auto& [short_ones, longer] : pairs) {
      const double first = laboratory.mean(short_ones, "factor"), second = laboratory.mean(longer, "factor");
      holds = holds && first >= second;
      text += fmt::format("{}{:.2f} and {:.2f}", text.empty() ? "" : ", ", first, second);
    }
    return found(holds, text);
  };
  return row;
}

Rule change_rule(int length, int size, double paper) {
  if (length == 512) return within(paper, 3);
  if (length == 32) return size == 8 ? below(5) : between(8, 20);
  return size >= 32 ? below(0) : at_least(0);
}

/// The paper's loads go "from low load to saturation", so that low is the lowest of them. Which share of what
/// the network accepts that is, it does not say: what other shares give is told, too.
Row change_row(PaperTasks& tasks, int size, int length, const Spread& paper) {
  const Condition condition = tasks.saturation(network(size), "uniform", length);
  Row row =
      spread_row(fmt::format("I-21.{}.{}", size, length),
                 fmt::format("{} switches, {} B: latency at the lowest load, in-transit against up*/down*",
                             size, length),
                 printed(paper), "%", change_rule(length, size, paper.mean), condition, "change");
  row.note = "the paper does not say which load is low";
  row.measure = [condition, spread = row.measure](const Laboratory& laboratory) {
    Measurement result = spread(laboratory);
    result.text += fmt::format("; that load is {:.0f} % of what up*/down* routes accept, at",
                               laboratory.mean(condition, "low_share"));
    const char* before = "";
    for (const int share : low_shares) {
      result.text += fmt::format("{} {} %: {:+.1f}", before, share,
                                 laboratory.mean(condition, fmt::format("change.{}", share)));
      before = ",";
    }
    return result;
  };
  return row;
}

void add_tables_1_and_2(Experiment& experiment, PaperTasks& tasks) {
  for (std::size_t l = 0; l < std::size(lengths); ++l) {
    for (std::size_t s = 0; s < std::size(sizes); ++s) {
      const Spread& paper = factors[l][s];
      experiment.rows.push_back(factor_row(
          fmt::format("I-20.{}.{}", sizes[s], lengths[l]),
          fmt::format("{} switches, {} B: throughput, in-transit to up*/down*", sizes[s], lengths[l]),
          printed(paper), sizes[s] == 8 ? between(0.85, 1.05) : within_share(paper.mean, 0.15),
          tasks.saturation(network(sizes[s]), "uniform", lengths[l])));
      if (sizes[s] == 8) {
        experiment.rows.back().note =
            "nearly all minimal paths are legal there: what differs is how chance and balance choose among "
            "them";
      }
    }
  }
  experiment.rows.push_back(growth_row(tasks));
  experiment.rows.push_back(length_row(tasks));
  for (std::size_t l = 0; l < std::size(lengths); ++l) {
    for (std::size_t s = 0; s < std::size(sizes); ++s) {
      const Spread& paper = changes[l][s];
      experiment.rows.push_back(change_row(tasks, sizes[s], lengths[l], paper));
    }
  }
}

struct Pattern {
  const char* id;
  const char* name;
  Spread paper[4];  // by size; a mean of 0: not printed
};
constexpr Pattern patterns[] = {
    {"I-22.bit-reversal",
     "bit-reversal",
     {{0.86, 1.15, 0.99}, {0.89, 2.00, 1.29}, {1.64, 2.52, 2.00}, {2.31, 3.56, 2.79}}},
    {"I-22.local-5", "local:5", {{}, {1.05, 1.55, 1.32}, {1.40, 1.63, 1.51}, {1.32, 2.03, 1.60}}},
    {"I-22.hotspot",
     "hotspot",
     {{0.91, 1.10, 1.01}, {1.00, 1.20, 1.09}, {1.10, 1.62, 1.30}, {1.58, 3.00, 2.21}}},
    {"I-23", "local:3", {{0.84, 1.00, 0.93}, {0.91, 1.09, 0.99}, {0.91, 1.08, 1.01}, {0.89, 1.01, 0.99}}}};
constexpr const char* hotspots[] = {"hotspot:30%", "hotspot:20%", "hotspot:15%", "hotspot:5%"};

void add_table_3(Experiment& experiment, PaperTasks& tasks) {
  for (const Pattern& pattern : patterns) {
    for (std::size_t s = 0; s < std::size(sizes); ++s) {
      const Spread& paper = pattern.paper[s];
      if (paper.mean == 0) continue;
      const std::string name = pattern.name == std::string("hotspot") ? hotspots[s] : pattern.name;
      // "the message generation rate is constant and the same for all the hosts": where a network does not
      // accept what all generate, hosts whose paths meet no others send more than the rest.
      const auto judged = name == "bit-reversal" ? sustained_factor_row : factor_row;
      Row row = judged(fmt::format("{}.{}", pattern.id, sizes[s]),
                       fmt::format("{} switches, {}: throughput, in-transit to up*/down*", sizes[s], name),
                       printed(paper),
                       pattern.id == std::string("I-23") ? between(0.9, 1.1) : within_share(paper.mean, 0.2),
                       tasks.saturation(network(sizes[s]), name));
      if (name == "local:5")
        row.note = "three cables reach most of these networks: ours gain as under uniform traffic";
      if (name == "bit-reversal") {
        row.note =
            "judged by the highest traffic of which 95 % are accepted: every host sends to one other, and "
            "beyond "
            "that those whose paths meet no others go on sending more than the rest";
      }
      experiment.rows.push_back(std::move(row));
    }
  }
}

}  // namespace

void add_irregular(Experiment& experiment, PaperTasks& tasks) {
  add_tables_1_and_2(experiment, tasks);
  add_table_3(experiment, tasks);
}

}  // namespace morgana::itb_paper
