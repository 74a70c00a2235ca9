#include "cli/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "emulator/report/json_text.h"
#include "emulator/report/size_text.h"
#include "emulator/report/times_as.h"

namespace morgana::cli {
namespace {

constexpr double giga = 1e9;

double microseconds(const CollectiveTime& measured) {
  return static_cast<double>(measured.time.ps()) / 1e6;
}

/// At most as wide as its heading, up to some minutes: rows are printed before later ones are known.
std::string microseconds_text(double time) {
  return time < 1e6 ? fmt::format("{:.6g}", time) : fmt::format("{:.0f}", time);
}

}  // namespace

std::vector<CollectiveReport::Slower> CollectiveReport::slower_choices() const {
  std::vector<Slower> slower;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].algorithm != "auto") continue;
    std::size_t best = i;
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (rows[j].bytes == rows[i].bytes && rows[j].measured.time < rows[best].measured.time) best = j;
    if (best != i) slower.push_back({i, best});
  }
  return slower;
}

TextTable collective_table(const CollectiveReport& report) {
  TextTable table({"size (B)", "algorithm", "carried out by", "time (us)", "algbw (GB/s)", "busbw (GB/s)"});
  for (const CollectiveReport::Row& row : report.rows)
    table.add({fmt::format("{}", row.bytes.count()), row.algorithm, row.measured.carried_out_by,
               microseconds_text(microseconds(row.measured)),
               fmt::format("{:.5g}", row.measured.algorithm_bandwidth / giga),
               fmt::format("{:.5g}", row.measured.bus_bandwidth / giga)});
  return table;
}

std::string collective_heading(const CollectiveReport& report) {
  const TextTable table = collective_table(report);
  return fmt::format("{} of {} ranks on {} by {}\n{}{}\n{}", name_of(report.collective), report.ranks,
                     report.platform, report.library, report.placement, report.placement.empty() ? "" : "\n",
                     table.row_text(0, table.widths()));
}

std::string collective_row(const CollectiveReport& report, std::size_t row) {
  const TextTable table = collective_table(report);
  return table.row_text(row + 1, table.widths());
}

namespace {

/// What limits the largest size, by each algorithm.
std::string limits_text(const CollectiveReport& report) {
  std::string text;
  Bytes largest;
  std::set<std::string> said;  // auto is one of the others
  for (const CollectiveReport::Row& row : report.rows) largest = std::max(largest, row.bytes);
  for (const CollectiveReport::Row& row : report.rows) {
    if (row.bytes != largest) continue;
    if (row.measured.limit.empty() || !said.insert(row.measured.carried_out_by).second) continue;
    text += fmt::format("{}limit of {} by {}: {}\n", text.empty() ? "\n" : "", size_text(row.bytes),
                        row.measured.carried_out_by, row.measured.limit);
    if (!row.measured.busiest.empty()) text += fmt::format("  busiest links: {}\n", row.measured.busiest);
  }
  return text;
}

}  // namespace

std::string collective_footing(const CollectiveReport& report) {
  std::string text;
  for (const CollectiveReport::Slower& one : report.slower_choices()) {
    const CollectiveReport::Row &chosen = report.rows[one.row], &best = report.rows[one.faster];
    text += fmt::format("{}auto is not the fastest of {}: {} takes {}\n", text.empty() ? "\n" : "",
                        size_text(chosen.bytes), chosen.measured.carried_out_by,
                        longer_text(microseconds(chosen.measured) / microseconds(best.measured),
                                    best.measured.carried_out_by));
  }
  if (!text.empty())
    text += report.library == "nccl"
                ? "NCCL chooses by an estimate, without running it.\n"
                : fmt::format("{} chooses by sizes and numbers of ranks, without running it.\n",
                              report.library == "openmpi" ? "Open MPI" : "MPICH");
  text += limits_text(report);
  if (report.too_small.empty()) return text;
  return text + fmt::format("\nLeft out: {} below {}, which have no element of 4 B for each rank's block\n",
                            report.too_small.size() == 1 ? "1 size"
                                                         : fmt::format("{} sizes", report.too_small.size()),
                            size_text(measured_element * static_cast<std::int64_t>(report.ranks)));
}

std::string collective_json(const CollectiveReport& report) {
  nlohmann::ordered_json all{{"collective", name_of(report.collective)},
                             {"platform", report.platform},
                             {"library", report.library},
                             {"ranks", report.ranks},
                             {"placement", report.placement}};
  all["rows"] = nlohmann::ordered_json::array();
  for (const CollectiveReport::Row& row : report.rows)
    all["rows"].push_back({{"bytes", row.bytes.count()},
                           {"algorithm", row.algorithm},
                           {"carried_out_by", row.measured.carried_out_by},
                           {"time_ps", row.measured.time.ps()},
                           {"algbw_bytes_per_s", row.measured.algorithm_bandwidth},
                           {"busbw_bytes_per_s", row.measured.bus_bandwidth},
                           {"limit", row.measured.limit},
                           {"busiest_links", row.measured.busiest}});
  return json_text(all);
}

namespace {

Curves curves_of(const CollectiveReport& report, double value(const CollectiveTime&)) {
  Curves curves;
  curves.title =
      fmt::format("{} of {} ranks on {}", name_of(report.collective), report.ranks, report.platform);
  curves.x_name = "size";
  curves.x_is_size = true;
  curves.logarithmic_x = true;
  for (const CollectiveReport::Row& row : report.rows) {
    auto curve = std::find_if(curves.curves.begin(), curves.curves.end(),
                              [&row](const Curve& one) { return one.name == row.algorithm; });
    if (curve == curves.curves.end())
      curve =
          curves.curves.insert(curves.curves.end(), Curve{row.algorithm, {}, Curve::Style::marks_and_lines});
    curve->points.push_back({static_cast<double>(row.bytes.count()), value(row.measured)});
  }
  return curves;
}

}  // namespace

Curves bandwidth_curves(const CollectiveReport& report) {
  Curves curves = curves_of(report, [](const CollectiveTime& one) { return one.bus_bandwidth / giga; });
  curves.y_name = "busbw (GB/s)";
  return curves;
}

Curves time_curves(const CollectiveReport& report) {
  Curves curves = curves_of(report, microseconds);
  curves.y_name = "time (us)";
  curves.logarithmic_y = true;
  return curves;
}

}  // namespace morgana::cli
