#include "cli/compare/sweep_sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>

#include "cli/common/progress_bar.h"
#include "emulator/core/standard_error.h"
#include "runs/sweep/sweep_engine.h"

namespace morgana::cli {
namespace {

/// Slurm's own limit on an array is 1001 tasks unless it is configured otherwise.
constexpr std::size_t tasks_by_default = 100;

std::size_t missing_in(const ResultFile& file, const Sweep& sweep) {
  return static_cast<std::size_t>(std::ranges::count_if(
      sweep.all_inputs(), [&](const CsvRow& inputs) { return file.find(inputs) == nullptr; }));
}

/// Rows that the parts have kept so far.
std::size_t rows_of_parts(const std::string& csv, const Sweep& sweep) {
  std::size_t rows = 0;
  for (const std::filesystem::path& part : part_files(csv))
    rows += read_results(part.string(), sweep.heading()).size();
  return rows;
}

}  // namespace

void SharingOptions::add(Command& command) {
  command
      .add(
          "--on", &on,
          "Who makes the runs, -j processes at a time: mpiexec of MPICH (mpi), here or on the machines that "
          "--with names, or an array job of Slurm (slurm). All machines must see the same files; needs --csv")
      ->type_name("mpi|slurm")
      ->check(one_of({"mpi", "slurm"}));
  command
      .add("--with", &with,
           "An option for mpiexec or sbatch, as --with=-f --with=hosts or --with=--partition=short; may be "
           "repeated")
      ->type_name("OPTION")
      ->may_be_repeated();
  command
      .add("--part", &part,
           "Make every N-th of the missing runs, from the K-th on (for another batch system). Rows go to "
           "FILE.part-K-of-N next to --csv FILE; the same command without --part collects them. mpi, slurm: "
           "the part that mpiexec or an array job assigns")
      ->type_name("K/N|mpi|slurm");
}

void SharingOptions::check(const std::string& csv, bool draws) const {
  if (on.empty() && !with.empty())
    throw Error("--with is for mpiexec or sbatch: say which with --on mpi or --on slurm");
  if (on.empty() && part.empty()) return;
  const char* option = on.empty() ? "--part" : "--on";
  if (!on.empty() && !part.empty())
    throw Error("--on starts all parts, --part makes one of them: leave one out");
  if (csv.empty())
    throw Error(fmt::format("{} needs --csv FILE, a file that keeps the rows of all parts", option));
  if (!part.empty() && draws)
    throw Error(
        "--json, --plot and --report need all runs, --part makes some of them: give the same command without "
        "--part "
        "when all parts have ended");
}

void take_up_parts(ResultFile& file, const std::string& csv, const Sweep& sweep) {
  for (const std::filesystem::path& path : part_files(csv)) {
    {
      const ResultFile part(path.string(), sweep.heading(), sweep.inputs());
      for (const CsvRow& row : part.rows())
        if (file.find({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(sweep.inputs())}) == nullptr)
          file.append(row);
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }
}

void share_out(const SharingOptions& options, const std::vector<std::string>& command, std::size_t jobs,
               ResultFile& file, const std::string& csv, const Sweep& sweep, bool quiet) {
  const std::size_t missing = missing_in(file, sweep);
  if (missing == 0) return;
  SharedSweep shared;
  shared.engine = options.on == "mpi" ? SweepEngine::mpi : SweepEngine::slurm;
  if (jobs == 0) jobs = shared.engine == SweepEngine::mpi ? processors_here() : tasks_by_default;
  shared.parts = std::min(jobs, missing);
  shared.options = options.with;
  shared.command = command;
  shared.results = csv;
  take_messages(csv);  // of a sweep that was broken off
  int code = 0;
  {
    ProgressBar bar(quiet);
    const std::size_t all = sweep.runs(), before = all - missing;
    std::chrono::steady_clock::time_point looked;
    std::size_t done = before;
    code = carry_out(shared, [&] {
      if (const auto now = std::chrono::steady_clock::now(); now - looked > std::chrono::seconds(1)) {
        looked = now;
        done = before + rows_of_parts(csv, sweep);
      }
      bar.show(fmt::format("{} of {} runs, {} {}", done, all, shared.parts,
                           shared.engine == SweepEngine::mpi ? "processes of mpiexec" : "tasks of Slurm"),
               static_cast<double>(done) / static_cast<double>(all));
    });
  }
  print_error(take_messages(csv));
  take_up_parts(file, csv, sweep);
  if (const std::size_t left = missing_in(file, sweep); left > 0)
    throw Error(fmt::format(
        "{} of {} runs were not made: {} ended with code {}, and what the parts said stands above; "
        "what was made is in {}, and the same command goes on from there",
        left, sweep.runs(), shared.engine_command().front(), code, csv));
}

void make_part(const SweepPart& part, const Runner& runner, const std::string& csv, const Sweep& sweep,
               bool quiet) {
  std::map<CsvRow, CsvRow> made;
  for (const CsvRow& row : read_results(csv, sweep.heading()))
    made[{row.begin(), row.begin() + static_cast<std::ptrdiff_t>(sweep.inputs())}] = row;
  ResultFile file(part_file(csv, part).string(), sweep.heading(), sweep.inputs());
  ProgressBar bar(quiet);
  std::size_t missing = 0;
  sweep.run(
      runner,
      [&](const CsvRow& inputs) -> const CsvRow* {
        const auto found = made.find(inputs);
        return found == made.end() ? nullptr : &found->second;
      },
      [&](const CsvRow& row) { file.append(row); },
      [&](const std::string& what, double share) { bar.show(what, share); },
      [&](const CsvRow& inputs) { return part.takes(missing++) && file.find(inputs) == nullptr; });
}

}  // namespace morgana::cli
