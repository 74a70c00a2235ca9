#pragma once

#include <string>

namespace morgana {

/// An error in a combination of values, each of which is valid alone.
struct Complaint {
  std::string key;  ///< the key to change

  std::string why;
};

}  // namespace morgana
