#include "experiments/row.h"

#include <fmt/format.h>

#include <cmath>

namespace morgana {
namespace {

/// A rule on the measured value; what has none breaks it.
Rule on_value(std::string text, std::function<bool(double)> accepts) {
  return {std::move(text), [accepts = std::move(accepts)](const Measurement& measurement) {
            return measurement.value && std::isfinite(*measurement.value) && accepts(*measurement.value);
          }};
}

}  // namespace

std::string to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::fitted:
      return "fitted";
    case Verdict::paper_inconsistent:
      return "paper-inconsistent";
    case Verdict::informational:
      return "informational";
  }
  return "";
}

Measurement measured(double value) {
  Measurement result;
  result.value = value;
  return result;
}

Measurement measured(const ConfidenceInterval& interval, std::size_t runs) {
  Measurement result = measured(interval.mean);
  result.radius = std::isfinite(interval.radius) ? interval.radius : 0;
  result.runs = runs;
  return result;
}

Measurement found(bool holds, std::string text) {
  Measurement result;
  result.holds = holds;
  result.text = std::move(text);
  return result;
}

Rule within_share(double paper, double share) {
  return on_value(fmt::format("within {:g} %", 100 * share), [paper, share](double value) {
    return std::abs(value - paper) <= share * std::abs(paper);
  });
}

Rule within_factor(double paper, double factor) {
  return on_value(fmt::format("within a factor {:g}", factor), [paper, factor](double value) {
    return value >= paper / factor && value <= paper * factor;
  });
}

Rule within(double paper, double distance) {
  return on_value(fmt::format("+- {:g}", distance),
                  [paper, distance](double value) { return std::abs(value - paper) <= distance; });
}

Rule between(double least, double greatest) {
  return on_value(fmt::format("{:g}..{:g}", least, greatest),
                  [least, greatest](double value) { return value >= least && value <= greatest; });
}

Rule at_least(double least) {
  return on_value(fmt::format(">= {:g}", least), [least](double value) { return value >= least; });
}

Rule at_most(double greatest) {
  return on_value(fmt::format("<= {:g}", greatest), [greatest](double value) { return value <= greatest; });
}

Rule below(double limit) {
  return on_value(fmt::format("< {:g}", limit), [limit](double value) { return value < limit; });
}

Rule as_worded(std::string words) {
  return {std::move(words), [](const Measurement& measurement) { return measurement.holds; }};
}

Rule no_rule() {
  return {"none", [](const Measurement&) { return true; }};
}

Verdict judge(const Row& row, const Measurement& measurement) {
  if (row.standing == Standing::contradicted) return Verdict::paper_inconsistent;
  if (row.standing == Standing::informational) return Verdict::informational;
  if (!row.rule.accepts(measurement)) return Verdict::fail;
  return row.standing == Standing::fitted ? Verdict::fitted : Verdict::pass;
}

}  // namespace morgana
