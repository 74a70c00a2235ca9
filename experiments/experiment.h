#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "emulator/report/pictures/curves.h"
#include "emulator/report/pictures/link_map.h"
#include "emulator/report/pictures/time_space.h"
#include "emulator/report/table.h"
#include "experiments/row.h"

namespace morgana {

/// Where the programs' communication comes from.
enum class ProgramSource {
  live,             ///< each runs live once, is recorded, and its recording replayed under every condition
  traces,           ///< recordings that are there; nothing runs
  live_everywhere,  ///< as `live`, and each runs live on every platform that is compared, too
};
std::string to_text(ProgramSource source);

/// How an experiment is carried out.
struct ExperimentOptions {
  bool quick = false;
  std::size_t seeds = 10;
  ProgramSource from = ProgramSource::live;
  std::filesystem::path traces;    ///< the folder in which recordings are, or are put
  std::filesystem::path programs;  ///< the folder of the kernels
};

/// A picture of the paper, from our runs.
struct ExperimentFigure {
  std::string name;  ///< of its file, without ending
  std::vector<Condition> needs;
  std::function<std::variant<Curves, LinkMap, TimeSpace>(const Laboratory&)> draw;
  /// Of theory alone, which needs nothing measured: the rows whose figures it shows ("P-26" is P-26.5.1,
  /// too).
  std::vector<std::string> shows = {};
};

/// A part of a paper: a table of rows, and what it takes to measure them. To add one, write a function that
/// makes it and name it in experiments().
struct Experiment {
  std::string name;    ///< as given to `morgana reproduce`
  std::string title;   ///< a sentence
  std::string source;  ///< author, title, year
  std::vector<Row> rows;
  std::vector<ExperimentFigure> figures;
  /// false: no ProgramSource plays a part, as its workloads are made, or its programs always run live
  bool runs_programs = true;
  /// Defines the workloads named (those that the chosen rows need), recording programs where that takes it.
  /// @param told  as for Laboratory::carry_out
  std::function<void(Laboratory&, const ExperimentOptions&, const std::set<std::string>& workloads,
                     const std::function<void(const std::string&, double)>& told)>
      prepare;
};

/// All there are, in the order in which they are listed.
const std::vector<Experiment>& experiments();

struct JudgedRow {
  const Row* row;
  Measurement measurement;
  Verdict verdict;
};

/// The rows that the user has chosen, by id or by what stands before the dot.
/// @param wanted  empty: all. @throws Error naming what is no row
std::vector<const Row*> choose_rows(const Experiment& experiment, const std::vector<std::string>& wanted);

/// Measures and judges rows, after prepare() and carrying out what they need.
std::vector<JudgedRow> judge_rows(const std::vector<const Row*>& rows, const Laboratory& laboratory);

/// Each row's paper value, ours, rule and verdict. @param provisional  as for rows_table
TextTable judged_table(const std::vector<JudgedRow>& rows, bool provisional = false);
/// What is to be known of rows that don't pass, and of those whose finding is words: a sentence each.
std::vector<std::string> row_notes(const std::vector<JudgedRow>& rows, bool provisional = false);
/// For people: ours beside the paper's, then what is to be known of rows that don't pass.
/// @param provisional  whether verdicts that take more runs bear a question mark: "fail?"
std::string rows_table(const std::vector<JudgedRow>& rows, bool provisional = false);
/// "61 rows: 50 pass, 5 fail, ..."
std::string verdict_counts(const std::vector<JudgedRow>& rows);
/// {"experiments": [{"name", "source", "seeds", "quick", "rows": [...]}], "rows": [...]}
struct ExperimentReport {
  const Experiment* experiment;
  ExperimentOptions options;
  std::vector<JudgedRow> rows;
};
/// Each row with id, paper, measured, unit, kind, rule and verdict, and what else there is to it.
std::string experiments_json(const std::vector<ExperimentReport>& reports);

}  // namespace morgana
