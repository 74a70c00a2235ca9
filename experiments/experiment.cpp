#include "experiments/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/core/error.h"
#include "emulator/report/json_text.h"
#include "experiments/am2/am2.h"
#include "experiments/atm/atm_emulator.h"
#include "experiments/atmservices/atm_services.h"
#include "experiments/atmtransport/atm_transport.h"
#include "experiments/infiniband/infiniband.h"
#include "experiments/itb/itb.h"
#include "experiments/modern/modern.h"
#include "experiments/nccl/nccl.h"
#include "experiments/pipelines/pipelines.h"
#include "experiments/pushpull/pushpull.h"
#include "experiments/ultraethernet/ultra_ethernet.h"

namespace morgana {
namespace {

std::string check_of(const std::string& id) {
  return id.substr(0, id.find('.'));
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string number_text(double value) {
  return fmt::format("{:.5g}", value);
}

/// Longer ones stand below the table.
constexpr std::size_t longest_cell = 24;

std::string measured_text(const Measurement& measurement) {
  if (!measurement.value && measurement.text.size() <= longest_cell) return measurement.text;
  if (!measurement.value) return measurement.holds ? "yes" : "no";
  std::string text = number_text(*measurement.value);
  if (measurement.radius > 0) text += fmt::format(" +- {:.2g}", measurement.radius);
  return text;
}

std::string verdict_text(const JudgedRow& judged, bool provisional) {
  const bool by_chance = judged.row->kind != RowKind::deterministic && !judged.row->needs.empty();
  const bool open = judged.verdict == Verdict::pass || judged.verdict == Verdict::fail;
  return to_text(judged.verdict) + (provisional && by_chance && open ? "?" : "");
}

nlohmann::ordered_json json_of(const ExperimentReport& report, const JudgedRow& judged) {
  const Row& row = *judged.row;
  nlohmann::ordered_json entry{
      {"experiment", report.experiment->name}, {"id", row.id}, {"title", row.title}, {"paper", row.paper}};
  if (judged.measurement.value)
    entry["measured"] = *judged.measurement.value;
  else
    entry["measured"] = judged.measurement.text;
  if (judged.measurement.radius > 0) entry["radius_90"] = judged.measurement.radius;
  entry["runs"] = judged.measurement.runs;
  entry["unit"] = row.unit;
  entry["kind"] = std::string(1, static_cast<char>(row.kind));
  entry["rule"] = row.rule.text;
  entry["verdict"] = to_text(judged.verdict);
  if (judged.measurement.value && !judged.measurement.text.empty()) entry["detail"] = judged.measurement.text;
  if (!row.note.empty()) entry["note"] = row.note;
  return entry;
}

}  // namespace

std::string to_text(ProgramSource source) {
  switch (source) {
    case ProgramSource::live:
      return "live";
    case ProgramSource::traces:
      return "traces";
    case ProgramSource::live_everywhere:
      return "live-everywhere";
  }
  return "";
}

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all{
      atm_emulator(),    atm_transport(), atm_services(), itb(),       pipelines(), push_pull_messaging(),
      active_messages(), infiniband(),    nccl_a100(),    nccl_h100(), modern(),    ultra_ethernet()};
  return all;
}

std::vector<const Row*> choose_rows(const Experiment& experiment, const std::vector<std::string>& wanted) {
  std::vector<const Row*> rows;
  for (const std::string& one : wanted) {
    const bool known = std::any_of(experiment.rows.begin(), experiment.rows.end(), [&](const Row& row) {
      return lower(row.id) == lower(one) || lower(check_of(row.id)) == lower(one);
    });
    if (!known)
      throw Error(fmt::format("{} has no row {}; `morgana reproduce {} --list` names them all",
                              experiment.name, one, experiment.name));
  }
  for (const Row& row : experiment.rows) {
    const bool chosen = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
      return lower(row.id) == lower(one) || lower(check_of(row.id)) == lower(one);
    });
    if (wanted.empty() || chosen) rows.push_back(&row);
  }
  return rows;
}

std::vector<JudgedRow> judge_rows(const std::vector<const Row*>& rows, const Laboratory& laboratory) {
  std::vector<JudgedRow> judged;
  for (const Row* row : rows) {
    const Measurement measurement = row->measure(laboratory);
    judged.push_back({row, measurement, judge(*row, measurement)});
  }
  return judged;
}

TextTable judged_table(const std::vector<JudgedRow>& rows, bool provisional) {
  TextTable table({"row", "kind", "paper", "Morgana", "unit", "rule", "verdict"});
  for (const JudgedRow& judged : rows) {
    const Row& row = *judged.row;
    table.add({row.id, std::string(1, static_cast<char>(row.kind)), row.paper,
               measured_text(judged.measurement), row.unit, row.rule.text,
               verdict_text(judged, provisional)});
  }
  return table;
}

std::vector<std::string> row_notes(const std::vector<JudgedRow>& rows, bool provisional) {
  std::vector<std::string> notes;
  for (const JudgedRow& judged : rows) {
    const std::string& detail = judged.measurement.text;
    const bool shown = !judged.measurement.value && detail.size() <= longest_cell;
    const bool explained = judged.verdict == Verdict::fail || judged.verdict == Verdict::fitted ||
                           judged.verdict == Verdict::paper_inconsistent;
    if ((detail.empty() || shown) && !explained) continue;
    std::string note =
        fmt::format("{}, {}: {}", judged.row->id, verdict_text(judged, provisional), judged.row->title);
    if (!detail.empty() && !shown) note += ": " + detail;
    if (explained && !judged.row->note.empty()) note += "; " + judged.row->note;
    notes.push_back(std::move(note));
  }
  return notes;
}

std::string rows_table(const std::vector<JudgedRow>& rows, bool provisional) {
  std::string text = judged_table(rows, provisional).text();
  for (const std::string& note : row_notes(rows, provisional)) text += note + '\n';
  return text;
}

std::string verdict_counts(const std::vector<JudgedRow>& rows) {
  std::string text = fmt::format("{} row{}", rows.size(), rows.size() == 1 ? "" : "s");
  for (const Verdict verdict :
       {Verdict::pass, Verdict::fail, Verdict::fitted, Verdict::paper_inconsistent, Verdict::informational}) {
    const auto count =
        std::count_if(rows.begin(), rows.end(), [&](const JudgedRow& row) { return row.verdict == verdict; });
    if (verdict == Verdict::fitted && count == 0) continue;  // most experiments fit nothing
    text += fmt::format("{} {} {}", verdict == Verdict::pass ? ":" : ",", count, to_text(verdict));
  }
  return text;
}

std::string experiments_json(const std::vector<ExperimentReport>& reports) {
  nlohmann::ordered_json all;
  all["experiments"] = nlohmann::ordered_json::array();
  all["rows"] = nlohmann::ordered_json::array();
  for (const ExperimentReport& report : reports) {
    nlohmann::ordered_json entry{{"name", report.experiment->name},
                                 {"source", report.experiment->source},
                                 {"quick", report.options.quick},
                                 {"seeds", report.options.seeds}};
    if (report.experiment->runs_programs) entry["from"] = to_text(report.options.from);
    entry["confidence"] = 0.9;
    all["experiments"].push_back(std::move(entry));
    for (const JudgedRow& row : report.rows) all["rows"].push_back(json_of(report, row));
  }
  return json_text(all);
}

}  // namespace morgana
