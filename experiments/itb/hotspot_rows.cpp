#include <fmt/format.h>

#include <algorithm>

#include "experiments/itb/rows.h"

// Regular networks under hotspot and local traffic: section 5.5.2, Table 4.
namespace morgana::itb_paper {
namespace {

constexpr double percent = 100;

struct Case {
  const char* network;
  const char* share;
  double factor;
  const char* paper;
};
constexpr Case cases[] = {{"torus", "5%", 2.13, "2.13 (2.00 to 2.16)"},
                          {"torus", "10%", 1.40, "1.40 (1.31 to 1.40)"},
                          {"express-torus", "3%", 1.13, "1.13 (1.12 to 1.17)"},
                          {"express-torus", "5%", 1.08, "1.08 (1.08 to 1.08)"},
                          {"cplant", "5%", 1.24, "1.24 (1.11 to 1.32)"}};

Condition hot(Tasks& tasks, const std::string& network, const std::string& share) {
  return tasks.saturation(network, "hotspot:" + share);
}

Row order_row(const std::string& id, const std::string& title, const std::string& words,
              const std::vector<Condition>& falling) {
  Row row{id, title, "yes", "", RowKind::shape, as_worded(words)};
  row.needs = falling;
  row.measure = [falling](const Laboratory& laboratory) {
    std::string text;
    std::vector<double> means;
    for (const Condition& condition : falling) {
      means.push_back(laboratory.mean(condition, "factor"));
      text += fmt::format("{}{:.2f}", text.empty() ? "" : ", ", means.back());
    }
    return found(std::is_sorted(means.rbegin(), means.rend()), text);
  };
  return row;
}

void add_table_4(Experiment& experiment, Tasks& tasks) {
  for (const Case& one : cases) {
    experiment.rows.push_back(factor_row(
        fmt::format("I-40.{}.{}", one.network, one.share),
        fmt::format("{}, {} to a hot host: throughput, in-transit to up*/down*", one.network, one.share),
        one.paper, within_share(one.factor, 0.2), hot(tasks, one.network, one.share)));
  }
  experiment.rows.push_back(
      order_row("I-40.order", "5 %: which network gains most", "torus > CPLANT > express torus",
                {hot(tasks, "torus", "5%"), hot(tasks, "cplant", "5%"), hot(tasks, "express-torus", "5%")}));
  experiment.rows.push_back(order_row("I-40.fall.torus", "torus: the gain falls with the hot host's share",
                                      "5 % > 10 %", {hot(tasks, "torus", "5%"), hot(tasks, "torus", "10%")}));
  experiment.rows.push_back(
      order_row("I-40.fall.express-torus", "express torus: the gain falls with the hot host's share",
                "3 % > 5 %", {hot(tasks, "express-torus", "3%"), hot(tasks, "express-torus", "5%")}));
  Row saturation = figure_row("I-41", "torus, 10 % to a hot host, up*/down*: load of doubled latency",
                              "0.0123", "flits/ns/switch", RowKind::statistical, within_share(0.0123, 0.2),
                              hot(tasks, "torus", "10%"), "up-down.knee");
  saturation.measure = [condition = hot(tasks, "torus", "10%"),
                        knee = saturation.measure](const Laboratory& laboratory) {
    Measurement result = knee(laboratory);
    result.text = fmt::format("highest accepted traffic {:.4f}", laboratory.mean(condition, "up-down.peak"));
    return result;
  };
  experiment.rows.push_back(std::move(saturation));
}

void add_losses(Experiment& experiment, Tasks& tasks) {
  struct Loss {
    const char *id, *routes, *share;
    double paper;
  };
  for (const Loss& loss :
       {Loss{"I-42.3%", "up-down", "3%", 26}, Loss{"I-42.5%", "up-down", "5%", 49},
        Loss{"I-43.3%", "in-transit", "3%", 50}, Loss{"I-43.5%", "in-transit", "5%", 67}}) {
    const Condition uniform = tasks.saturation("express-torus"),
                    hotspot = hot(tasks, "express-torus", loss.share);
    Row row{loss.id,
            fmt::format("express torus, {}: throughput lost to {} for a hot host", loss.routes, loss.share),
            fmt::format("{}", loss.paper),
            "%",
            RowKind::statistical,
            within(loss.paper, 15)};
    row.needs = {uniform, hotspot};
    row.measure = [uniform, hotspot, routes = std::string(loss.routes)](const Laboratory& laboratory) {
      const auto lost = [&](const std::string& figure) {
        ConfidenceInterval interval = laboratory.quotient(hotspot, uniform, routes + figure);
        interval.mean = percent * (1 - interval.mean);
        interval.radius *= percent;
        return interval;
      };
      Measurement result = measured(lost(".knee"), laboratory.seeds());
      result.text = fmt::format("of the highest accepted traffic {:.0f} %", lost(".peak").mean);
      return result;
    };
    experiment.rows.push_back(std::move(row));
  }
}

/// What the hot host's own cable carries bounds the whole.
void add_ceilings(Experiment& experiment, Tasks& tasks) {
  struct Ceiling {
    const char *network, *share;
    double paper;
  };
  for (const Ceiling& ceiling :
       {Ceiling{"express-torus", "3%", 0.0785}, Ceiling{"torus", "5%", 0.0483},
        Ceiling{"express-torus", "5%", 0.0483}, Ceiling{"torus", "10%", 0.0246},
        Ceiling{"cplant", "5%", 0.0612}, Ceiling{"irregular:8", "30%", 0.0640},
        Ceiling{"irregular:16", "20%", 0.0478}, Ceiling{"irregular:32", "15%", 0.0322},
        Ceiling{"irregular:64", "5%", 0.0467}}) {
    const Condition condition = hot(tasks, ceiling.network, ceiling.share);
    Row row{fmt::format("I-44.{}.{}", ceiling.network, ceiling.share),
            fmt::format("{}, {} to a hot host: highest accepted traffic", ceiling.network, ceiling.share),
            fmt::format("{:.4f}", ceiling.paper),
            "flits/ns/switch",
            RowKind::deterministic,
            at_most(ceiling.paper)};
    row.needs = {condition};
    row.note =
        "what the hot host's cable carries; while its messages pile up, others may be accepted beyond that";
    row.measure = [condition](const Laboratory& laboratory) {
      const auto most = [&](const std::string& figure) {
        double greatest = 0;
        for (const char* const routes : {"up-down", "in-transit"})
          for (const double value : laboratory.values(condition, routes + figure))
            greatest = std::max(greatest, value);
        return greatest;
      };
      Measurement result = measured(most(".peak"));
      result.text = fmt::format("load at which latency has doubled {:.4f}", most(".knee"));
      return result;
    };
    experiment.rows.push_back(std::move(row));
  }
}

void add_local(Experiment& experiment, Tasks& tasks) {
  struct Local {
    const char *id, *network, *pattern;
    double paper;
    Rule rule;
  };
  const Local all[] = {{"I-45.torus", "torus", "local:3", 1.19, between(0.95, 1.35)},
                       {"I-45.express-torus", "express-torus", "local:3", 1.21, between(0.95, 1.35)},
                       {"I-45.cplant", "cplant", "local:3", 1.13, between(0.95, 1.35)},
                       {"I-46.torus", "torus", "local:4", 1.33, within_share(1.33, 0.25)},
                       {"I-46.express-torus", "express-torus", "local:4", 1.5, within_share(1.5, 0.25)},
                       {"I-46.cplant", "cplant", "local:4", 2.18, no_rule()}};
  for (const Local& local : all) {
    Row row = factor_row(
        local.id, fmt::format("{}, {}: throughput, in-transit to up*/down*", local.network, local.pattern),
        fmt::format("{}", local.paper), local.rule, tasks.saturation(local.network, local.pattern));
    if (local.id == std::string("I-46.express-torus"))
      row.note = "so near, almost every pair has a minimal legal path, which our up*/down* routes take";
    if (local.id == std::string("I-46.cplant")) {
      row.standing = Standing::informational;
      row.note = "more than the same network gains under uniform traffic";
    }
    experiment.rows.push_back(std::move(row));
  }
}

}  // namespace

void add_hotspots(Experiment& experiment, Tasks& tasks) {
  add_table_4(experiment, tasks);
  add_losses(experiment, tasks);
  add_ceilings(experiment, tasks);
  add_local(experiment, tasks);
}

}  // namespace morgana::itb_paper
