#pragma once

#include <string_view>

namespace morgana {

/// One of what an English plural names, as far as units of counts need it: "cells" is "cell", "switches" is
/// "switch".
constexpr std::string_view singular(std::string_view plural) {
  for (const std::string_view ending : {"ches", "shes", "sses", "xes"})
    if (plural.ends_with(ending)) return plural.substr(0, plural.size() - 2);
  return plural.ends_with('s') ? plural.substr(0, plural.size() - 1) : plural;
}

}  // namespace morgana
