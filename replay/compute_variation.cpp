#include "replay/compute_variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <system_error>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/core/error.h"
#include "emulator/core/random.h"

namespace morgana {
namespace {

constexpr double largest_factor = 1e6;

/// The whole text as a number.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct NoiseForm {
  std::string_view name;
  ComputeNoise::Kind kind;
  double most;  ///< of the parameter
};
constexpr std::array<NoiseForm, 3> noise_forms{
    NoiseForm{"exponential", ComputeNoise::Kind::exponential, 1000},
    NoiseForm{"normal", ComputeNoise::Kind::normal, 1},
    NoiseForm{"lognormal", ComputeNoise::Kind::lognormal, 10}};

/// Random access to the numbers of SplitMix64 (Steele, Lea and Flood, 2014): its `number`-th, in [0, 1).
double uniform_at(std::uint64_t stream, std::uint64_t number) {
  std::uint64_t z = stream + (number + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

}  // namespace

SlowRanks SlowRanks::parse(std::string_view text) {
  const auto refuse = [text] {
    throw Error(
        fmt::format("\"{}\" names no slow ranks: write RANK:xFACTOR or FIRST..LAST:xFACTOR, such as "
                    "3:x1.2 or 0..7:x1.1, with a factor above 0 and up to {:g}",
                    text, largest_factor));
  };
  const std::size_t colon = text.find(":x");
  if (colon == std::string_view::npos) refuse();
  const std::string_view ranks = text.substr(0, colon);
  const std::size_t dots = ranks.find("..");
  const auto first = number_of<std::uint32_t>(ranks.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : number_of<std::uint32_t>(ranks.substr(dots + 2));
  const auto factor = number_of<double>(text.substr(colon + 2));
  if (!first || !last || *first > *last || !factor || !(*factor > 0) || *factor > largest_factor) refuse();
  return {*first, *last, *factor, std::string(text)};
}

ComputeNoise ComputeNoise::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (const NoiseForm& form : noise_forms) {
    if (colon == std::string_view::npos || text.substr(0, colon) != form.name) continue;
    const auto parameter = number_of<double>(text.substr(colon + 1));
    if (!parameter || !(*parameter > 0) || *parameter > form.most)
      throw Error(fmt::format(
          "\"{0}\" has no valid parameter: write {1}:NUMBER with a number above 0 and up to {2:g}", text,
          form.name, form.most));
    return {form.kind, *parameter, std::string(text)};
  }
  throw Error(
      fmt::format("\"{}\" is not a distribution of noise: write exponential:MEAN, normal:SIGMA or "
                  "lognormal:SIGMA, such as lognormal:0.05",
                  text));
}

double ComputeNoise::factor(double one, double other) const {
  if (kind == Kind::exponential) return 1 - parameter * std::log1p(-one);
  // Box and Muller, 1958.
  const double z = std::sqrt(-2 * std::log1p(-one)) * std::cos(2 * std::numbers::pi * other);
  return kind == Kind::normal ? std::max(0.0, 1 + parameter * z) : std::exp(parameter * z);
}

std::string ComputeVariation::text() const {
  std::string all;
  for (const SlowRanks& one : slow) {
    all += all.empty() ? "" : "; ";
    all += one.first == one.last ? fmt::format("rank {} x {:g}", one.first, one.factor)
                                 : fmt::format("ranks {} to {} x {:g}", one.first, one.last, one.factor);
  }
  if (noise) all += fmt::format("{}noise {}", all.empty() ? "" : "; ", noise->text);
  return all;
}

ComputeTimes::ComputeTimes(const ComputeVariation& variation, std::size_t ranks, std::uint64_t seed)
    : noise_(variation.noise), factors_(ranks, 1), computed_(ranks) {
  for (const SlowRanks& slow : variation.slow) {
    if (slow.last >= ranks)
      throw Error(fmt::format("--slow-rank {}: there is no rank {}: the run has {}", slow.text, slow.last,
                              ranks == 1 ? "rank 0 alone" : fmt::format("ranks 0 to {}", ranks - 1)));
    for (std::size_t rank = slow.first; rank <= slow.last; ++rank) factors_[rank] *= slow.factor;
  }
  for (std::size_t rank = 0; rank < std::min(ranks, variation.further.size()); ++rank)
    factors_[rank] *= variation.further[rank];
  if (!noise_) return;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    streams_.push_back(RandomStream(seed, fmt::format("compute noise of rank {}", rank)).next());
}

SimTime ComputeTimes::of(Rank rank, std::uint64_t number, SimTime time) {
  double factor = factors_[index(rank)];
  if (noise_ && time > SimTime()) {
    const std::uint64_t stream = streams_[index(rank)];
    factor *= noise_->factor(uniform_at(stream, 2 * number), uniform_at(stream, 2 * number + 1));
  }
  if (factor != 1.0) {
    const long double varied = static_cast<long double>(time.ps()) * factor;
    if (varied > static_cast<long double>(EventQueue::latest.ps())) refuse_time_past_end();
    time = SimTime::from_ps(std::llround(varied));
  }
  SimTime& sum = computed_[index(rank)];
  sum += std::min(time, EventQueue::latest - std::min(sum, EventQueue::latest));
  return time;
}

std::optional<ComputeTimes> compute_times_of(const std::optional<ComputeVariation>& variation,
                                             std::size_t ranks, std::uint64_t seed) {
  if (!variation) return std::nullopt;
  return std::make_optional<ComputeTimes>(*variation, ranks, seed);
}

}  // namespace morgana
