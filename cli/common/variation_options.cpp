#include "cli/common/variation_options.h"

#include "emulator/core/error.h"

namespace morgana::cli {
namespace {

/// What the parser of a value says of it.
template <typename Value>
std::string fault_in(const std::string& text) {
  try {
    (void)Value::parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

void VariationOptions::add(Command& command) {
  command
      .add("--slow-rank", &slow,
           "Multiply the compute time of a rank, or of a range of ranks: 3:x1.2, 0..7:x1.1; may be repeated, "
           "and factors of a rank are multiplied")
      ->type_name("RANK:xFACTOR|FIRST..LAST:xFACTOR")
      ->check(fault_in<SlowRanks>)
      ->may_be_repeated();
  command
      .add("--compute-noise", &noise,
           "Multiply each compute time by a random factor (from --seed): 1 + an exponentially distributed "
           "share, a normally distributed factor around 1, or a lognormal one of median 1")
      ->type_name("exponential:MEAN|normal:SIGMA|lognormal:SIGMA")
      ->check(fault_in<ComputeNoise>);
}

std::optional<ComputeVariation> VariationOptions::variation() const {
  if (!given()) return std::nullopt;
  ComputeVariation variation;
  for (const std::string& one : slow) variation.slow.push_back(SlowRanks::parse(one));
  if (!noise.empty()) variation.noise = ComputeNoise::parse(noise);
  return variation;
}

}  // namespace morgana::cli
