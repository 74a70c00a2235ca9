#include "benchmarks/kernels/ft/ft.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/nas_random.h"
#include "benchmarks/kernels/common/text.h"
#include "benchmarks/kernels/ft/published_checksums.h"
#include "benchmarks/kernels/ft/slabs.h"

namespace morgana::kernels {
namespace {

constexpr double diffusivity = 1e-6;
constexpr long most_points = 1L << 30;

Slab initial_values(BoxSize size, Interval planes) {
  const auto plane = static_cast<std::uint64_t>(size.x) * static_cast<std::uint64_t>(size.y);
  Slab slab(plane * static_cast<std::uint64_t>(planes.size()));
  NasRandom random(314159265);
  random.skip(2 * plane * static_cast<std::uint64_t>(planes.begin));
  for (Complex& value : slab) {
    const double re = random.next();
    value = Complex(re, random.next());
  }
  return slab;
}

/// Frequencies run 0, 1, ..., n/2 - 1, -n/2, ..., -1.
double square_of_frequency(int k, int n) {
  const double frequency = k < n / 2 ? k : k - n;
  return frequency * frequency;
}

/// What a time step multiplies the spectrum with: exp(-4 diffusivity pi^2 |k|^2).
std::vector<double> damping(BoxSize size, Interval planes) {
  const double scale = -4.0 * diffusivity * std::numbers::pi * std::numbers::pi;
  std::vector<double> result;
  for (int z = planes.begin; z < planes.end; ++z) {
    for (int y = 0; y < size.y; ++y) {
      for (int x = 0; x < size.x; ++x) {
        result.push_back(std::exp(scale * (square_of_frequency(x, size.x) + square_of_frequency(y, size.y) +
                                           square_of_frequency(z, size.z))));
      }
    }
  }
  return result;
}

/// The sum of 1,024 elements spread over the box, divided by the box' size; at the first worker.
Complex checksum(Team& team, BoxSize size, Interval planes, const Slab& slab) {
  Complex sum;
  for (int j = 1; j <= 1024; ++j) {
    const int x = j % size.x, y = 3 * j % size.y, z = 5 * j % size.z;
    if (!planes.holds(z)) continue;
    sum += slab[static_cast<std::size_t>(((z - planes.begin) * size.y + y) * size.x + x)];
  }
  double parts[2] = {sum.real(), sum.imag()};
  sum_to_first(team, parts);
  const double count = static_cast<double>(size.x) * size.y * size.z;
  return Complex(parts[0], parts[1]) / count;
}

/// How far the inverse transform of the spectrum is from the initial values, relative to the greatest of
/// them.
double error_of_round_trip(Team& team, BoxSize size, SlabTransform& transform, Slab spectrum) {
  transform.transform(spectrum, true);
  const Slab expected = initial_values(size, transform.planes());
  const double count = static_cast<double>(size.x) * size.y * size.z;
  double error = 0.0;
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    error = std::max(error, std::abs(spectrum[i] / count - expected[i]));
  }
  greatest_to_first(team, error);
  return error / std::numbers::sqrt2;
}

void compare(const std::vector<Complex>& sums, const std::vector<Complex>& published, Outcome& outcome) {
  double error = 0.0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    error = std::max(error, std::abs(sums[i] - published[i]) / std::abs(published[i]));
  }
  outcome.passed = error <= 1e-12;
  outcome.figures += text_of("  greatest relative error to the published sums %.1e, at most 1e-12\n", error);
}

Outcome solve(Team& team, const Sizes& sizes) {
  const BoxSize size{sizes[0], sizes[1], sizes[2]};
  const int steps = sizes[3];
  SlabTransform transform(team, size);
  const std::vector<double> factors = damping(size, transform.planes());

  const double start = team.seconds();
  Slab spectrum = initial_values(size, transform.planes());
  transform.transform(spectrum, false);
  const std::vector<Complex> published = published_checksums(sizes);
  Slab first;
  if (published.empty()) first = spectrum;
  Slab values;
  std::vector<Complex> sums;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < spectrum.size(); ++i) spectrum[i] *= factors[i];
    values = spectrum;
    transform.transform(values, true);
    sums.push_back(checksum(team, size, transform.planes(), values));
  }

  Outcome outcome;
  outcome.seconds = team.seconds() - start;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    outcome.figures += text_of("  checksum %-5zu %.12e %.12e\n", i + 1, sums[i].real(), sums[i].imag());
  }
  if (!published.empty()) {
    compare(sums, published, outcome);
  } else {
    const double error = error_of_round_trip(team, size, transform, std::move(first));
    outcome.passed = error <= 1e-12;
    outcome.figures += text_of("  error of transforming there and back %.1e, at most 1e-12\n", error);
  }
  return outcome;
}

void check(const Sizes& sizes, int) {
  require_power_of_two("nx", sizes[0]);
  require_power_of_two("ny", sizes[1]);
  require_power_of_two("nz", sizes[2]);
  if (static_cast<long>(sizes[0]) * sizes[1] * sizes[2] > most_points) {
    throw Refusal(text_of("%d x %d x %d points are too many; there may be %ld at most", sizes[0], sizes[1],
                          sizes[2], most_points));
  }
}

}  // namespace

const Kernel& ft() {
  static const Kernel kernel{
      "ft",
      "FT: the heat equation by three-dimensional Fourier transforms (after the NAS Parallel Benchmarks)",
      "Workers own slabs of planes. Every transform exchanges blocks among all of them, there and back.",
      {{"nx", "points in x, a power of two", 2, 4096, {64, 128, 256, 64}},
       {"ny", "points in y, a power of two", 2, 4096, {64, 128, 256, 64}},
       {"nz", "points in z, a power of two", 2, 4096, {64, 32, 128, 64}},
       {"steps", "time steps", 1, 1000, {6, 6, 6, 6}}},
      check,
      solve};
  return kernel;
}

}  // namespace morgana::kernels
