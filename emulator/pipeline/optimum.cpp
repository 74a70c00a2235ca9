#include "emulator/pipeline/optimum.h"

#include <fmt/core.h>
#include <glpk.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/exit_times.h"

namespace morgana::pipeline {
namespace {

constexpr double tolerance = 1e-9;

struct DeleteProblem {
  void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
};

/// The dual programme. Sizes are in parts of the message, times in parts of what they may be, so that all
/// numbers lie near 1.
class FlowProgramme {
 public:
  /// @param overheads, costs  by stage; costs are for the whole message
  FlowProgramme(std::vector<double> overheads, std::vector<double> costs, std::size_t fragments)
      : problem_(glp_create_prob()),
        overheads_(std::move(overheads)),
        costs_(std::move(costs)),
        fragments_(fragments) {
    glp_set_obj_dir(problem_.get(), GLP_MAX);
    glp_add_rows(problem_.get(), price_row(fragments_ - 1));
    add_flow();
    add_bytes();
    glp_load_matrix(problem_.get(), static_cast<int>(values_.size()) - 1, rows_.data(), columns_.data(),
                    values_.data());
  }

  /// Each fragment's part of the message.
  std::vector<double> solve() {
    glp_term_out(GLP_OFF);
    glp_scale_prob(problem_.get(), GLP_SF_AUTO);
    glp_adv_basis(problem_.get(), 0);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.tol_dj = tolerance;  // of what a size could still gain
    if (glp_simplex(problem_.get(), &how) != 0 || glp_get_status(problem_.get()) != GLP_OPT)
      throw Error(
          fmt::format("GLPK finds no optimum of {} fragments through {} stages: choose another policy",
                      fragments_, overheads_.size()));
    std::vector<double> parts;
    for (std::size_t i = 0; i < fragments_; ++i)
      parts.push_back(std::max(0.0, -glp_get_row_dual(problem_.get(), price_row(i))));
    return parts;
  }

 private:
  // GLPK counts from 1.
  int node_row(std::size_t i, std::size_t j) const { return static_cast<int>(i * overheads_.size() + j) + 1; }
  int price_row(std::size_t i) const { return static_cast<int>(fragments_ * overheads_.size() + i) + 1; }

  void put(int row, int column, double value) {
    rows_.push_back(row);
    columns_.push_back(column);
    values_.push_back(value);
  }

  /// The flow into the crossing of fragment i and stage j, which costs it that stage's time.
  int add_edge_into(std::size_t i, std::size_t j) {
    const int column = glp_add_cols(problem_.get(), 1);
    glp_set_col_bnds(problem_.get(), column, GLP_LO, 0, 0);
    glp_set_obj_coef(problem_.get(), column, overheads_[j]);
    put(node_row(i, j), column, 1);
    put(price_row(i), column, costs_[j]);
    return column;
  }

  /// One unit flows from the first fragment in the first stage to the last one in the last.
  void add_flow() {
    const std::size_t stages = overheads_.size();
    glp_set_col_bnds(problem_.get(), add_edge_into(0, 0), GLP_FX, 1, 1);
    for (std::size_t i = 0; i < fragments_; ++i) {
      for (std::size_t j = 0; j < stages; ++j) {
        if (j > 0) put(node_row(i, j - 1), add_edge_into(i, j), -1);
        if (i > 0) put(node_row(i - 1, j), add_edge_into(i, j), -1);
        const double out = i + 1 == fragments_ && j + 1 == stages ? 1 : 0;
        glp_set_row_bnds(problem_.get(), node_row(i, j), GLP_FX, out, out);
      }
    }
  }

  /// What the message's bytes cost: as little as in the fragment where they cost least.
  void add_bytes() {
    const int least = glp_add_cols(problem_.get(), 1);
    glp_set_col_bnds(problem_.get(), least, GLP_FR, 0, 0);
    glp_set_obj_coef(problem_.get(), least, 1);
    for (std::size_t i = 0; i < fragments_; ++i) {
      put(price_row(i), least, -1);
      glp_set_row_bnds(problem_.get(), price_row(i), GLP_LO, 0, 0);
    }
  }

  std::unique_ptr<glp_prob, DeleteProblem> problem_;
  std::vector<double> overheads_, costs_;
  std::size_t fragments_;
  std::vector<int> rows_{0}, columns_{0};  // GLPK leaves the first place of each out
  std::vector<double> values_{0};
};

}  // namespace

Optimum optimum(std::span<const Stage> stages, RealBytes message, std::size_t count) {
  const auto fragments = static_cast<double>(count);
  assert(count >= 1 && fragments <= message.value());
  // Every fragment has one byte, whose time is part of the overhead; the rest of the message is to be spread.
  const RealBytes one(1), rest = message - one * fragments;
  const RealTime unit = std::max(latency_of_equal(stages, message, count), RealTime(1));
  std::vector<double> overheads, costs;
  for (const Stage& stage : stages) {
    overheads.push_back(stage.time_for(one) / unit);
    costs.push_back(rest * stage.cost / unit);
  }
  std::vector<double> parts = FlowProgramme(std::move(overheads), std::move(costs), count).solve();
  double sum = 0;
  for (const double part : parts) sum += part;
  Optimum best;
  for (const double part : parts) best.sizes.push_back(one + rest * (sum > 0 ? part / sum : 1 / fragments));
  best.latency = latency(stages, best.sizes);
  return best;
}

OptimumSearch search_optimum(std::span<const Stage> stages, RealBytes message, std::size_t most) {
  RealTime overheads;
  for (const Stage& stage : stages) overheads += stage.overhead;
  const auto at_least = [&](std::size_t count) {
    RealTime bound;
    for (const Stage& stage : stages)
      bound =
          std::max(bound, overheads + static_cast<double>(count - 1) * stage.overhead + message * stage.cost);
    return bound;
  };
  OptimumSearch search{optimum(stages, message, 1), true};
  for (std::size_t count = 2; static_cast<double>(count) <= message.value(); ++count) {
    if (at_least(count) >= search.best.latency) break;
    if (count > most) {
      search.complete = false;
      break;
    }
    Optimum found = optimum(stages, message, count);
    if (found.latency < search.best.latency) search.best = std::move(found);
  }
  return search;
}

}  // namespace morgana::pipeline
