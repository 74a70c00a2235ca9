#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/laboratory.h"

namespace morgana {

/// What a paper's figure is: its letter stands in the report.
enum class RowKind : char {
  deterministic = 'D',  ///< follows from the model alone
  statistical = 'S',    ///< a mean of runs with different seeds
  shape = 'Q',          ///< an order, a trend or a factor
  reference = '-',      ///< of a real machine: nothing to be judged
};

enum class Verdict { pass, fail, fitted, paper_inconsistent, informational };
std::string to_text(Verdict verdict);

/// What was found for a row.
struct Measurement {
  std::optional<double> value;
  double radius = 0;      ///< of its 90 % confidence interval; 0: none
  std::size_t runs = 1;   ///< behind the value
  std::string text = {};  ///< instead of the value or next to it, such as which platform came first
  bool holds = false;     ///< of shapes without a value: whether what the paper says is so
};
Measurement measured(double value);
/// @param interval  an infinite radius counts as none
Measurement measured(const ConfidenceInterval& interval, std::size_t runs);
Measurement found(bool holds, std::string text);

/// When a measurement agrees with the paper.
struct Rule {
  std::string text;  ///< for people: "within 0.1 %"
  std::function<bool(const Measurement&)> accepts;
};
/// @param share  of the paper's value: 0.001 is 0.1 %
Rule within_share(double paper, double share);
Rule within_factor(double paper, double factor);
/// @param distance  in the row's unit
Rule within(double paper, double distance);
Rule between(double least, double greatest);
Rule at_least(double least);
Rule at_most(double greatest);
Rule below(double limit);
/// What the paper says in words is so.
Rule as_worded(std::string words);
/// Nothing is asked.
Rule no_rule();

/// How a row stands to the paper's other numbers.
enum class Standing {
  judged,
  fitted,         ///< it agrees because parameters that are not published were chosen so: no proof
  contradicted,   ///< the paper contradicts itself, or its mechanisms do not give this number
  informational,  ///< nothing to be judged
};

/// One figure of a paper beside ours. Its verdict comes from the measurement alone.
struct Row {
  std::string id;  ///< "A-22.pde1": what stands before the dot is the check, the rest its part
  std::string title;
  std::string paper;  ///< as printed there
  std::string unit;
  RowKind kind = RowKind::deterministic;
  Rule rule;
  Standing standing = Standing::judged;
  std::vector<Condition> needs = {};  ///< the runs that it takes
  std::function<Measurement(const Laboratory&)> measure = {};
  std::string note = {};  ///< what else is to be known of it: a sentence
};

/// @return paper_inconsistent and informational as the row stands, else what its rule says; of a fitted row
/// fitted instead of pass
Verdict judge(const Row& row, const Measurement& measurement);

}  // namespace morgana
