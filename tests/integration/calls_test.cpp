#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;

void expect_sums_of_communication(const nlohmann::json& report) {
  for (const auto& rank : report.at("per_rank")) {
    std::int64_t sum = 0;
    for (const auto& call : rank.at("calls")) {
      const auto ps = [&](const char* figure) { return call.at(figure).get<std::int64_t>(); };
      sum += ps("time_ps");
      EXPECT_LE(ps("late_sender_ps") + ps("late_receiver_ps") + ps("collective_wait_ps"), ps("time_ps"))
          << call;
    }
    EXPECT_EQ(sum, rank.at("communication_ps").get<std::int64_t>());
  }
}

/// Their time by kind of call is the ranks' communication, and the same in a replay of the run.
class Calls : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(Calls, AddUpToTheCommunicationOfARunAndOfItsReplay) {
  const std::string out = succeed({"run", "-n", "4", "--platform", "fast-ethernet", "--trace", "run.otf2",
                                   "--json", "run.json", "--", program(GetParam())})
                              .out;
  EXPECT_THAT(out, HasSubstr("calls, all ranks together"));
  succeed({"replay", "run.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
  const nlohmann::json run = read_json("run.json"), replay = read_json("replay.json");
  expect_sums_of_communication(run);
  expect_sums_of_communication(replay);
  EXPECT_FALSE(run.at("calls").empty());
  EXPECT_EQ(run.at("calls"), replay.at("calls"));
  for (std::size_t rank = 0; rank < run.at("per_rank").size(); ++rank)
    EXPECT_EQ(run.at("per_rank").at(rank).at("calls"), replay.at("per_rank").at(rank).at("calls"));
}

/// MPICH looks at no datatype where the count is 0.
TEST_F(MorganaTest, BlocksWithoutADatatypeCostWhatEmptyBlocksCost) {
  const auto time_of = [&](const std::string& types, const std::string& form) {
    succeed({"run", "-n", "3", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--json",
             "run.json", "--", program("empty_blocks"), types, form});
    return simulated_ps("run.json");
  };
  for (const std::string form : {"blocking", "nonblocking", "persistent"}) {
    const std::int64_t with_datatypes = time_of("int", form);
    EXPECT_EQ(time_of("null", form), with_datatypes) << form;
    // 4 MB a rank at 100 Mb/s: every rank sends and receives them.
    EXPECT_GT(with_datatypes, std::int64_t{320'000'000'000}) << form;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Calls, testing::Values("ring", "communicators", "nonblocking", "pde1.pvm"));

}  // namespace
}  // namespace morgana::test
