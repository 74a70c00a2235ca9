#include <fmt/format.h>

#include <cmath>

#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/optimum.h"
#include "experiments/pipelines/algorithms.h"
#include "experiments/pipelines/rows.h"

// The exact optimum by the linear programme of section 2.
namespace morgana::pipelines_paper {
namespace {

using namespace pipeline;
using Value = std::function<double()>;

Optimum best(double kb) {
  constexpr std::size_t most = 64;
  return search_optimum(gam(), kilobytes(kb), most).best;
}

double loss(double kb) {
  const RealBytes message = kilobytes(kb);
  return improvement(latency_of_equal(gam(), message, best_equal_count(gam(), message)), best(kb).latency);
}

void add(Experiment& experiment, const std::string& check, double kb, double latency, double count,
         double lost) {
  constexpr double half_a_percent = 0.005, tenth = 0.1;
  const auto row = [&](const char* part, const char* what, double paper, const char* unit, Rule rule,
                       const Value& ours) {
    experiment.rows.push_back(calculated(theory_row(check + part, fmt::format("GAM, {:g} KB: {}", kb, what),
                                                    number(paper), unit, std::move(rule), ours)));
  };
  row(".latency", "optimum by linear programming", latency, "us", within_share(latency, half_a_percent),
      [kb] { return us(best(kb).latency); });
  row(".k", "its number of fragments", count, "", within(count, 0),
      [kb] { return static_cast<double>(best(kb).sizes.size()); });
  row(".loss", "what equal fragments lose", lost, "%", within(lost, tenth), [kb] { return loss(kb); });
}

Measurement sizes_agree() {
  constexpr double paper[] = {0.286, 0.712, 0.805, 0.897, 0.989, 0.310}, one_percent = 0.01;
  const Sizes sizes = best(4).sizes;
  bool agree = sizes.size() == std::size(paper);
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double kb = sizes[i] / kilobytes(1);
    text += fmt::format("{}{:.3f}", i == 0 ? "" : " ", kb);
    agree = agree && std::abs(kb / paper[i] - 1) <= one_percent;
  }
  return found(agree, text);
}

}  // namespace

void add_optimum(Experiment& experiment) {
  add(experiment, "P-09", 4, 184.35, 6, 2.5);
  experiment.rows.push_back(
      calculated(theory_row("P-09.sizes", "GAM, 4 KB: sizes at the optimum", ".286 .712 .805 .897 .989 .310",
                            "KB", as_worded("each within 1 %"), std::function<Measurement()>(sizes_agree))));
  add(experiment, "P-10", 8, 306.87, 7, 3.4);
}

}  // namespace morgana::pipelines_paper
