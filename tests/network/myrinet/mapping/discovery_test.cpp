// Maps found over the emulated network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/topology/kinds/cplant.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/now.h"
#include "tests/network/myrinet/mapping/mapped_myrinet.h"

namespace morgana::testing {
namespace {
using namespace literals;

struct NamedGraph {
  const char* name;
  SwitchGraph (*make)();
};

class MapOverTheNetwork : public ::testing::TestWithParam<NamedGraph> {};

TEST_P(MapOverTheNetwork, IsTheNetwork) {
  MappedMyrinet mapped(GetParam().make());
  const auto mapper = static_cast<HostNumber>(mapped.graph.hosts() / 3);
  const MappingReport& report = mapped.map_from(mapper);
  EXPECT_EQ(mapped.difference_of(report), "none");
  EXPECT_EQ(report.restarts, 0u);
  EXPECT_EQ(report.leader, mapped.network.names()[mapper]);
  EXPECT_EQ(report.hosts_told, mapped.graph.hosts());
  EXPECT_GT(report.found, report.began);
  EXPECT_GT(report.ended, report.found);
}

INSTANTIATE_TEST_SUITE_P(
    Of, MapOverTheNetwork,
    ::testing::Values(NamedGraph{"torus", [] { return topology::torus({}); }},
                      NamedGraph{"express_torus", [] { return topology::express_torus({}); }},
                      NamedGraph{"cplant", [] { return topology::cplant(); }},
                      NamedGraph{"now", [] { return topology::now(); }},
                      NamedGraph{"irregular", [] { return topology::irregular({.switches = 32}, 3); }},
                      NamedGraph{"fat_tree", [] { return topology::fat_tree({.arity = 3, .levels = 3}); }}),
    [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace morgana::testing
