#include <fmt/format.h>

#include <algorithm>

#include "experiments/itb/rows.h"

// Regular networks under hotspot and local traffic: section 5.5.2, Table 4.
namespace morgana::itb_paper {
namespace {

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

Condition hot(PaperTasks& tasks, const std::string& network, const std::string& share) {
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

void add_table_4(Experiment& experiment, PaperTasks& tasks) {
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

void add_losses(Experiment& experiment, PaperTasks& tasks) {
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

/// The greatest of all seeds and both kinds of routes.
Row ceiling_row(const std::string& id, const std::string& title, double ceiling, const Condition& condition,
                const std::string& figure) {
  Row row{
      id, title, fmt::format("{:.4f}", ceiling), "flits/ns/switch", RowKind::deterministic, at_most(ceiling)};
  row.needs = {condition};
  row.measure = [condition, figure](const Laboratory& laboratory) {
    std::string text;
    double most = 0;
    for (const std::string routes : {"up-down", "in-transit"}) {
      const std::vector<double> values = laboratory.values(condition, routes + "." + figure);
      const double greatest = *std::max_element(values.begin(), values.end());
      most = std::max(most, greatest);
      text += fmt::format("{}{} {:.4f}", text.empty() ? "" : ", ", routes, greatest);
    }
    Measurement result = measured(most);
    result.text = text;
    return result;
  };
  return row;
}

/// What the hot host's own cable carries bounds the whole.
void add_ceilings(Experiment& experiment, PaperTasks& tasks) {
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
    const std::string id = fmt::format("I-44.{}.{}", ceiling.network, ceiling.share);
    const std::string what = fmt::format("{}, {} to a hot host: highest ", ceiling.network, ceiling.share);
    experiment.rows.push_back(
        ceiling_row(id, what + "traffic accepted whole", ceiling.paper, condition, "sustained"));
    Row row = ceiling_row(id + ".peak", what + "accepted traffic", ceiling.paper, condition, "peak");
    row.note =
        "the ceiling is that of hosts that send at equal rates; beyond saturation nothing holds up the hot "
        "host itself, and pools take what waits for it";
    experiment.rows.push_back(std::move(row));
  }
}

/// @param cables  that are crossed at most
Row local_row(PaperTasks& tasks, const std::string& id, const std::string& network, unsigned l,
              unsigned cables, double paper, Rule rule) {
  // Patterns count two more.
  return factor_row(
      id,
      fmt::format("{}, local traffic (l = {}, at most {} cable{}): throughput, in-transit to up*/down*",
                  network, l, cables, cables == 1 ? "" : "s"),
      fmt::format("{}", paper), std::move(rule),
      tasks.saturation(network, fmt::format("local:{}", cables + 2)));
}

/// In this section a destination "one hop away" is "two switches away": l switches are l - 1 cables. The
/// section on irregular networks, whose counts ask for l - 2 cables, is informational here.
void add_local(Experiment& experiment, PaperTasks& tasks) {
  struct Local {
    const char *check, *network;
    unsigned l;
    double paper;
    Rule rule;
  };
  const Local all[] = {{"I-45", "torus", 3, 1.19, between(0.95, 1.35)},
                       {"I-45", "express-torus", 3, 1.21, between(0.95, 1.35)},
                       {"I-45", "cplant", 3, 1.13, between(0.95, 1.35)},
                       {"I-46", "torus", 4, 1.33, within_share(1.33, 0.25)},
                       {"I-46", "express-torus", 4, 1.5, within_share(1.5, 0.25)},
                       {"I-46", "cplant", 4, 2.18, no_rule()}};
  for (const Local& local : all) {
    const std::string id = fmt::format("{}.{}", local.check, local.network);
    Row row = local_row(tasks, id, local.network, local.l, local.l - 1, local.paper, local.rule);
    if (id == "I-46.cplant") {
      row.standing = Standing::informational;
      row.note = "more than the same network gains under uniform traffic";
    }
    experiment.rows.push_back(std::move(row));
    Row nearer =
        local_row(tasks, id + ".nearer", local.network, local.l, local.l - 2, local.paper, no_rule());
    nearer.standing = Standing::informational;
    experiment.rows.push_back(std::move(nearer));
  }
}

}  // namespace

void add_hotspots(Experiment& experiment, PaperTasks& tasks) {
  add_table_4(experiment, tasks);
  add_losses(experiment, tasks);
  add_ceilings(experiment, tasks);
  add_local(experiment, tasks);
}

}  // namespace morgana::itb_paper
