#include "emulator/topology/kinds/slim_fly.h"

#include <fmt/format.h>

#include <array>

#include "emulator/core/error.h"
#include "emulator/topology/kinds/galois_field.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

using Members = std::vector<bool>;  // by element of the field

/// The two sets, each of which has -a where it has a.
std::array<Members, 2> generators(const GaloisField& field) {
  const unsigned q = field.order();
  std::array<Members, 2> sets{Members(q), Members(q)};
  if (q % 4 != 3) {
    // Even and odd powers of the primitive element: q - 1 is a multiple of 4, or -a is a.
    for (unsigned exponent = 0; exponent + 1 < q; exponent += 2) sets[0][field.power(exponent)] = true;
    for (unsigned exponent = 1; exponent < q; exponent += 2) sets[1][field.power(exponent)] = true;
    return sets;
  }
  const unsigned w = (q + 1) / 4, half = 2 * w - 1;  // the power that is -1
  for (unsigned i = 0; i < w; ++i) {
    for (const unsigned turned : {0U, half}) {
      sets[0][field.power(2 * i + turned)] = true;
      sets[1][field.power(2 * i + 1 + turned)] = true;
    }
  }
  return sets;
}

}  // namespace

SwitchPlan slim_fly(unsigned q) {
  constexpr unsigned least = 3, most = 90;
  if (q < least || q > most || q % 4 == 2)
    throw Error(
        fmt::format("a Slim Fly of q = {}: take a power of a prime from {} to {}, such as 5, 7, 8, 9 or 19",
                    q, least, most));
  const GaloisField field(q);
  const auto [first, second] = generators(field);
  SwitchPlan plan = without_trunks(2 * q * q, 0);
  const SwitchId half = q * q;
  for (unsigned column = 0; column < q; ++column) {
    for (unsigned a = 0; a < q; ++a) {
      for (unsigned b = a + 1; b < q; ++b) {
        const unsigned difference = field.subtract(a, b);
        if (first[difference]) plan.trunks.emplace_back(column * q + a, column * q + b);
        if (second[difference]) plan.trunks.emplace_back(half + column * q + a, half + column * q + b);
      }
    }
  }
  for (unsigned x = 0; x < q; ++x)
    for (unsigned m = 0; m < q; ++m)
      for (unsigned c = 0; c < q; ++c)
        plan.trunks.emplace_back(x * q + field.add(field.multiply(m, x), c), half + m * q + c);
  return plan;
}

}  // namespace topology

namespace {

struct SlimFly {
  std::uint32_t q = 5;
};

const Table<SlimFly>& slim_fly_table() {
  static const auto table = Table<SlimFly>("network").key(
      "slim-fly-q", &SlimFly::q,
      "of a Slim Fly: a power of a prime, which makes 2 q^2 switches of (3 q - d) / 2 trunks (q = 4 w + d)",
      {.at_least = "3", .at_most = "90"});
  return table;
}

}  // namespace

TopologyKind slim_fly_kind() {
  return {"slim-fly",
          "2 q^2 switches, any two at most two cables apart, for `slim-fly-q`; hosts on all of them",
          slim_fly_table().keys(),
          "network.slim-fly-q",
          [](const Settings& settings, const SwitchPorts& ports) {
            return topology::graph_of(topology::slim_fly(slim_fly_table().read(settings).q), ports.hosts);
          },
          [](const Settings& settings, std::size_t) {
            return NetworkShape{NetworkShape::Kind::groups, slim_fly_table().read(settings).q};
          },
          {},
          [](const Settings& settings, const SwitchPorts&) {
            const SwitchId q = slim_fly_table().read(settings).q;
            TopologyFacts facts;
            facts.tiers = {"within a column", "between the halves"};
            facts.tier = [half = q * q](SwitchId a, SwitchId b) {
              return static_cast<std::size_t>((a < half) != (b < half));
            };
            return facts;
          }};
}

}  // namespace morgana
