#pragma once

#include <string>

namespace morgana {

/// What is wrong with values that are each right by themselves.
struct Complaint {
  std::string key;  ///< where to mend it
  std::string why;
};

}  // namespace morgana
