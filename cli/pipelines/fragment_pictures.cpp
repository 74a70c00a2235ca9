#include <fmt/format.h>

#include <algorithm>

#include "cli/pipelines/fragment_report.h"
#include "cli/pipelines/pipeline_units.h"
#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/pipeline/equal_fragments.h"
#include "emulator/report/pictures/curves.h"
#include "emulator/report/pictures/time_space.h"

namespace morgana::cli {
namespace {

using namespace pipeline;

std::string title(const FragmentTask& task, const Schedule& schedule) {
  return fmt::format("{}, {}: {:.2f} us", to_text(task.message), policy_text(task, schedule),
                     us(real(schedule.latency())));
}

/// Which fragment of the bottleneck a piece belongs to: the one with its first byte.
std::size_t owner(const std::vector<Transfer>& fragments, const Transfer& piece) {
  std::size_t i = 0;
  while (i + 1 < fragments.size() && fragments[i + 1].first <= piece.first) ++i;
  return i;
}

}  // namespace

void draw_latency_curve(const std::string& file, const FragmentTask& task, const FragmentPlan& plan,
                        const Schedule& schedule) {
  Curves curves{title(task, schedule), "fragments", "latency (us)", false, false, {}, {}};
  const auto last = static_cast<double>(plan.curve.back().fragments);
  const bool equal = task.policy == "fixed" || task.fragment_size;
  Curve by_policy{task.policy, {}}, by_equal{"equal fragments", {}};
  for (const CountLatency& one : plan.curve) {
    by_policy.points.push_back({static_cast<double>(one.fragments), us(one.latency)});
    by_equal.points.push_back({static_cast<double>(one.fragments),
                               us(latency_of_equal(task.stages, real(task.message), one.fragments))});
  }
  curves.curves.push_back(by_equal);
  if (!equal) curves.curves.push_back(by_policy);
  const auto chosen = static_cast<double>(schedule.transfers()[schedule.parts().bottleneck].size());
  curves.curves.push_back({"this plan", {{chosen, us(real(schedule.latency()))}}});
  const double least = us(lower_bound(task.stages, real(task.message)));
  // A line of some length also where there is only one number of fragments.
  curves.curves.push_back({"lower bound", {{1, least}, {std::max(last, 2.0), least}}});
  draw(curves, file);
}

void check_time_space(const std::string& file, const Schedule& schedule) {
  constexpr std::size_t most_pieces = 4000;
  std::size_t pieces = 0;
  for (const std::vector<Transfer>& transfers : schedule.transfers()) pieces += transfers.size();
  if (pieces > most_pieces)
    throw Error(
        fmt::format("cannot draw {}: nobody could tell {} pieces apart, {} are the most; ask for fewer "
                    "fragments",
                    file, pieces, most_pieces));
}

void draw_time_space(const std::string& file, const FragmentTask& task, const Schedule& schedule) {
  const auto& transfers = schedule.transfers();
  const std::vector<Transfer>& fragments = transfers[schedule.parts().bottleneck];
  TimeSpace picture{title(task, schedule), "time (us)", {}, {}};
  for (std::size_t j = 0; j < task.stages.size(); ++j) {
    picture.rows.push_back(task.stages[j].name);
    for (const Transfer& one : transfers[j]) {
      const std::size_t fragment = owner(fragments, one);
      picture.boxes.push_back({j, us(real(one.begin)), us(real(one.end)), fragment,
                               transfers[j].size() > fragments.size() ? "" : fmt::format("{}", fragment)});
    }
  }
  draw(picture, file);
}

}  // namespace morgana::cli
