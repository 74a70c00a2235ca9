#include <fmt/format.h>

#include <algorithm>

#include "experiments/atmservices/paper.h"
#include "experiments/atmservices/rows.h"

namespace morgana::atm_services_paper {
namespace {

std::string where(const Bandwidth& printed) {
  return fmt::format("{} at rho {}", printed_name(std::string(printed.program)), printed.load / 100.0);
}

Condition with(const Bandwidth& printed, Service service) {
  return loaded({std::string(printed.program), service, printed.load});
}

double data_kbps(const Laboratory& laboratory, const Condition& condition) {
  return laboratory.mean(condition, "ubr_kbps") + laboratory.mean(condition, "abr_kbps");
}

Row statistical(const std::string& id, const std::string& title, double paper, const std::string& unit,
                const Rule& rule, const std::vector<Condition>& needs,
                const std::function<double(const Laboratory&)>& value) {
  Row row{id, title, fmt::format("{:.3g}", paper), unit, RowKind::statistical, rule};
  row.needs = needs;
  row.measure = [value](const Laboratory& laboratory) {
    Measurement measurement = measured(value(laboratory));
    measurement.runs = laboratory.seeds();
    return measurement;
  };
  return row;
}

void add_totals(Experiment& experiment, const Bandwidth& printed) {
  const Condition ubr = with(printed, Service::ubr), switching = with(printed, Service::switching),
                  duplicating = with(printed, Service::duplicating);
  experiment.rows.push_back(
      statistical(fmt::format("A-62.{}-{}", printed.program, printed.load),
                  "what the switching ECE carries of data, by UBR only, " + where(printed),
                  printed.switching.total / printed.ubr_only, "",
                  within_share(printed.switching.total / printed.ubr_only, 0.1), {ubr, switching},
                  [=](const Laboratory& l) { return data_kbps(l, switching) / data_kbps(l, ubr); }));
  experiment.rows.push_back(statistical(
      fmt::format("A-63.{}-{}", printed.program, printed.load),
      "what the duplicating ECE carries of data, by the switching one, " + where(printed),
      printed.duplicating.total / printed.switching.total, "",
      within_share(printed.duplicating.total / printed.switching.total, 0.1), {switching, duplicating},
      [=](const Laboratory& l) { return data_kbps(l, duplicating) / data_kbps(l, switching); }));
}

/// "the total consumed bandwidth is slightly higher with the switching ECE than with ABR or UBR only, and the
/// difference is lower in PDE1"
void add_order(Experiment& experiment) {
  Row higher{"A-62.higher",  "what the switching ECE carries of data, against ABR only and UBR only",
             "higher",       "",
             RowKind::shape, as_worded("higher than both, each program and load")};
  for (const Bandwidth& printed : bandwidths)
    for (const Service service : {Service::ubr, Service::abr, Service::switching})
      higher.needs.push_back(with(printed, service));
  Row lower = higher;
  higher.measure = [](const Laboratory& laboratory) {
    bool holds = true;
    std::string text;
    for (const Bandwidth& printed : bandwidths) {
      const double ours = data_kbps(laboratory, with(printed, Service::switching)),
                   ubr = data_kbps(laboratory, with(printed, Service::ubr)),
                   abr = data_kbps(laboratory, with(printed, Service::abr));
      holds = holds && ours > ubr && ours > abr;
      text += fmt::format("{}{}: {:.1f} (ABR {:.1f}, UBR {:.1f})", text.empty() ? "" : ", ", where(printed),
                          ours, abr, ubr);
    }
    return found(holds, text);
  };
  lower.id = "A-62.programs";
  lower.title = "by how much it carries more than UBR only";
  lower.paper = "lower in PDE1";
  lower.rule = as_worded("lower in PDE1 than in PDE2, at the low loads and at rho 1.05");
  lower.measure = [](const Laboratory& laboratory) {
    const auto more = [&](std::size_t number) {
      return data_kbps(laboratory, with(bandwidths[number], Service::switching)) /
                 data_kbps(laboratory, with(bandwidths[number], Service::ubr)) -
             1;
    };
    return found(more(0) < more(2) && more(1) < more(3),
                 fmt::format("{:.1f} and {:.1f} % (PDE1), {:.1f} and {:.1f} % (PDE2)", 100 * more(0),
                             100 * more(1), 100 * more(2), 100 * more(3)));
  };
  experiment.rows.push_back(higher);
  experiment.rows.push_back(lower);
}

void add_rise(Experiment& experiment, const std::string& program) {
  const int low = lower_load(program), high = 105;
  const auto quotient = [=](const Laboratory& laboratory, int load) {
    return data_kbps(laboratory, loaded({program, Service::duplicating, load})) /
           data_kbps(laboratory, loaded({program, Service::switching, load}));
  };
  Row row = shape("A-63." + program + "-rise", "the same, " + printed_name(program), "rises with rho",
                  "more at rho 1.05",
                  {{program, Service::switching, low},
                   {program, Service::switching, high},
                   {program, Service::duplicating, low},
                   {program, Service::duplicating, high}});
  row.measure = [=](const Laboratory& laboratory) {
    return found(quotient(laboratory, high) > quotient(laboratory, low),
                 fmt::format("{:.3g} after {:.3g}", quotient(laboratory, high), quotient(laboratory, low)));
  };
  experiment.rows.push_back(row);
}

constexpr double least_stats_kbps = 4.2;  // a cell in 100 ms, 4.24 kb/s, but for POLLs that UBR loses

void add_feedback(Experiment& experiment, const Bandwidth& printed) {
  const Condition switching = with(printed, Service::switching);
  experiment.rows.push_back(statistical(
      fmt::format("A-64.{}-{}", printed.program, printed.load),
      "VBR over ABR, switching ECE, " + where(printed), 100 * printed.switching.vbr / printed.switching.abr,
      "%", between(2.5, 7.5), {switching}, [=](const Laboratory& l) {
        return 100 * l.mean(switching, "vbr_kbps") / l.mean(switching, "abr_kbps");
      }));
  for (const Service engine : engines) {
    const Condition condition = with(printed, engine);
    const double paper = engine == Service::switching ? printed.switching.vbr : printed.duplicating.vbr;
    Row row = statistical(fmt::format("A-65.{}-{}-{}", printed.program, printed.load, word_of(engine)),
                          fmt::format("VBR of the {}, {}", to_text(engine), where(printed)), paper, "kb/s",
                          between(std::max(least_stats_kbps, paper / 1.5), 1.5 * paper), {condition},
                          [=](const Laboratory& l) { return l.mean(condition, "vbr_kbps"); });
    row.note =
        "A STAT answers each of ten POLLs a second, but for those that UBR loses; USTAT and LSTAT are the "
        "rest.";
    experiment.rows.push_back(row);
  }
}

void add_share_of_abr(Experiment& experiment, const std::string& check, const std::string& program,
                      Service engine, int load, double paper) {
  const Condition condition = loaded({program, engine, load});
  experiment.rows.push_back(statistical(fmt::format("{}.{}-{}-{}", check, program, load, word_of(engine)),
                                        fmt::format("share of {}'s cells over ABR, {}, rho {}",
                                                    printed_name(program), to_text(engine), load / 100.0),
                                        paper, "%", within(paper, 12), {condition}, [=](const Laboratory& l) {
                                          return 100 * l.mean(condition, "abr_share");
                                        }));
}

// The other reading of the interrupt's time.
void add_other_reading(Experiment& experiment) {
  for (const int load : {10, 70}) {
    const Condition busy = loaded({.service = Service::switching, .load = load, .interrupts_hold_up = true});
    const Condition delayed = loaded({.service = Service::switching, .load = load});
    Row row{
        fmt::format("A-66.pde1-{}-interrupts", load),
        fmt::format("share of PDE1's cells over ABR at rho {}, switching ECE, if interrupts hold up cells, "
                    "and if they only delay them",
                    load / 100.0),
        load == 70 ? "40" : "not given",
        "%",
        RowKind::reference,
        no_rule(),
        Standing::informational};
    row.needs = {busy, delayed};
    row.measure = [=](const Laboratory& l) {
      return found(false, fmt::format("{:.3g} and {:.3g} %", 100 * l.mean(busy, "abr_share"),
                                      100 * l.mean(delayed, "abr_share")));
    };
    experiment.rows.push_back(row);
  }
}

/// "the different results achieved by the switching and the duplicating ECEs" in PDE1, ten points less
void add_difference_of_engines(Experiment& experiment) {
  Row row = shape("A-66.engines", "share of PDE1's cells over ABR at rho 0.7 and 1",
                  "less with the duplicating ECE", "less with the duplicating ECE, at both",
                  {{"pde1", Service::switching, 70},
                   {"pde1", Service::duplicating, 70},
                   {"pde1", Service::switching, 100},
                   {"pde1", Service::duplicating, 100}});
  row.measure = [](const Laboratory& laboratory) {
    const auto share = [&](Service engine, int load) {
      return 100 * laboratory.mean(loaded({"pde1", engine, load}), "abr_share");
    };
    return found(share(Service::duplicating, 70) < share(Service::switching, 70) &&
                     share(Service::duplicating, 100) < share(Service::switching, 100),
                 fmt::format("{:.3g} and {:.3g} % (switching: {:.3g} and {:.3g} %)",
                             share(Service::duplicating, 70), share(Service::duplicating, 100),
                             share(Service::switching, 70), share(Service::switching, 100)));
  };
  experiment.rows.push_back(row);
}

// "the fraction of bandwidth spent by the ABR service": what ABR carries of all, copies included.
void add_share_from_tables(Experiment& experiment, const Bandwidth& printed, Service engine) {
  const EceBandwidth& ece = engine == Service::switching ? printed.switching : printed.duplicating;
  const double paper = 100 * ece.abr / ece.total;
  const Condition condition = with(printed, engine);
  experiment.rows.push_back(statistical(
      fmt::format("A-68.{}-{}-{}", printed.program, printed.load, word_of(engine)),
      fmt::format("what ABR carries of all data, {}, {}", to_text(engine), where(printed)), paper, "%",
      within(paper, 12), {condition},
      [=](const Laboratory& l) { return 100 * l.mean(condition, "abr_kbps") / data_kbps(l, condition); }));
}

}  // namespace

void add_engine_bandwidth(Experiment& experiment) {
  for (const Bandwidth& printed : bandwidths) add_totals(experiment, printed);
  add_order(experiment);
  for (const std::string& program : programs) add_rise(experiment, program);
  for (const Bandwidth& printed : bandwidths) add_feedback(experiment, printed);
}

void add_use(Experiment& experiment) {
  add_share_of_abr(experiment, "A-66", "pde1", Service::switching, 70, 40);
  add_share_of_abr(experiment, "A-66", "pde1", Service::switching, 100, 70);
  add_share_of_abr(experiment, "A-66", "pde1", Service::duplicating, 70, 30);
  add_share_of_abr(experiment, "A-66", "pde1", Service::duplicating, 100, 60);
  add_difference_of_engines(experiment);
  add_other_reading(experiment);
  for (const Service engine : engines) {
    add_share_of_abr(experiment, "A-67", "pde2", engine, 65, 40);
    add_share_of_abr(experiment, "A-67", "pde2", engine, 100, 70);
  }
  for (const Bandwidth& printed : bandwidths)
    for (const Service engine : engines) add_share_from_tables(experiment, printed, engine);
}

void add_latency(Experiment& experiment) {
  for (const std::string& program : programs) {
    const std::vector<int> loads{lower_load(program), 80, 100};
    for (const Service engine : engines) {
      Row row{fmt::format("A-69.{}-{}", program, word_of(engine)),
              fmt::format("greatest latency of {}'s cells over the {}, by ABR only, at rho {}, 0.8 and 1",
                          printed_name(program), to_text(engine), loads.front() / 100.0),
              "equivalent",
              "",
              RowKind::shape,
              at_most(2)};
      for (const int load : loads)
        for (const Service service : {engine, Service::abr})
          row.needs.push_back(loaded({program, service, load}));
      row.measure = [=](const Laboratory& laboratory) {
        double greatest = 0;
        std::string text;
        for (const int load : loads) {
          const double ours = latency(laboratory, {program, engine, load});
          const double abr = latency(laboratory, {program, Service::abr, load});
          greatest = std::max(greatest, ours / abr);
          text += fmt::format("{}rho {}: {:.3g} and {:.3g} ms", text.empty() ? "" : ", ", load / 100.0,
                              1e3 * ours, 1e3 * abr);
        }
        Measurement measurement = measured(greatest);
        measurement.text = text;
        measurement.runs = laboratory.seeds();
        return measurement;
      };
      experiment.rows.push_back(row);
    }
    const Point ubr{program, Service::ubr, 100}, abr{program, Service::abr, 100},
        switching{program, Service::switching, 100};
    Row worse{
        "A-69." + program + "-ubr",
        fmt::format("latency of {}'s cells over UBR only, by ABR only, at rho 1", printed_name(program)),
        "clearly worse",
        "",
        RowKind::shape,
        at_least(3)};
    worse.needs = conditions_of({ubr, abr});
    worse.measure = [=](const Laboratory& laboratory) {
      return measured(laboratory.quotient(loaded(ubr), loaded(abr), "cell_latency_s"), laboratory.seeds());
    };
    experiment.rows.push_back(worse);
    Row loss{"A-70." + program,
             fmt::format("loss of {} over UBR only, by that of the switching ECE, at rho 1",
                         printed_name(program)),
             "avoids most",
             "",
             RowKind::shape,
             at_least(3)};
    loss.needs = conditions_of({ubr, switching});
    loss.measure = [=](const Laboratory& laboratory) {
      const double before = laboratory.mean(loaded(ubr), "loss");
      const double after = laboratory.mean(loaded(switching), "loss");
      Measurement measurement = measured(before / after);
      measurement.text = fmt::format("{:.3g} and {:.3g} %", 100 * before, 100 * after);
      measurement.runs = laboratory.seeds();
      return measurement;
    };
    experiment.rows.push_back(loss);
  }
}

}  // namespace morgana::atm_services_paper
