#pragma once

#include <string_view>

namespace morgana {

/// The part of the reference that shows how near presets come to what was published: measured values, ours
/// and the residuals. A test computes ours anew.
std::string_view fitted_presets();

}  // namespace morgana
