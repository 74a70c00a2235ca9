#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/confidence.h"
#include "emulator/platform/platform.h"
#include "runs/runner.h"

namespace morgana {

/// What is run where: the same condition is run once, however many rows ask for it.
struct Condition {
  std::string workload;                     ///< by its name in the laboratory
  std::string platform = {};                ///< empty: of a workload that brings its own network
  std::vector<std::string> overrides = {};  ///< as for --set
  bool random = false;                      ///< the platform draws random numbers: run with all seeds
  bool live = false;                        ///< a real program, not its recording
  auto operator<=>(const Condition&) const = default;
};
/// For people: "pde1 on atm-oc3, network.switches=4".
std::string to_text(const Condition& condition);

/// A workload as the laboratory runs it, in a process of its own.
using Workload = std::function<RunOutcome(const Condition&, const Platform&, std::uint64_t seed)>;

/// One that brings its own network.
using OwnWorkload = std::function<RunOutcome(std::uint64_t seed)>;

/// Carries out conditions and keeps their results.
class Laboratory {
 public:
  /// @param seeds  of conditions that are random: 1 to this, > 0
  Laboratory(const Runner& runner, std::size_t seeds) : runner_(runner), seeds_(seeds) {}
  void define(const std::string& name, Workload workload) { workloads_[name] = std::move(workload); }
  void define_own(const std::string& name, OwnWorkload workload) { own_[name] = std::move(workload); }
  std::size_t seeds() const { return seeds_; }
  const Runner& runner() const { return runner_; }

  /// Runs those that have not been run. @param told  called with what runs and the share that is done
  /// @throws Error for a condition that can't be met; as Runner
  void carry_out(const std::set<Condition>& conditions,
                 const std::function<void(const std::string&, double)>& told);

  /// The outcome for each seed of a condition that has been carried out.
  std::span<const RunOutcome> outcomes(const Condition& condition) const;
  /// A figure of each run, by seed. @throws Error if a run did not finish
  std::vector<double> values(const Condition& condition, const std::string& figure) const;
  double mean(const Condition& condition, const std::string& figure) const;
  ConfidenceInterval interval(const Condition& condition, const std::string& figure) const;
  /// Of the quotient of a figure under two conditions, seed by seed; one that is not random counts for every
  /// seed.
  ConfidenceInterval quotient(const Condition& numerator, const Condition& denominator,
                              const std::string& figure) const;

 private:
  Runner runner_;
  std::size_t seeds_;
  std::map<std::string, Workload> workloads_;
  std::map<std::string, OwnWorkload> own_;
  std::map<Condition, std::vector<RunOutcome>> results_;
};

}  // namespace morgana
