#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "cli/common/command.h"
#include "cli/common/machine_options.h"
#include "cli/common/options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/result_files.h"
#include "cli/common/temporary_folder.h"
#include "cli/reproduce_page.h"
#include "emulator/report/output_file.h"
#include "emulator/schema/nearest.h"
#include "experiments/experiment.h"
#include "pvmshim/launch/process/installation.h"
#include "report/page_template.h"
#include "runs/shared_runs.h"

namespace morgana::cli {
namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  std::string name;
  std::vector<std::string> rows;
  bool list = false, quick = false, quiet = false;
  std::size_t seeds = 0, side_by_side = 0;
  std::string from = "live";
  std::string traces, json, plot, page;
  MachineOptions machines;
};

std::vector<const Experiment*> chosen(const std::string& name) {
  std::vector<const Experiment*> all;
  std::vector<std::string> names{"all"};
  for (const Experiment& experiment : experiments()) {
    names.push_back(experiment.name);
    if (name == "all" || name == experiment.name) all.push_back(&experiment);
  }
  if (!all.empty()) return all;
  const auto meant = nearest(name, names);
  throw Error(fmt::format("there is no experiment {}{}; `morgana reproduce` lists them", name,
                          meant ? "; did you mean " + *meant + "?" : ""));
}

void list_experiments() {
  for (const Experiment& experiment : experiments())
    fmt::print("{}  {}\n  {} rows; {}\n", experiment.name, experiment.title, experiment.rows.size(),
               experiment.source);
}

void list_rows(const Experiment& experiment) {
  for (const Row& row : experiment.rows)
    fmt::print("{}  {} (paper: {}{}{})\n", row.id, row.title, row.paper, row.unit.empty() ? "" : " ",
               row.unit);
}

std::string where_from(ProgramSource source) {
  switch (source) {
    case ProgramSource::live:
      return "programs run live once and are replayed";
    case ProgramSource::traces:
      return "programs are replayed from their recordings";
    case ProgramSource::live_everywhere:
      return "programs run live";
  }
  return "";
}

std::size_t seeds(const ReproduceArguments& options) {
  constexpr std::size_t usual = 10, quick = 3;
  if (options.seeds > 0) return options.seeds;
  return options.quick ? quick : usual;
}

bool shows(const ExperimentFigure& figure, const Row& row) {
  return std::ranges::any_of(
      figure.shows, [&](const std::string& id) { return row.id == id || row.id.starts_with(id + '.'); });
}

/// Of chosen rows only those figures that show what these rows measure or, those of theory alone, calculate.
std::vector<const ExperimentFigure*> choose_figures(const Experiment& experiment,
                                                    const ReproduceArguments& options,
                                                    const std::vector<const Row*>& rows,
                                                    const std::set<Condition>& of_rows) {
  std::vector<const ExperimentFigure*> figures;
  if (options.plot.empty() && options.page.empty()) return figures;
  for (const ExperimentFigure& figure : experiment.figures)
    if (options.rows.empty() ||
        std::ranges::any_of(rows, [&](const Row* row) { return shows(figure, *row); }) ||
        std::ranges::any_of(figure.needs, [&](const Condition& need) { return of_rows.contains(need); }))
      figures.push_back(&figure);
  return figures;
}

std::vector<DrawnFigure> figures_of(const std::vector<const ExperimentFigure*>& figures,
                                    const Laboratory& laboratory) {
  std::vector<DrawnFigure> drawn;
  for (const ExperimentFigure* figure : figures) drawn.push_back({figure->name, figure->draw(laboratory)});
  return drawn;
}

void draw_figures(const Experiment& experiment, const std::vector<DrawnFigure>& figures,
                  const fs::path& folder) {
  for (const DrawnFigure& figure : figures) {
    const std::string file = (folder / (experiment.name + "-" + figure.name + ".svg")).string();
    std::visit([&file](const auto& picture) { draw(picture, file); }, figure.picture);
  }
}

/// @param exchange  by which other machines make some of the runs; may be empty
CarriedOut carry_out(const Experiment& experiment, const ReproduceArguments& options,
                     const ExperimentOptions& how, const std::shared_ptr<RunExchange>& exchange) {
  const std::vector<const Row*> rows = choose_rows(experiment, options.rows);
  std::set<Condition> conditions;
  for (const Row* row : rows) conditions.insert(row->needs.begin(), row->needs.end());
  const std::vector<const ExperimentFigure*> figures = choose_figures(experiment, options, rows, conditions);
  for (const ExperimentFigure* figure : figures)
    conditions.insert(figure->needs.begin(), figure->needs.end());
  std::set<std::string> workloads;
  for (const Condition& condition : conditions) workloads.insert(condition.workload);
  Laboratory laboratory(Runner(options.side_by_side > 0 ? options.side_by_side : processors_here(), exchange),
                        how.seeds);
  {
    ProgressBar bar(options.quiet);
    const auto told = [&](const std::string& what, double share) { bar.show(what, share); };
    experiment.prepare(laboratory, how, workloads, told);
    laboratory.carry_out(conditions, told);
  }
  if (exchange && exchange->is_worker()) return {};
  ExperimentReport report{&experiment, how, judge_rows(rows, laboratory)};
  if (!options.quiet) {
    fmt::print("--- {} | {} seeds{}{}\n{}\n", experiment.name, how.seeds,
               how.quick ? " (quick: fewer than 10, so wider intervals)" : "",
               experiment.runs_programs ? " | " + where_from(how.from) : "", experiment.source);
    fmt::print("{}{}\n", rows_table(report.rows, how.quick), verdict_counts(report.rows));
    if (how.quick)
      fmt::print(
          "verdicts with a question mark are provisional: --quick measures too little to fail a row\n");
    std::fflush(stdout);
  }
  std::vector<DrawnFigure> drawn = figures_of(figures, laboratory);
  if (!options.plot.empty()) draw_figures(experiment, drawn, options.plot);
  if (!options.plot.empty() && figures.empty() && !options.quiet)
    fmt::print("no figure of {} shows what these rows measure: none was drawn\n", experiment.name);
  return {std::move(report), std::move(drawn)};
}

/// With what is drawn, as figures need runs of their own.
std::vector<std::string> arguments_of_workers(const ReproduceArguments& options,
                                              const ExperimentOptions& how) {
  std::vector<std::string> words{"reproduce",
                                 options.name,
                                 "--quiet",
                                 fmt::format("--seeds={}", how.seeds),
                                 "--from=" + options.from,
                                 "--traces=" + how.traces.string()};
  if (options.quick) words.emplace_back("--quick");
  if (!options.rows.empty()) words.push_back(fmt::format("--rows={}", fmt::join(options.rows, ",")));
  if (options.side_by_side > 0) words.push_back(fmt::format("--jobs={}", options.side_by_side));
  if (!options.plot.empty()) words.push_back("--plot=" + options.plot);
  if (!options.page.empty()) words.push_back("--report=" + options.page);
  return words;
}

int reproduce(const ReproduceArguments& options) {
  if (options.name.empty()) {
    if (!options.rows.empty())
      throw Error("--rows are those of one experiment: name it; `morgana reproduce` lists them");
    list_experiments();
    return 0;
  }
  const std::vector<const Experiment*> experiments = chosen(options.name);
  if (options.list) {
    for (const Experiment* experiment : experiments) list_rows(*experiment);
    return 0;
  }
  if (!options.rows.empty() && experiments.size() > 1)
    throw Error("--rows are those of one experiment: name it instead of all");
  for (const Experiment* experiment : experiments) choose_rows(*experiment, options.rows);
  const bool makes_runs_only = is_worker();  // another process writes what comes of them
  if (!makes_runs_only) claim_results({{"--json", options.json}, {"--report", options.page}});
  if (!options.page.empty()) check_can_make_pages();
  if (!options.plot.empty()) make_output_folder(options.plot);
  if (options.from == "traces" && options.traces.empty())
    throw Error("--from traces takes recordings from the folder that --traces names: name one");
  if (options.from == "live-everywhere" && !options.machines.on.empty())
    throw Error(
        "--from live-everywhere measures computing in every run, which is this machine's: leave out --on, or "
        "take --from live");
  std::optional<TemporaryFolder> folder;
  ExperimentOptions how;
  how.quick = options.quick;
  how.seeds = seeds(options);
  how.from = options.from == "live"     ? ProgramSource::live
             : options.from == "traces" ? ProgramSource::traces
                                        : ProgramSource::live_everywhere;
  how.programs = own_programs();
  if (options.traces.empty()) {
    how.traces = folder.emplace(parent_for_shared_runs(!options.machines.on.empty())).path();
  } else {
    make_output_folder(options.traces);
    how.traces = options.traces;
  }
  const std::shared_ptr<RunExchange> exchange =
      options.machines.exchange([&] { return arguments_of_workers(options, how); });
  std::vector<CarriedOut> all;
  for (const Experiment* experiment : experiments)
    all.push_back(carry_out(*experiment, options, how, exchange));
  if (makes_runs_only) return 0;
  if (!options.json.empty()) {
    std::vector<ExperimentReport> reports;
    for (const CarriedOut& one : all) reports.push_back(one.report);
    write_output(options.json, experiments_json(reports));
  }
  if (!options.page.empty()) write_page(options.page, reproduce_page(all), options.quiet);
  return 0;
}

}  // namespace

void add_reproduce(Commands& commands) {
  auto options = std::make_shared<ReproduceArguments>();
  Command& command = commands.add("reproduce", "Compare the papers' tables and figures with Morgana's");
  command.add("experiment", &options->name, "Name of the experiment, or all; without one, they are listed")
      ->type_name("NAME|all");
  command.add("--rows", &options->rows, "Only these rows: A-22 with all its parts, or one, A-22.ft")
      ->type_name("ID,...")
      ->split_at(',');
  command.add("--list", &options->list, "List the rows, run nothing");
  command.add("--quick", &options->quick, "Three seeds instead of ten for rows that depend on the seed");
  command.add("--seeds", &options->seeds, "Number of seeds for rows that depend on the seed")
      ->type_name("N")
      ->check(whole_number(2, 1000));
  command
      .add("--from", &options->from,
           "live: programs run live once and are recorded for the other platforms; traces: take the traces "
           "in --traces; live-everywhere: run live on every platform")
      ->type_name("live|traces|live-everywhere")
      ->check(one_of({"live", "traces", "live-everywhere"}))
      ->show_default();
  command.add("--traces", &options->traces, "Folder of the traces; default: a temporary one")
      ->type_name("DIR");
  options->machines.add_machines(command, "Distribute the runs");
  command
      .add("-j,--jobs", &options->side_by_side,
           "Runs at the same time, with --on on each machine; default: one per processor")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command.add("--json", &options->json, "Write the rows with their verdicts as JSON; - is standard output")
      ->type_name("FILE");
  command.add("--plot", &options->plot, "Draw the experiments' figures into this folder")->type_name("DIR");
  command
      .add("--report", &options->page,
           "Draw the rows with their verdicts and the experiments' figures as a web page")
      ->type_name("FILE.html")
      ->check(name_of_page());
  command.add("-q,--quiet", &options->quiet, "No table, no progress bar");
  command.footer = R"(
Each row has the paper's value, ours, a rule and a verdict that follows from them: pass or fail; fitted instead of
pass where unpublished parameters were chosen for the row; paper-inconsistent where the paper contradicts itself;
informational where there is nothing to judge. Verdicts don't change the exit code. Intervals are of 90 % confidence
(Student's t).

Examples:
  morgana reproduce
  morgana reproduce atm-emulator --quick
  morgana reproduce atm-emulator --rows A-01,A-02 --json rows.json
  morgana reproduce all --plot figures
  morgana reproduce itb --quick --report itb.html
  salloc -N 4 morgana reproduce all --on slurm)";
  command.action = [options] { return reproduce(*options); };
}

}  // namespace morgana::cli
