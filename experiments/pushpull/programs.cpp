#include "experiments/pushpull/programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "emulator/report/csv.h"
#include "experiments/pushpull/settings.h"
#include "pvmshim/agent/setup.h"
#include "runs/measure.h"

namespace morgana::push_pull_paper {
namespace {

namespace fs = std::filesystem;

/// A file of this machine's process's own, gone when this object is.
class Output {
 public:
  explicit Output(const fs::path& folder)
      : path_(folder / fmt::format("push-pull.{}.{}.csv", own_machine(), ::getpid())) {}
  ~Output() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  std::string path() const { return path_.string(); }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path path_;
};

std::string joined(const std::vector<int>& sizes) {
  std::string text;
  for (const int size : sizes) text += fmt::format("{}{}", text.empty() ? "" : ",", size);
  return text;
}

/// What the program has written: a heading, then a line a size.
Figures figures_in(const std::string& text, const Test& test) {
  Figures figures;
  for (const CsvRow& row : read_csv(text).rows)
    if (row.size() == 2 && row[0] != "bytes")
      figures[figure_of(std::atoi(row[0].c_str()))] = std::strtod(row[1].c_str(), nullptr);
  for (const int size : test.sizes)
    if (!figures.contains(figure_of(size)))
      throw Error(fmt::format("{} has not told what it measured for {} B", test.program, size));
  return figures;
}

Workload workload_of(const Test& test, const ExperimentOptions& options) {
  return [&test, options](const Condition&, const Platform& platform, std::uint64_t seed) {
    const Output output(options.traces);
    LiveRunOptions live;
    live.command = {(options.programs / test.program).string(), "--sizes", joined(test.sizes), "--output",
                    output.path()};
    live.command.insert(live.command.end(), test.arguments.begin(), test.arguments.end());
    live.program_text = test.program;
    live.ranks = 2;
    live.compute = ComputeMode::none;
    live.placement.kind = test.within ? Placement::Kind::block : Placement::Kind::cyclic;
    live.seed = seed;
    RunOutcome outcome = measure_live(platform, live);
    if (outcome.finished()) outcome.figures = figures_in(output.text(), test);
    return outcome;
  };
}

}  // namespace

void define_tests(Laboratory& laboratory, const ExperimentOptions& options,
                  const std::set<std::string>& workloads) {
  for (const Test* test : tests())
    if (workloads.contains(test->workload)) laboratory.define(test->workload, workload_of(*test, options));
}

}  // namespace morgana::push_pull_paper
