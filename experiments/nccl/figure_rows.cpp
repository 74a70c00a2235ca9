#include "experiments/nccl/figure_rows.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/laboratory.h"

namespace morgana {

Row row_of_figure(std::string id, std::string title, double published, std::string unit, double share,
                  Condition condition, std::string figure) {
  Row row{std::move(id),   std::move(title),       fmt::format("{:.6g}", published),
          std::move(unit), RowKind::deterministic, within_share(published, share)};
  row.needs = {condition};
  row.measure = [condition = std::move(condition), figure = std::move(figure),
                 published](const Laboratory& laboratory) {
    const double ours = laboratory.mean(condition, figure);
    Measurement result = measured(ours);
    result.text = fmt::format("{:+.1f} %", 100 * (ours / published - 1));
    return result;
  };
  return row;
}

}  // namespace morgana
