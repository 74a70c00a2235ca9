#include <fmt/format.h>

#include "experiments/atm/rows.h"
#include "runs/scripted_ranks.h"

// Validation of the emulator: tables B.2 to B.4, 5.5, 5.6, 6.3 and 6.4.
namespace morgana::atm_paper {
namespace {

constexpr const char* bus = "interface.bus=0.85 us";

Condition echo(int cells, bool with_bus) {
  Condition condition{fmt::format("echo {}", cells), "atm-taxi-140"};
  if (with_bus) condition.overrides = {bus};
  return condition;
}

/// A message of that many cells to another host and back.
RunOutcome play_echo(std::int64_t cells, const Platform& platform, std::uint64_t seed) {
  constexpr Rank here{0}, there{1};
  // A packet's trailer takes 8 bytes.
  const Bytes size(48 * cells - 8);
  ScriptedRanks ranks(2);
  ranks.send(here, there, size);
  ranks.receive(there, here, size);
  ranks.send(there, here, size);
  ranks.receive(here, there, size);
  ranks.exit(here);
  ranks.exit(there);
  return play(ranks, platform, seed);
}

Row latency(std::string id, std::string title, std::string paper, int cells, bool with_bus, Rule rule) {
  const Condition condition = echo(cells, with_bus);
  Row row{std::move(id), std::move(title), std::move(paper), "us", RowKind::deterministic, std::move(rule)};
  row.needs = {condition};
  row.measure = [condition](const Laboratory& laboratory) {
    return measured(laboratory.mean(condition, "mean_latency_us"));
  };
  return row;
}

Row round_trip(std::string id, std::string title, std::string paper, int cells, bool with_bus, Rule rule) {
  Row row = latency(std::move(id), std::move(title), std::move(paper), cells, with_bus, std::move(rule));
  row.measure = [condition = echo(cells, with_bus)](const Laboratory& laboratory) {
    return measured(laboratory.mean(condition, "total_us"));
  };
  return row;
}

Row but(Row row, Standing standing, std::string note) {
  row.standing = standing;
  row.note = std::move(note);
  return row;
}

const char* const e2_note =
    "the frame and its host costs; SSCOP's and PC-AAL's own rules add nothing to one frame";
const char* const serial_note =
    "no composition of the published parts gives it; ours is the interface that works on a cell, sends it, "
    "then "
    "takes the next";

}  // namespace

void add_validation(Experiment& experiment) {
  std::vector<Row> rows{
      latency("A-01.latency", "one cell through one switch", "35.557", 1, false, within_share(35.557, 0.001)),
      round_trip("A-01.round-trip", "one cell there and back", "71.114", 1, false,
                 within_share(71.114, 0.001)),
      but(latency("A-02.latency", "one cell with the bus at both ends", "37.257", 1, true,
                  within_share(37.257, 0.001)),
          Standing::judged, e2_note),
      but(round_trip("A-02.round-trip", "one cell there and back, with the bus", "74.514", 1, true,
                     within_share(74.514, 0.001)),
          Standing::judged, e2_note),
      but(round_trip("A-03", "one cell there and back, as the emulator measured most often", "72", 1, false,
                     between(71, 72)),
          Standing::judged, "the paper's clock had whole microseconds"),
      but(round_trip("A-04", "29 cells there and back, as the emulator measured most often", "652", 29, false,
                     between(520, 710)),
          Standing::contradicted, serial_note),
      but(latency("A-05.latency", "29 cells with the bus at both ends", "337.686", 29, true,
                  between(290, 355)),
          Standing::contradicted, serial_note),
      but(round_trip("A-05.round-trip", "29 cells there and back, with the bus", "675.341", 29, true,
                     between(580, 710)),
          Standing::contradicted, serial_note),
      but(round_trip("A-06.53-bytes", "a real machine of 1993, round trip", "73", 1, false, no_rule()),
          Standing::informational, "interrupt service, 9 us there, is not modelled"),
      but(round_trip("A-06.1537-bytes", "a real machine of 1993, round trip", "746", 29, false, no_rule()),
          Standing::informational, "interrupt service, 20 us there, is not modelled"),
      but(round_trip("A-07.53-bytes", "the emulator's mean with outliers", "146", 1, false, no_rule()),
          Standing::informational, "the paper's outliers came from other load on its workstations"),
      but(round_trip("A-07.1537-bytes", "the emulator's mean with outliers", "671", 29, false, no_rule()),
          Standing::informational, "the paper's outliers came from other load on its workstations"),
  };
  for (const char* id : {"A-06.53-bytes", "A-06.1537-bytes", "A-07.53-bytes", "A-07.1537-bytes"})
    for (Row& row : rows)
      if (row.id == id) row.kind = RowKind::reference;
  for (Row& row : rows) experiment.rows.push_back(std::move(row));
}

void define_echo(Laboratory& laboratory) {
  for (const int cells : {1, 11, 29})
    laboratory.define(fmt::format("echo {}", cells),
                      [cells](const Condition&, const Platform& platform, std::uint64_t seed) {
                        return play_echo(cells, platform, seed);
                      });
}

}  // namespace morgana::atm_paper
