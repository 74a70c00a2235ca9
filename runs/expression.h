#pragma once

#include <set>
#include <span>
#include <string>

#include "emulator/core/error.h"

namespace morgana {

/// NAME=EXPRESSION of --let: a name that is bound to others.
struct Binding {
  std::string name, expression;
};
/// @throws Error for what has no "=", or nothing before or after it
Binding parse_binding(const std::string& text);

/// A name that an expression may use, and what it stands for.
struct NamedValue {
  std::string name, value;
};

struct Evaluation {
  std::string value;           ///< "1024", "0.5", "-3"; without end in decimals: rounded to 12 of them
  std::set<std::string> used;  ///< names that the expression uses
};

/// Computes with + - * / and parentheses over decimals without exponent and names. Fractions are exact until
/// the result is written (libraries of expressions compute in doubles, and these texts become arguments of
/// programs).
/// @param where  for messages: the option and its text
/// @throws Error for what is no such expression, unknown names, values that are no plain numbers, division by
/// 0, and numbers that take more than 18 digits
Evaluation evaluate(const std::string& expression, std::span<const NamedValue> names,
                    const std::string& where);

}  // namespace morgana
