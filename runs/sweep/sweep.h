#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/platform/platform.h"
#include "emulator/report/csv.h"
#include "pvmshim/channel/settings.h"
#include "replay/replay_input.h"
#include "runs/expression.h"
#include "runs/result_file.h"
#include "runs/runner.h"
#include "runs/sweep/axis.h"

namespace morgana {

/// What grows along an axis of ranks: nothing else (strong), or the work in proportion to them (weak).
enum class Scaling : std::uint8_t { strong, weak };

/// What is to be swept: a workload, where it runs, and what varies.
///
/// An axis may be a key of the platform; `platform`, over names; `ranks`, of a live MPI program; or a word
/// NAME for which an argument of the program holds {NAME}. {platform} and {ranks} in an argument are
/// replaced, too, where these are swept. A binding stands for an axis whose values follow from those of
/// others.
struct SweepRequest {
  std::filesystem::path trace;  ///< to be replayed; empty: `command` runs live
  /// What read_trace() has read, so that several sweeps share it; if empty, each sweep reads the trace once.
  std::shared_ptr<const ReplayInput> translated;
  std::vector<std::string> command;  ///< program and arguments
  bool pvm = false;                  ///< what the program speaks
  ComputeMode compute = ComputeMode::measured;
  /// The trace that a program's compute times are taken from; `compute` is none then. May be empty.
  std::filesystem::path recorded_compute;
  std::size_t ranks = 1;
  std::string platform;
  std::vector<std::string> overrides;  ///< as for --set
  std::string map = "block";
  std::vector<Axis> axes;
  /// In order: each may use the axes' names and those of bindings before it.
  std::vector<Binding> bindings;
  std::optional<Scaling> scaling;  ///< empty: Sweep::scaling() decides
  std::vector<std::uint64_t> seeds{1};
  /// Where a file is kept for each run of a live program that writes to standard error; empty: it is dropped.
  std::filesystem::path errors;
  /// Settles the compute scale of a platform that leaves it open.
  std::function<Platform(const Platform&)> settle = [](const Platform& open) { return open; };
};

/// Whether the program's command has {NAME} in it, which an axis or a binding of that name fills in.
bool is_argument(const SweepRequest& request, const std::string& name);

/// One place in the sweep: a value of each axis.
struct SweepPoint {
  std::vector<std::string> values;  ///< by axis
  std::vector<std::string> bound;   ///< by binding
  Platform platform;
  std::vector<std::string> command;
  std::size_t ranks = 1;
};

/// A sweep made ready: everything that can be wrong with it has been found.
class Sweep {
 public:
  /// @throws Error for unknown keys, values that don't fit theirs, keys given twice, more than 100,000 runs
  explicit Sweep(SweepRequest request);

  const SweepRequest& request() const { return request_; }
  /// What was asked for, else weak if a binding follows from that axis (the work grows with it), else strong.
  Scaling scaling(std::size_t axis) const;
  /// Whether values of the axis stand for ranks, or for arguments of the program; else they are a platform's.
  bool is_of_program(std::size_t axis) const;
  /// How many runs of the sweep have left something in request().errors.
  std::size_t runs_with_errors() const;
  /// All combinations of the axes' values, the last axis changing first.
  const std::vector<SweepPoint>& points() const { return points_; }
  std::size_t runs() const { return points_.size() * request_.seeds.size(); }
  /// Each NAME for which an argument of the program holds {NAME} though no axis is called so: the program is
  /// given it as it stands, which may be meant or forgotten.
  std::vector<std::string> unfilled_names() const;

  /// The columns of results: what was run (inputs() of them), then how it ended and its figures.
  CsvRow heading() const;
  std::size_t inputs() const { return heading_inputs().size(); }
  /// What was run, for every run in its order: point by point, all seeds of each.
  std::vector<CsvRow> all_inputs() const;

  /// Makes the runs. @param known  gives a run's row if it has been made before, by its inputs
  /// @param ended  called with each new row, as they end
  /// @param told  called a few times a second with what runs and the share that is done
  /// @param wanted  asked for each run that is not known, in order: whether it is to be made; if empty, all
  /// are
  /// @return all rows, known and new, in order; those of runs that are not made are empty. @throws as Runner
  std::vector<CsvRow> run(const Runner& runner, const std::function<const CsvRow*(const CsvRow&)>& known,
                          const std::function<void(const CsvRow&)>& ended,
                          const std::function<void(const std::string&, double)>& told,
                          const std::function<bool(const CsvRow&)>& wanted = {}) const;

 private:
  CsvRow heading_inputs() const;
  std::string subject() const;
  CsvRow inputs_of(const SweepPoint& point, std::uint64_t seed) const;
  SweepPoint point_at(std::vector<std::string> values) const;
  std::vector<std::string> bound_at(const std::vector<std::string>& values) const;
  std::string name_of(const SweepPoint& point, std::uint64_t seed) const;
  RunOutcome carry_out(const SweepPoint& point, std::uint64_t seed,
                       const std::shared_ptr<const ReplayInput>& translated) const;
  void check_axes() const;
  void check_name(const std::string& key, const std::string& option) const;

  SweepRequest request_;
  std::vector<SweepPoint> points_;
};

}  // namespace morgana
