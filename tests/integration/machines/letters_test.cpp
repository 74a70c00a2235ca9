#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/native_run.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string run_of_four = "morgana run -n 4 --quiet --compute none --json result.json -- ";

/// Over which way the ranks' MPICH reach each other: four ranks, each of which says so of itself.
class Letters : public MorganaTest {
 protected:
  /// MPICH's library as it is here, except that it names a function of UCX that MPICH does not call. That
  /// call is never reached.
  std::string folder_with_another_mpich() const {
    const FinishedProcess found = in_shell("ldd " + program("messages_of_mpich") +
                                           " | sed -n 's/.*libmpich.so.12 => \\([^ ]*\\) .*/\\1/p'");
    const std::string library = found.out.substr(0, found.out.find('\n'));
    std::ifstream in(library, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    std::string bytes = content.str();
    constexpr std::string_view asked("\0ucp_ep_flush\0", 14), more("\0ucp_ep_query\0", 14);
    const std::size_t place = bytes.find(asked);
    EXPECT_NE(place, std::string::npos) << library;
    if (place != std::string::npos) bytes.replace(place, more.size(), more);
    fs::create_directory(path("other"));
    std::ofstream(path("other/libmpich.so.12"), std::ios::binary) << bytes;
    return path("other");
  }
};

TEST_F(Letters, CarryWhatMpichHasToTellInAnEmulatedRun) {
  const FinishedProcess run = in_shell(run_of_four + "messages_of_mpich file");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "letters 4, right 4, machine whole\n") << run.err;
}

TEST_F(Letters, GiveWayToUcxWhereTheUserSaysSoAndNothingSimulatedChanges) {
  in_shell(run_of_four + "messages_of_mpich file");
  const std::int64_t with_letters = simulated_ps("result.json");
  const FinishedProcess run =
      in_shell("MORGANA_MPICH_MESSAGES=ucx " + run_of_four + "messages_of_mpich file");
  EXPECT_EQ(run.out, "letters 0, right 4, machine whole\n") << run.err;
  EXPECT_EQ(simulated_ps("result.json"), with_letters);
}

TEST_F(Letters, GiveWayToUcxUnderAnMpichThatAsksItForMore) {
  const FinishedProcess run = in_shell("export LD_LIBRARY_PATH=" + folder_with_another_mpich() + "; " +
                                       run_of_four + "messages_of_mpich file");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "letters 0, right 4, machine whole\n") << run.err;
}

TEST_F(Letters, AreNoneInACapture) {
  const FinishedProcess capture =
      in_shell(sleeping_progress() + " morgana capture -n 4 --quiet -o kept.otf2 -- messages_of_mpich file");
  EXPECT_EQ(capture.exit_code, 0) << capture.err;
  EXPECT_EQ(capture.out, "letters 0, right 4, machine whole\n") << capture.err;
}

}  // namespace
}  // namespace morgana::test
