#include "cli/pipelines/fragment_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "cli/pipelines/stage_file.h"
#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/exit_times.h"
#include "emulator/pipeline/hierarchy.h"
#include "emulator/pipeline/optimum.h"

namespace morgana::cli {
namespace {

using namespace pipeline;

/// Up to which number the exact optimum is looked for, and how many fragments it is computed for at all.
constexpr std::size_t most_searched = 64, most_optimal = 512;

template <class Parse>
Bytes bytes_of(const std::string& option, const std::string& text, const Parse& parse) {
  try {
    const Bytes bytes = parse(text);
    if (bytes > Bytes(0)) return bytes;
  } catch (const Error& error) {
    throw Error(fmt::format("{} {}: {}", option, text, error.what()));
  }
  throw Error(fmt::format("{} {}: there must be at least one byte", option, text));
}

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Pieces everywhere(const FragmentTask& task, const std::vector<Bytes>& sizes) {
  return Pieces(task.stages.size(), sizes);
}

/// Up to twice the best number, within what can be computed and drawn.
std::size_t curve_end(const FragmentTask& task, std::size_t best, std::size_t most) {
  constexpr std::size_t least = 8;
  const auto bytes = static_cast<std::size_t>(task.message.count());
  return std::min({std::max(2 * best, least), most, bytes});
}

std::vector<CountLatency> equal_curve(const FragmentTask& task, std::size_t best) {
  constexpr std::size_t most_drawn = 512;
  std::vector<CountLatency> curve;
  for (std::size_t k = 1; k <= curve_end(task, best, most_drawn); ++k)
    curve.push_back({k, latency_of_equal(task.stages, real(task.message), k)});
  return curve;
}

FragmentPlan fixed(const FragmentTask& task) {
  const RealBytes message = real(task.message);
  const std::size_t count = task.fragments.value_or(best_equal_count(task.stages, message));
  FragmentPlan plan;
  plan.pieces = everywhere(task, whole_bytes(equal_fragments(message, count), task.message));
  plan.by_theory = latency_of_equal(task.stages, message, count);
  plan.curve = equal_curve(task, count);
  if (!task.fragments && count == most_fragments)
    plan.note =
        fmt::format("More than {} fragments are not tried: stages without overhead want one a byte.", count);
  return plan;
}

FragmentPlan of_one_size(const FragmentTask& task) {
  const Bytes size = task.fragment_size.value();
  if (task.message.count() / size.count() >= static_cast<std::int64_t>(most_fragments))
    throw Error(fmt::format("--policy {}: {} would be more than {} fragments; choose larger ones",
                            task.policy, to_text(task.message), most_fragments));
  const std::vector<Bytes> sizes = static_fragments(task.message, size);
  Sizes exact;
  for (const Bytes one : sizes) exact.push_back(real(one));
  FragmentPlan plan;
  plan.pieces = everywhere(task, sizes);
  plan.by_theory = latency(task.stages, exact);
  plan.curve = equal_curve(task, std::max(sizes.size(), best_equal_count(task.stages, real(task.message))));
  return plan;
}

FragmentPlan optimal(const FragmentTask& task) {
  const RealBytes message = real(task.message);
  OptimumSearch found;
  if (task.fragments) {
    if (*task.fragments > most_optimal)
      throw Error(fmt::format("--fragments {}: the optimum is computed for {} fragments at most",
                              *task.fragments, most_optimal));
    found.best = optimum(task.stages, message, *task.fragments);
  } else {
    const std::size_t equal = best_equal_count(task.stages, message);
    if (equal > most_searched)
      throw Error(
          fmt::format("--policy optimal: the best number of fragments is looked for up to {}, and there are "
                      "{} even of equal ones; give a number with --fragments, or take --policy fixed",
                      most_searched, equal));
    found = search_optimum(task.stages, message, most_searched);
  }
  FragmentPlan plan;
  plan.pieces = everywhere(task, whole_bytes(found.best.sizes, task.message));
  plan.by_theory = found.best.latency;
  for (std::size_t k = 1; k <= curve_end(task, found.best.sizes.size(), most_searched); ++k)
    plan.curve.push_back({k, optimum(task.stages, message, k).latency});
  if (!found.complete)
    plan.note = fmt::format("More than {} fragments are not tried; some number of them may do better.",
                            most_searched);
  return plan;
}

/// @throws Error if stages without overhead want so many sub-fragments that nobody could carry them out
Pieces pieces_of(const FragmentTask& task, const Hierarchy& hierarchy, const Sizes& sizes) {
  constexpr double most_pieces = 1e6;
  for (const CompoundStage& level : hierarchy.levels()) {
    double pieces = 0;
    for (const RealBytes size : sizes) pieces += static_cast<double>(level.sub_fragments(size));
    if (pieces > most_pieces)
      throw Error(
          fmt::format("--policy {}: that would be some {:.0f} sub-fragments, and Morgana follows {:.0f} at "
                      "most; give the stages their overheads, or a shorter message",
                      task.policy, pieces, most_pieces));
  }
  return hierarchy.pieces(sizes, task.message);
}

FragmentPlan hierarchical(const FragmentTask& task) {
  const RealBytes message = real(task.message);
  const Hierarchy hierarchy = around_bottleneck(task.stages, message);
  const Hierarchy::Plan best =
      task.fragments ? hierarchy.equal(message, *task.fragments) : hierarchy.best_equal(message);
  FragmentPlan plan;
  plan.pieces = pieces_of(task, hierarchy, best.sizes);
  plan.by_theory = best.latency;
  constexpr std::size_t most_drawn = 512;
  for (std::size_t k = 1; k <= curve_end(task, best.sizes.size(), most_drawn); ++k)
    plan.curve.push_back({k, hierarchy.equal(message, k).latency});
  return plan;
}

FragmentPlan ramp(const FragmentTask& task) {
  const RealBytes message = real(task.message);
  const Hierarchy hierarchy = around_bottleneck(task.stages, message);
  constexpr std::size_t most_rising = 256;
  if (task.fragments.value_or(1) > most_rising)
    throw Error(fmt::format(
        "--fragments {}: rising sizes are computed for {} fragments at most; --policy fixed comes "
        "close to them with so many",
        *task.fragments, most_rising));
  const std::optional<Hierarchy::Plan> best = hierarchy.best_ramp(message, task.fragments);
  if (!best)
    throw Error(
        fmt::format("--fragments {}: no sizes of so many keep the stages busy without a fragment of less "
                    "than a byte; give fewer, or leave it out",
                    task.fragments.value()));
  FragmentPlan plan;
  plan.pieces = pieces_of(task, hierarchy, best->sizes);
  plan.by_theory = best->latency;
  constexpr std::size_t most_drawn = 24;  // each is a search of its own
  for (std::size_t k = 1; k <= curve_end(task, best->sizes.size(), most_drawn); ++k)
    if (const auto one = hierarchy.best_ramp(message, k)) plan.curve.push_back({k, one->latency});
  return plan;
}

}  // namespace

FragmentTask fragment_task(const FragmentOptions& options) {
  FragmentTask task;
  task.stages = load_stages(options.stages);
  task.message = bytes_of("--bytes", options.bytes, parse_bytes);
  task.policy = options.policy;
  const bool is_word = options.policy == "fixed" || options.policy == "ramp" ||
                       options.policy == "hierarchical" || options.policy == "optimal";
  if (!is_word) {
    const auto parse = [](const std::string& text) {
      const auto number = whole(text);
      return number ? Bytes(*number) : parse_bytes(text);
    };
    try {
      task.fragment_size = bytes_of("--policy", options.policy, parse);
    } catch (const Error&) {
      throw Error(
          fmt::format("--policy {}: that is not fixed, ramp, hierarchical, optimal or the size of a fragment "
                      "in bytes, such as 4096",
                      options.policy));
    }
  }
  if (!options.fragments) return task;
  const auto count = whole(*options.fragments);
  if (!count || *count < 1)
    throw Error(fmt::format("--fragments {}: that is not a whole number from 1 on", *options.fragments));
  if (task.fragment_size)
    throw Error(fmt::format("--fragments {}: --policy {} says how many there are; leave one of them out",
                            *count, options.policy));
  if (*count > task.message.count())
    throw Error(fmt::format("--fragments {}: a fragment has at least one byte, and the message has {}",
                            *count, task.message.count()));
  if (*count > static_cast<std::int64_t>(most_fragments))
    throw Error(fmt::format("--fragments {}: a message is cut into {} at most", *count, most_fragments));
  task.fragments = static_cast<std::size_t>(*count);
  return task;
}

FragmentPlan fragment_plan(const FragmentTask& task) {
  if (task.fragment_size) return of_one_size(task);
  if (task.policy == "optimal") return optimal(task);
  if (task.policy == "hierarchical") return hierarchical(task);
  return task.policy == "ramp" ? ramp(task) : fixed(task);
}

Schedule carried_out(const FragmentTask& task, const Pieces& pieces) {
  RealTime all;  // one after the other, longer than it takes
  for (std::size_t j = 0; j < task.stages.size(); ++j)
    all += static_cast<double>(pieces[j].size()) * task.stages[j].overhead +
           real(task.message) * task.stages[j].cost;
  constexpr double most_ps = 9e18;
  if (all.value() > most_ps)
    throw Error(
        fmt::format("{} through these stages would take some {:.3g} days, and the clock ends at 104; are the "
                    "units right?",
                    to_text(task.message), all.value() / 8.64e16));
  return {task.stages, pieces};
}

}  // namespace morgana::cli
