#include "emulator/collectives/measured_collective.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

using Collective = MeasuredCollective;

TEST(MeasuredCollective, HaveTheNamesOfNcclTests) {
  EXPECT_EQ(measured_collective_names().size(), 6U);
  for (const std::string_view name : measured_collective_names())
    EXPECT_EQ(name_of(measured_collective_named(name).value()), name);
  EXPECT_FALSE(measured_collective_named("allreduce").has_value());
}

// nccl-tests, doc/PERFORMANCE.md.
TEST(MeasuredCollective, HaveTheFactorsOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_to_all, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::broadcast, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce, 3), 1);
}

TEST(MeasuredCollective, HaveWholeElementsInEachBlock) {
  EXPECT_EQ(possible_size(Collective::all_reduce, Bytes(7), 8), Bytes(4));
  EXPECT_EQ(possible_size(Collective::all_reduce, Bytes(3), 8), Bytes());
  EXPECT_EQ(possible_size(Collective::all_gather, Bytes(100), 8), Bytes(96));
  EXPECT_EQ(possible_size(Collective::all_to_all, Bytes(32), 8), Bytes(32));
  EXPECT_EQ(possible_size(Collective::reduce_scatter, Bytes(31), 8), Bytes());
}

}  // namespace
}  // namespace morgana
