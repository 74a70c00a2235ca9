#include "emulator/collectives/nccl/nccl_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/support/messages.h"

namespace morgana::nccl {
namespace {
using Collective = MeasuredCollective;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

GpuLayout nodes_of_8(int ranks) {
  GpuLayout layout;
  layout.ranks = ranks;
  return layout;
}

/// "tree ll128 4 @2", with the line; "none".
std::string decision(const std::string& text, Collective collective, std::int64_t bytes, int ranks = 8) {
  const auto found = Tuner::parse(text, "t.csv").decide(collective, bytes, nodes_of_8(ranks), Parameters());
  if (!found) return "none";
  return std::string(name_of(found->algorithm)) + " " + std::string(name_of(found->protocol)) + " " +
         std::to_string(found->channels) + " @" + std::to_string(found->line);
}

std::string refusal(const std::string& text) {
  try {
    Tuner::parse(text, "t.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "it was taken";
}

TEST(NcclTuner, TheFirstLineThatFitsDecides) {
  const std::string text =
      "# comment\n\nallreduce,0,65536,tree,simple,2,1,-1,-1,0\n"
      "allreduce,65537,1048576,ring,ll128,-1,4,32\r\n  allreduce , 0, -1 ,ring,ll,3,-1,-1,1\n"
      "allreduce,0,-1,tree,ll,4,-1,-1\nbroadcast,8,16,ring,simple,-1,-1,-1";
  EXPECT_EQ(decision(text, Collective::all_reduce, 4), "tree simple 2 @3");
  EXPECT_EQ(decision(text, Collective::all_reduce, 65'536), "tree simple 2 @3");
  EXPECT_EQ(decision(text, Collective::all_reduce, 65'537), "ring ll 3 @5");  // one node
  EXPECT_EQ(decision(text, Collective::all_reduce, 65'536, 32), "ring ll 3 @5");
  EXPECT_EQ(decision(text, Collective::all_reduce, 65'537, 32), "ring ll128 0 @4");
  EXPECT_EQ(decision(text, Collective::all_reduce, 1'048'577, 32), "ring ll 3 @5");
  EXPECT_EQ(decision(text, Collective::broadcast, 7), "none");
  EXPECT_EQ(decision(text, Collective::broadcast, 8), "ring simple 0 @7");
  EXPECT_EQ(decision(text, Collective::broadcast, 17), "none");
  EXPECT_EQ(decision(text, Collective::all_to_all, 8), "none");
}

TEST(NcclTuner, LinesForOtherCallsArePassedOver) {
  // A registered buffer, several pipeline operations, and what NCCL does not have for the collective.
  const std::string text =
      "allgather,0,-1,ring,ll,1,-1,-1,-1,1\nallgather,0,-1,ring,ll,2,-1,-1,4\nallgather,0,-1,tree,ll,3,-1,-"
      "1\n"
      "allgather,0,-1,pat,ll,4,-1,-1\nallgather,0,-1,ring,ll128,5,-1,8\n"
      "broadcast,0,-1,tree,simple,1,-1,-1\nreduce,0,-1,nvls,simple,1,-1,-1\n";
  EXPECT_EQ(decision(text, Collective::all_gather, 8), "ring ll128 5 @5");
  EXPECT_EQ(decision(text, Collective::all_gather, 8, 16), "none");
  EXPECT_EQ(decision(text, Collective::broadcast, 8), "none");
  EXPECT_EQ(decision(text, Collective::reduce, 8), "none");
}

// NCCL has it for nodes with one GPU each.
TEST(NcclTuner, PatDecidesWhereEachNodeHasOneGpu) {
  const Tuner tuner =
      Tuner::parse("allgather,1024,-1,pat,simple,-1,-1,-1\nallgather,0,-1,ring,ll,-1,-1,-1\n", "t.csv");
  const auto line = [&](std::int64_t bytes, const GpuLayout& layout) {
    return tuner.decide(Collective::all_gather, bytes, layout, Parameters())->line;
  };
  EXPECT_EQ(line(1024, {4, 1, 1}), 1U);
  EXPECT_EQ(line(1023, {4, 1, 1}), 2U);
  EXPECT_EQ(line(1024, {4, 2, 1}), 2U);
  EXPECT_EQ(line(1024, {4, 1, 1, true}), 2U);
}

TEST(NcclTuner, AlgorithmsThatAreNotModelledAreRefusedWhereTheyWouldDecide) {
  const Tuner tuner =
      Tuner::parse("allgather,0,-1,nvls,simple,-1,-1,-1\nallgather,0,-1,ring,ll,-1,-1,-1\n", "t.csv");
  Parameters parameters;
  parameters.nvls = parameters.collnet = Parameters::Ability::yes;
  GpuLayout layout = nodes_of_8(16);
  layout.nvls = layout.collnet = Reducers::here;
  try {
    tuner.decide(Collective::all_gather, 1024, layout, parameters);
    FAIL();
  } catch (const Error& error) {
    expect_message(error.what(), {"t.csv:1", "nvls", "all-gather", "write ring"});
  }
}

TEST(NcclTuner, SwitchesAddUpWhereTheyCan) {
  const Tuner tuner =
      Tuner::parse("allreduce,0,-1,nvls,simple,3,-1,-1\nallreduce,0,-1,ring,ll,-1,-1,-1\n", "t.csv");
  Parameters parameters;
  GpuLayout layout = nodes_of_8(8);
  layout.nvls = Reducers::here;
  // Without NVLink SHARP: as NCCL's plug-in, the next line that fits.
  EXPECT_EQ(tuner.decide(Collective::all_reduce, 8, layout, parameters)->line, 2U);
  parameters.nvls = Parameters::Ability::yes;
  const auto decided = tuner.decide(Collective::all_reduce, 8, layout, parameters);
  EXPECT_EQ(decided->algorithm, Algorithm::nvls);
  EXPECT_EQ(decided->channels, 3U);
  layout.ranks = 16;  // over several nodes it needs CollNet
  EXPECT_EQ(tuner.decide(Collective::all_reduce, 8, layout, parameters)->line, 2U);
  parameters.collnet = Parameters::Ability::yes;
  layout.collnet = Reducers::may_fail;
  try {
    tuner.decide(Collective::all_reduce, 8, layout, parameters);
    FAIL();
  } catch (const Error& error) {
    expect_message(error.what(), {"t.csv:1", "nvls", "network.faults", "write ring or tree"});
  }
}

TEST(NcclTuner, MistakesAreNamedWithTheirLineAndWhatIsAllowed) {
  const auto of = [](const std::string& line) { return refusal("# first\n" + line + "\n"); };
  EXPECT_THAT(of("allreduce,0,1,ring,ll,-1,-1"), AllOf(StartsWith("t.csv:2: 7 fields"), HasSubstr("nNodes")));
  EXPECT_THAT(of("allreduce,0,1,ring,ll,-1,-1,-1,-1,-1,-1"), StartsWith("t.csv:2: 11 fields"));
  EXPECT_THAT(of("alltoall,0,1,ring,ll,-1,-1,-1"),
              AllOf(HasSubstr("\"alltoall\""), HasSubstr("reducescatter")));
  EXPECT_THAT(of("allreduce,0,1,rings,ll,-1,-1,-1"), AllOf(HasSubstr("\"rings\""), HasSubstr("nvls_tree")));
  EXPECT_THAT(of("allreduce,0,1,ring,LL,-1,-1,-1"), AllOf(HasSubstr("\"LL\""), HasSubstr("ll128")));
  EXPECT_THAT(of("allreduce,-2,1,ring,ll,-1,-1,-1"), HasSubstr("-1 for any"));
  EXPECT_THAT(of("allreduce,0,1K,ring,ll,-1,-1,-1"), HasSubstr("\"1K\""));
  EXPECT_THAT(of("allreduce,0,18446744073709551615,ring,ll,-1,-1,-1"), HasSubstr("largest size"));
  EXPECT_THAT(of("allreduce,2,1,ring,ll,-1,-1,-1"), HasSubstr("at least 2 and at most 1"));
  EXPECT_THAT(of("allreduce,0,1,ring,ll,65,-1,-1"), HasSubstr("from 1 to 64"));
  EXPECT_THAT(of("allreduce,0,1,ring,ll,-1,0,-1"), HasSubstr("number of nodes"));
  EXPECT_THAT(of("allreduce,0,1,ring,ll,-1,-1,"), HasSubstr("number of ranks"));
  EXPECT_THAT(of("allreduce,0,1,ring,ll,-1,-1,-1,-1,2"), HasSubstr("registration"));
  expect_message(refusal(""), {"t.csv", "collective_type,min_bytes"});
  expect_message(refusal("# nothing\n\n"), "collective_type,min_bytes");
}

TEST(NcclTuner, DamagedFilesAreRefusedOrRead) {
  const std::string whole =
      "# NCCL\nallreduce,0,65536,tree,simple,2,1,-1,-1,1\nallreduce,65537,1048576,ring,simple,4,4,32,1,0\n"
      "broadcast,0,4294967295,ring,ll128,-1,-1,-1\nallgather,0,4294967295,ring,simple,4,2,-1\n";
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "damage");
    std::string text = whole;
    for (std::uint64_t count = 1 + random.below(4); count > 0 && !text.empty(); --count) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, 1 + random.below(20));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), random.below(30)));
          break;
        default:
          text.resize(at);
      }
    }
    try {
      const Tuner tuner = Tuner::parse(text, "t.csv");
      for (const std::int64_t bytes : {std::int64_t{4}, std::int64_t{1} << 40})
        tuner.decide(Collective::all_reduce, bytes, nodes_of_8(32), Parameters());
    } catch (const Error& error) {
      ++refused;
      const std::string what = error.what();
      EXPECT_THAT(what, StartsWith("t.csv:")) << seed;
      EXPECT_LT(what.size(), 300u) << seed;
      EXPECT_EQ(what.find('\n'), std::string::npos) << seed;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace morgana::nccl
