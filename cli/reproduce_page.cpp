#include "cli/reproduce_page.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "report/chart_page.h"

namespace morgana::cli {
namespace {

/// The paper's value, where it prints one number and nothing else.
std::optional<double> number_of(const std::string& paper) {
  char* end = nullptr;
  const double value = std::strtod(paper.c_str(), &end);
  if (paper.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// How near ours comes, of the rows with one number on both sides; a mark on 1 is the paper's own value.
Curves nearness(const std::vector<JudgedRow>& rows) {
  Curves curves;
  curves.title = "rows with one number on both sides; 1: what the paper has";
  curves.x_name = "row";
  curves.y_name = "Morgana / paper";
  std::vector<Curve> by_verdict(3);
  by_verdict[0].name = "pass";
  by_verdict[1].name = "fail";
  by_verdict[2].name = "fitted, inconsistent or informational";
  for (const JudgedRow& judged : rows) {
    const std::optional<double> paper = number_of(judged.row->paper);
    if (!paper || *paper == 0 || !judged.measurement.value) continue;
    const std::size_t curve = judged.verdict == Verdict::pass ? 0 : judged.verdict == Verdict::fail ? 1 : 2;
    by_verdict[curve].points.push_back({static_cast<double>(curves.places.size()),
                                        *judged.measurement.value / *paper,
                                        judged.measurement.radius / std::abs(*paper)});
    curves.places.push_back(judged.row->id);
  }
  for (Curve& curve : by_verdict) {
    curve.style = Curve::Style::marks;
    if (!curve.points.empty()) curves.curves.push_back(std::move(curve));
  }
  return curves;
}

ChartTable table_of(const ExperimentReport& report) {
  ChartTable table = chart_table(judged_table(report.rows, report.options.quick));
  table.heading.insert(table.heading.begin() + 1, "what it is");
  table.wide = {1, 3};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].insert(table.rows[i].begin() + 1, report.rows[i].row->title);
    const Verdict verdict = report.rows[i].verdict;
    table.tones.emplace_back(verdict == Verdict::pass ? "good" : verdict == Verdict::fail ? "bad" : "");
  }
  return table;
}

ChartTable notes_of(const ExperimentReport& report) {
  ChartTable table{{"what is to be known of rows"}, {}};
  for (const std::string& note : row_notes(report.rows, report.options.quick)) table.rows.push_back({note});
  table.wide = {0};
  return table;
}

void add(ChartPage& page, const CarriedOut& one) {
  const ExperimentReport& report = one.report;
  const std::string& name = report.experiment->name;
  page.facts.push_back(fmt::format("{}: {} ({}; {} seeds{})", name, report.experiment->source,
                                   verdict_counts(report.rows), report.options.seeds,
                                   report.options.quick ? ", quick: verdicts with ? are provisional" : ""));
  ChartSection rows{
      name + ": the paper's values beside ours", report.experiment->title, {{"rows", table_of(report)}}};
  if (ChartTable notes = notes_of(report); !notes.rows.empty())
    rows.figures.emplace_back("notes", std::move(notes));
  if (Curves near = nearness(report.rows); !near.places.empty())
    rows.figures.emplace_back("Morgana / paper", std::move(near));
  page.sections.push_back(std::move(rows));
  if (one.figures.empty()) return;
  ChartSection figures{name + ": figures", "", {}};
  for (const DrawnFigure& figure : one.figures)
    std::visit([&](const auto& picture) { figures.figures.emplace_back(figure.name, picture); },
               figure.picture);
  page.sections.push_back(std::move(figures));
}

}  // namespace

std::string reproduce_page(const std::vector<CarriedOut>& all) {
  ChartPage page;
  page.title = all.size() == 1 ? all.front().report.experiment->name + " reproduced" : "Papers reproduced";
  for (const CarriedOut& one : all) add(page, one);
  return chart_page(page);
}

}  // namespace morgana::cli
