// Parts of the numerical cores against plain definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/kernels/cg/sparse_matrix.h"
#include "benchmarks/kernels/common/nas_random.h"
#include "benchmarks/kernels/ft/fourier.h"
#include "benchmarks/kernels/is/ranking.h"
#include "benchmarks/kernels/solver/wilson.h"
#include "tests/benchmarks/kernels/thread_team.h"

namespace morgana::kernels::test {
namespace {

TEST(Fourier, IsTheSumOfItsDefinition) {
  for (const std::size_t n : {2U, 4U, 8U, 64U}) {
    const Fourier fourier(n);
    NasRandom random(271828183);
    std::vector<Complex> data(n * Fourier::lanes), scratch(data.size());
    for (Complex& value : data) value = Complex(random.next(), random.next());
    const std::vector<Complex> before = data;
    for (const bool inverse : {false, true}) {
      data = before;
      fourier.transform(data, scratch, inverse);
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t t = 0; t < Fourier::lanes; ++t) {
          Complex sum;
          for (std::size_t j = 0; j < n; ++j) {
            const double turn = static_cast<double>(j * k % n) / static_cast<double>(n);
            sum += before[j * Fourier::lanes + t] *
                   std::polar(1.0, (inverse ? 2.0 : -2.0) * std::numbers::pi * turn);
          }
          EXPECT_LT(std::abs(data[k * Fourier::lanes + t] - sum), 1e-12 * static_cast<double>(n));
        }
      }
    }
  }
}

TEST(CgMatrix, IsSymmetricWhoeverOwnsTheRows) {
  constexpr int order = 60;
  std::vector<std::vector<double>> dense(order, std::vector<double>(order));
  for (const Interval rows : {Interval{0, 13}, Interval{13, 14}, Interval{14, 60}}) {
    const SparseRows matrix = rows_of_cg_matrix(rows, order, 4, 10.0);
    std::vector<double> product(static_cast<std::size_t>(rows.size()));
    for (std::size_t column = 0; column < order; ++column) {
      std::vector<double> unit(order, 0.0);
      unit[column] = 1.0;
      matrix.multiply(unit, product);
      for (std::size_t i = 0; i < product.size(); ++i) {
        dense[static_cast<std::size_t>(rows.begin) + i][column] = product[i];
      }
    }
  }
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t j = 0; j < order; ++j) EXPECT_NEAR(dense[i][j], dense[j][i], 1e-15);
    EXPECT_LT(dense[i][i], 0.0) << "the shift makes it negative definite on the diagonal";
  }
}

TEST(Ranking, CountsTheLesserKeysOfAllWorkers) {
  constexpr int workers = 3, count = 90, range = 16;
  std::vector<std::int32_t> all;
  NasRandom random(314159265);
  for (int i = 0; i < count; ++i) all.push_back(static_cast<std::int32_t>(range * random.next()));
  run_threads(workers, [&](Team& team) {
    const Interval own = share_of(team.rank(), workers, count);
    Ranking ranking(team, count, range, {0, 20, 40, 60, 89});
    const RankedKeys ranked = ranking.rank(Keys(all.begin() + own.begin, all.begin() + own.end));
    for (const std::int32_t key : ranked.keys) {
      ASSERT_TRUE(ranked.values.holds(key));
      EXPECT_EQ(ranked.below + ranked.less[static_cast<std::size_t>(key - ranked.values.begin)],
                std::count_if(all.begin(), all.end(), [&](std::int32_t other) { return other < key; }));
    }
    EXPECT_THAT(ranked.tests, testing::ElementsAre(all[0], all[20], all[40], all[60], all[89]));
  });
}

/// One full matrix gamma(mu) of the chiral basis, as colour.h defines it: (0 G; G^+ 0).
using Matrix = std::array<std::array<std::complex<float>, 4>, 4>;
Matrix gamma(int mu) {
  using C = std::complex<float>;
  const C i(0.0F, 1.0F), one(1.0F, 0.0F);
  std::array<std::array<C, 2>, 2> g{};
  if (mu == 0) g = {{{C(), -i}, {-i, C()}}};     // -i sigma x
  if (mu == 1) g = {{{C(), -one}, {one, C()}}};  // -i sigma y
  if (mu == 2) g = {{{-i, C()}, {C(), i}}};      // -i sigma z
  if (mu == 3) g = {{{one, C()}, {C(), one}}};
  Matrix result{};
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t c = 0; c < 2; ++c) {
      result[r][c + 2] = g[r][c];
      result[c + 2][r] = std::conj(g[r][c]);
    }
  }
  return result;
}

TEST(Gamma, MatricesAnticommuteAndSquareToOne) {
  for (int mu = 0; mu < 4; ++mu) {
    for (int nu = 0; nu < 4; ++nu) {
      const Matrix a = gamma(mu), b = gamma(nu);
      for (std::size_t r = 0; r < 4; ++r) {
        for (std::size_t c = 0; c < 4; ++c) {
          std::complex<float> sum;
          for (std::size_t k = 0; k < 4; ++k) sum += a[r][k] * b[k][c] + b[r][k] * a[k][c];
          EXPECT_EQ(sum, std::complex<float>(mu == nu && r == c ? 2.0F : 0.0F));
        }
      }
    }
  }
}

TEST(Spinors, AreProjectedAndReconstructedAsOneMinusGammaSays) {
  Spinor psi;
  float next = 1.0F;
  for (ColourVector& v : psi) {
    for (Complex32& c : v) {
      c = {next, -2.0F * next};
      next += 1.0F;
    }
  }
  for (int mu = 0; mu < 4; ++mu) {
    for (const int sign : {1, -1}) {
      Spinor result{};
      add_reconstructed(result, project(psi, mu, sign), mu, sign);
      const Matrix g = gamma(mu);
      for (std::size_t s = 0; s < 4; ++s) {
        for (std::size_t c = 0; c < 3; ++c) {
          std::complex<float> expected(psi[s][c].re, psi[s][c].im);
          for (std::size_t k = 0; k < 4; ++k) {
            expected -= static_cast<float>(sign) * g[s][k] * std::complex<float>(psi[k][c].re, psi[k][c].im);
          }
          EXPECT_EQ(expected, std::complex<float>(result[s][c].re, result[s][c].im)) << mu << sign << s << c;
        }
      }
    }
  }
}

/// The hopping term of a field with values in all places, as all workers together see it.
std::vector<float> hopped(int workers) {
  const Site extents{4, 4, 4, 8};
  std::vector<float> result(static_cast<std::size_t>(4 * 4 * 4 * 8) * 24, 0.0F);
  const auto place = [&](const Site& s) {
    return static_cast<std::size_t>(((s[3] * 4 + s[2]) * 4 + s[1]) * 4 + s[0]) * 24;
  };
  run_threads(workers, [&](Team& team) {
    const Lattice lattice(team, extents);
    Wilson wilson(team, lattice);
    for (int parity = 0; parity < 2; ++parity) {
      SpinorField psi, to(lattice.sites(parity).size());
      for (const Site& site : lattice.sites(1 - parity)) {
        NasRandom random(place(site) + 1);
        for (ColourVector& v : psi.emplace_back()) {
          for (Complex32& c : v) c = {static_cast<float>(random.next()), static_cast<float>(random.next())};
        }
      }
      wilson.hop(parity, psi, to);
      for (std::size_t i = 0; i < to.size(); ++i) {
        std::memcpy(&result[place(lattice.sites(parity)[i])], &to[i], sizeof(Spinor));
      }
    }
  });
  return result;
}

TEST(Wilson, GivesTheSameBitsHoweverTheLatticeIsDealt) {
  const std::vector<float> alone = hopped(1);
  for (const int workers : {2, 3, 4, 8}) EXPECT_EQ(hopped(workers), alone) << workers;
}

}  // namespace
}  // namespace morgana::kernels::test
