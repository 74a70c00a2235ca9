#include "runs/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "pvmshim/launch/process/interrupt.h"
#include "replay/comparison.h"
#include "runs/command_text.h"
#include "runs/measure.h"
#include "runs/sweep/swept_errors.h"
#include "traces/otf2/trace_reader.h"

namespace morgana {
namespace {

constexpr std::size_t most_runs = 100'000;

std::string placeholder(const std::string& key) {
  return '{' + key + '}';
}

enum class AxisKind : std::uint8_t { platform, ranks, argument, key };

AxisKind kind_of(const SweepRequest& request, const std::string& key) {
  if (key == "platform") return AxisKind::platform;
  if (key == "ranks") return AxisKind::ranks;
  return is_argument(request, key) ? AxisKind::argument : AxisKind::key;
}

/// A key of a platform stands in a table, so it has a dot; a word without one is meant for something else.
void check_is_a_key(const SweepRequest& request, const std::string& key, const std::string& option) {
  if (key.find('.') != std::string::npos) return;
  if (key == "seed" || key == "seeds")
    throw Error(
        fmt::format("{} {}: seeds are no axis; --seeds 10 runs each point with the seeds 1 to 10, "
                    "--seeds 11..20 with those",
                    option, key));
  if (request.command.empty())
    throw Error(fmt::format(
        "{1} {0}: {0} is not a platform's key (with its table, as network.bandwidth) or "
        "platform, and a trace has no arguments that hold {{{0}}}: those are a program's, after \"--\"",
        key, option));
  throw Error(
      fmt::format("{1} {0}: {0} is not a platform's key (with its table, as network.bandwidth), platform or "
                  "ranks, and no argument of the program holds {{{0}}}: write {{{0}}} where its values go",
                  key, option));
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::size_t rank_count(const std::string& text, const std::string& option) {
  constexpr std::int64_t most_ranks = 4096;
  double number = 0;
  std::string unit;
  if (!leading_number(text, number, unit) || !unit.empty() || number < 1 || number > most_ranks ||
      number != std::floor(number))
    throw Error(fmt::format("{} ranks={}: ranks are a whole number from 1 to {}", option, text, most_ranks));
  return static_cast<std::size_t>(number);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "; ") + word;
  return text;
}

std::string text_of(const Binding& binding) {
  return binding.name + '=' + binding.expression;
}

std::string compute_text(const SweepRequest& request) {
  if (!request.recorded_compute.empty())
    return fmt::format("--compute recorded:{} ", request.recorded_compute.string());
  return request.compute == ComputeMode::none ? "--compute none " : "";
}

/// The cell of a figure: whole numbers as such.
std::string cell(const Figures& figures, const char* name) {
  const auto found = figures.find(name);
  return found == figures.end() ? "" : fmt::format("{}", found->second);
}

}  // namespace

bool is_argument(const SweepRequest& request, const std::string& name) {
  return std::any_of(request.command.begin(), request.command.end(), [&](const std::string& word) {
    return word.find(placeholder(name)) != std::string::npos;
  });
}

Sweep::Sweep(SweepRequest request) : request_(std::move(request)) {
  for (Axis& axis : request_.axes)
    if (kind_of(request_, axis.key) == AxisKind::key) share_last_unit(axis);
  check_axes();
  read_placement(request_.map);  // what is wrong with it is reported once, before any run
  if (!request_.trace.empty() && !is_graph(request_.trace))
    TraceReader(request_.trace);  // what is wrong with it is reported once, before any run
  std::size_t count = 1;
  for (const Axis& axis : request_.axes) {
    count *= axis.values.size();
    if (count * request_.seeds.size() > most_runs)
      throw Error(fmt::format("the sweep has more than {} runs: leave out values or seeds", most_runs));
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> values(request_.axes.size());
    std::size_t rest = i;
    for (std::size_t axis = request_.axes.size(); axis-- > 0;) {
      const auto& all = request_.axes[axis].values;
      values[axis] = all[rest % all.size()];
      rest /= all.size();
    }
    points_.push_back(point_at(std::move(values)));
  }
}

void Sweep::check_axes() const {
  if (!request_.trace.empty() && !request_.recorded_compute.empty())
    throw Error("--compute recorded: is for a program after \"--\"; a trace's compute times are its own");
  std::set<std::string> keys;
  for (const Axis& axis : request_.axes) {
    if (!keys.insert(axis.key).second)
      throw Error(fmt::format("{} is swept twice: give all its values to one --over", axis.key));
    check_name(axis.key, "--over");
  }
  for (const Binding& binding : request_.bindings) {
    if (!keys.insert(binding.name).second)
      throw Error(fmt::format("--let {}: {} has its values from another --over or --let: leave one out",
                              text_of(binding), binding.name));
    if (kind_of(request_, binding.name) == AxisKind::platform)
      throw Error(
          fmt::format("--let {}: platforms have names, and an expression gives numbers", text_of(binding)));
    check_name(binding.name, "--let");
  }
}

void Sweep::check_name(const std::string& key, const std::string& option) const {
  for (const std::string& override : request_.overrides)
    if (override.starts_with(key) && override.find_first_not_of(" =", key.size()) != key.size())
      throw Error(fmt::format("{} is both set and swept: leave out --set {}", key, override));
  const AxisKind kind = kind_of(request_, key);
  if (kind == AxisKind::key) check_is_a_key(request_, key, option);
  if (kind != AxisKind::ranks) return;
  if (!request_.trace.empty())
    throw Error(fmt::format(
        "{} ranks: a trace has the ranks that it has; sweep ranks of a program after \"--\"", option));
  if (!request_.recorded_compute.empty())
    throw Error(fmt::format(
        "{} ranks: the compute times recorded in {} are those of its ranks; leave out one of the two", option,
        request_.recorded_compute.string()));
}

Scaling Sweep::scaling(std::size_t axis) const {
  if (request_.scaling) return *request_.scaling;
  std::set<std::string> following{request_.axes.at(axis).key};
  std::vector<NamedValue> names;
  for (std::size_t i = 0; i < request_.axes.size(); ++i)
    names.push_back({request_.axes[i].key, points_.front().values[i]});
  for (std::size_t i = 0; i < request_.bindings.size(); ++i) {
    const Binding& binding = request_.bindings[i];
    for (const std::string& name : evaluate(binding.expression, names, text_of(binding)).used)
      if (following.contains(name)) following.insert(binding.name);
    names.push_back({binding.name, points_.front().bound[i]});
  }
  return following.size() > 1 ? Scaling::weak : Scaling::strong;
}

bool Sweep::is_of_program(std::size_t axis) const {
  const AxisKind kind = kind_of(request_, request_.axes.at(axis).key);
  return kind == AxisKind::ranks || kind == AxisKind::argument;
}

std::size_t Sweep::runs_with_errors() const {
  std::size_t count = 0;
  for (const SweepPoint& point : points_)
    for (const std::uint64_t seed : request_.seeds)
      if (SweptErrors::are_kept(request_.errors, name_of(point, seed))) ++count;
  return count;
}

std::vector<std::string> Sweep::bound_at(const std::vector<std::string>& values) const {
  std::vector<NamedValue> names;
  for (std::size_t i = 0; i < values.size(); ++i) names.push_back({request_.axes[i].key, values[i]});
  std::vector<std::string> bound;
  for (const Binding& binding : request_.bindings) {
    bound.push_back(evaluate(binding.expression, names, "--let " + text_of(binding)).value);
    names.push_back({binding.name, bound.back()});
  }
  return bound;
}

std::vector<std::string> Sweep::unfilled_names() const {
  constexpr const char* of_a_name = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  std::vector<std::string> names;
  for (const std::string& word : request_.command) {
    for (std::size_t open = word.find('{'); open != std::string::npos; open = word.find('{', open + 1)) {
      const std::size_t close = word.find_first_not_of(of_a_name, open + 1);
      if (close == std::string::npos || word[close] != '}' || close == open + 1) continue;
      const std::string name = word.substr(open + 1, close - open - 1);
      const bool swept =
          std::ranges::any_of(request_.axes, [&](const Axis& axis) { return axis.key == name; }) ||
          std::ranges::any_of(request_.bindings, [&](const Binding& one) { return one.name == name; });
      if (!swept && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

SweepPoint Sweep::point_at(std::vector<std::string> values) const {
  std::string platform = request_.platform;
  std::vector<std::string> overrides = request_.overrides;
  std::vector<std::string> command = request_.command;
  std::size_t ranks = request_.ranks;
  const auto apply = [&](const std::string& key, const std::string& value, const char* option) {
    for (std::string& word : command) replace_all(word, placeholder(key), value);
    switch (kind_of(request_, key)) {
      case AxisKind::platform:
        platform = value;
        break;
      case AxisKind::ranks:
        ranks = rank_count(value, option);
        break;
      case AxisKind::argument:
        break;
      case AxisKind::key:
        overrides.push_back(key + '=' + value);
        break;
    }
  };
  for (std::size_t i = 0; i < values.size(); ++i) apply(request_.axes[i].key, values[i], "--over");
  std::vector<std::string> bound = bound_at(values);
  for (std::size_t i = 0; i < bound.size(); ++i) apply(request_.bindings[i].name, bound[i], "--let");
  try {
    const Platform loaded = Platform::load(platform, overrides);
    if (loaded.native()) throw Error("native can't be swept: it is this machine, which has no keys to vary");
    return {std::move(values), std::move(bound), request_.settle(loaded), std::move(command), ranks};
  } catch (const Error& error) {
    // Overrides that the user has not given as such are axes.
    std::string what = error.what();
    for (const Axis& axis : request_.axes)
      if (what.starts_with("--set " + axis.key)) what.replace(0, 5, "--over");
    for (const Binding& binding : request_.bindings)
      if (what.starts_with("--set " + binding.name)) what.replace(0, 5, "--let");
    throw Error(what);
  }
}

std::string Sweep::subject() const {
  if (!request_.trace.empty()) return request_.trace.string();
  const bool swept =
      std::ranges::any_of(request_.axes, [](const Axis& axis) { return axis.key == "ranks"; }) ||
      std::ranges::any_of(request_.bindings, [](const Binding& binding) { return binding.name == "ranks"; });
  return fmt::format("{}{}{}", swept ? "" : fmt::format("-n {} ", request_.ranks), compute_text(request_),
                     command_text(behind_dashes(request_.command)));
}

CsvRow Sweep::heading_inputs() const {
  CsvRow heading{"subject", "platform", "settings", "map"};
  for (const Axis& axis : request_.axes)
    if (axis.key != "platform") heading.push_back(axis.key);
  for (const Binding& binding : request_.bindings) heading.push_back(binding.name);
  heading.insert(heading.end(), {"seed", "compute_scale"});
  return heading;
}

CsvRow Sweep::heading() const {
  CsvRow heading = heading_inputs();
  heading.emplace_back("outcome");
  for (const FigureName& figure : run_figures()) heading.emplace_back(figure.name);
  return heading;
}

CsvRow Sweep::inputs_of(const SweepPoint& point, std::uint64_t seed) const {
  CsvRow row{subject(), request_.platform, joined(request_.overrides), request_.map};
  for (std::size_t i = 0; i < request_.axes.size(); ++i) {
    if (request_.axes[i].key == "platform")
      row[1] = point.values[i];
    else
      row.push_back(point.values[i]);
  }
  row.insert(row.end(), point.bound.begin(), point.bound.end());
  row.push_back(fmt::format("{}", seed));
  row.push_back(fmt::format("{}", point.platform.compute_scale()));
  return row;
}

std::vector<CsvRow> Sweep::all_inputs() const {
  std::vector<CsvRow> all;
  for (const SweepPoint& point : points_)
    for (const std::uint64_t seed : request_.seeds) all.push_back(inputs_of(point, seed));
  return all;
}

std::string Sweep::name_of(const SweepPoint& point, std::uint64_t seed) const {
  std::string name;
  for (std::size_t i = 0; i < point.values.size(); ++i)
    name += fmt::format("{}={}, ", request_.axes[i].key, point.values[i]);
  return name + fmt::format("seed {}", seed);
}

RunOutcome Sweep::carry_out(const SweepPoint& point, std::uint64_t seed,
                            const std::shared_ptr<const ReplayInput>& translated) const {
  const Placement placement = read_placement(request_.map);
  if (request_.trace.empty()) {
    const SweptErrors errors(request_.errors, name_of(point, seed));
    LiveRunOptions live;
    live.command = point.command;
    live.pvm = request_.pvm;
    live.ranks = point.ranks;
    live.compute = request_.compute;
    live.recorded_compute = request_.recorded_compute;
    live.placement = placement;
    live.seed = seed;
    live.program_text = command_text(behind_dashes(point.command));
    return measure_live(point.platform, live);
  }
  return measure_replay(point.platform, request_.trace, placement, seed, translated);
}

std::vector<CsvRow> Sweep::run(const Runner& runner, const std::function<const CsvRow*(const CsvRow&)>& known,
                               const std::function<void(const CsvRow&)>& ended,
                               const std::function<void(const std::string&, double)>& told,
                               const std::function<bool(const CsvRow&)>& wanted) const {
  const std::vector<CsvRow> inputs = all_inputs();
  std::vector<CsvRow> rows(inputs.size());
  std::vector<std::size_t> open;
  std::vector<Job> jobs;
  std::shared_ptr<const ReplayInput> translated = request_.translated;
  std::size_t done = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const CsvRow* row = known(inputs[i])) {
      rows[i] = *row;
      ++done;
      continue;
    }
    if (wanted && !wanted(inputs[i])) continue;
    const SweepPoint& point = points_[i / request_.seeds.size()];
    const std::uint64_t seed = request_.seeds[i % request_.seeds.size()];
    open.push_back(i);
    jobs.push_back({name_of(point, seed), [&, seed] { return carry_out(point, seed, translated); },
                    size_of_trace(request_.trace) + csv_line(inputs_of(point, seed))});
  }
  const std::size_t all = done + jobs.size();
  // Runs are forked, and share what has been read before.
  if (!jobs.empty() && !request_.trace.empty() && !translated)
    translated = read_trace(request_.trace, [&told](double share) {
      throw_if_interrupted();
      told("reading the trace", share);
    });
  runner.run(
      jobs,
      [&](std::size_t job, const RunOutcome& outcome) {
        CsvRow& row = rows[open[job]] = inputs[open[job]];
        row.push_back(outcome.word);
        for (const FigureName& figure : run_figures()) row.push_back(cell(outcome.figures, figure.name));
        ++done;
        ended(row);
      },
      [&](std::size_t job) {
        told(fmt::format("{} of {} runs, {}", done, all, jobs[job].name),
             static_cast<double>(done) / static_cast<double>(all));
      });
  return rows;
}

}  // namespace morgana
