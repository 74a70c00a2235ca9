#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// `morgana collective`. Times are those of tests/runs/collective_time_test.cpp.
class CollectiveCommand : public MorganaTest {
 protected:
  std::string refusal(std::vector<std::string> words) {
    words.insert(words.begin(), "collective");
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  }
};

TEST_F(CollectiveCommand, PrintsAndWritesTimesAndBandwidths) {
  const FinishedProcess run =
      succeed({"collective", "all-gather", "-p", "loggp-example", "-n", "4", "--bytes", "8 B..4000 B:x500",
               "--algorithm", "ring,auto", "--json", "c.json", "--csv", "c.csv", "--plot", "c.svg"});
  EXPECT_THAT(run.out, HasSubstr("all-gather of 4 ranks on loggp-example by mpich"));
  EXPECT_THAT(run.out, HasSubstr("Left out: 1 size below 16 B"));
  EXPECT_THAT(read("c.csv"),
              StartsWith("size (B),algorithm,carried out by,time (us),algbw (GB/s),busbw (GB/s)"));
  EXPECT_THAT(read("c.csv"), HasSubstr("4000,ring,ring,24.097,0.166,0.1245"));
  EXPECT_THAT(read("c.svg"), HasSubstr("busbw (GB/s)"));
  const FinishedProcess one_size = succeed({"collective", "all-gather", "-p", "loggp-example", "-n", "4",
                                            "--bytes", "4000 B", "--plot", "t.svg", "--plot-of", "time"});
  EXPECT_THAT(read("t.svg"), HasSubstr("time (us)"));
  EXPECT_EQ(one_size.err, "") << "gnuplot complains of an axis without extent";
  const nlohmann::json rows = read_json("c.json").at("rows");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.at(0).at("time_ps"), 24'097'000);
  EXPECT_EQ(rows.at(1).at("algorithm"), "auto");
}

TEST_F(CollectiveCommand, SaysWhereRanksAreAndWhatLimits) {
  const auto text = [this](std::vector<std::string> words) {
    words.insert(words.begin(), {"collective", "all-reduce"});
    return succeed(words).out;
  };
  const std::string two = text({"-p", "hdr-fat-tree", "-n", "8", "--bytes", "8 B,1 MiB"});
  EXPECT_THAT(two, HasSubstr("\n2 ranks on each of 4 hosts (--map block)\n"));
  EXPECT_THAT(two, HasSubstr("\nlimit of 1 MiB by reduce-scatter-allgather: "));
  EXPECT_THAT(two, Not(HasSubstr("limit of 8 B")));
  text({"-p", "hdr-fat-tree", "-n", "8", "--map", "cyclic", "--bytes", "64 KiB", "--json", "c.json"});
  EXPECT_EQ(read_json("c.json").at("placement"), "1 rank on each of 8 hosts (--map cyclic)");
  EXPECT_THAT(text({"-p", "dgx-h100", "-n", "16", "--bytes", "1 MiB"}),
              HasSubstr("\na GPU for each rank, on 2 nodes (--map block)\n"));
  const std::string loggp = text({"-p", "infiniband-hdr", "-n", "2", "--bytes", "8 B"});
  EXPECT_THAT(loggp, HasSubstr("\nall ranks on one host: none uses the network"));
  EXPECT_THAT(loggp, Not(HasSubstr("limit of")));
}

/// One message has nothing to wait for.
TEST_F(CollectiveCommand, DividesTheNetworksPart) {
  const std::string out = succeed({"collective", "broadcast", "-p", "hdr-fat-tree", "-n", "2", "--map",
                                   "cyclic", "--bytes", "2 KiB", "--json", "c.json"})
                              .out;
  const std::string parts = "(latency ";
  EXPECT_THAT(out, AllOf(HasSubstr("NICs and network "), HasSubstr(parts), HasSubstr("queues 0.0 %)")));
  EXPECT_THAT(read_json("c.json").at("rows").at(0).at("limit").get<std::string>(),
              AllOf(HasSubstr("no link is busy for half of the time: of the critical path "),
                    HasSubstr(parts), HasSubstr(", its messages' own data ")));
}

TEST_F(CollectiveCommand, UnderstandsAutomaticAsAuto) {
  const auto timed = [this](const char* word, const char* file) {
    succeed({"collective", "all-gather", "-p", "loggp-example", "-n", "4", "--bytes", "4000 B", "--algorithm",
             word, "--protocol", word, "--json", file, "--quiet"});
    return read_json(file);
  };
  EXPECT_EQ(timed("automatic", "a.json"), timed("auto", "b.json"));
}

/// 8 ranks on 8 hosts; half of what a link carries is what a host's bus takes.
TEST_F(CollectiveCommand, NamesAHostsBusThatLimits) {
  const std::string out = succeed({"collective", "all-to-all", "-p", "hdr-fat-tree", "-n", "8", "--map",
                                   "cyclic", "--bytes", "8 MiB", "--set", "network.ejection-rate=50 %"})
                              .out;
  EXPECT_THAT(out, AllOf(HasSubstr("\nlimit of 8 MiB by "),
                         HasSubstr(": buses into hosts (network.ejection-rate): busy for ")));
}

/// Two leaves of four hosts with two ranks each and two uplinks: of each rank's 16 blocks 8 go to the other
/// leaf, 64 over a leaf's two uplinks, 32 each, and 14 leave its host, 28 over its cable.
TEST_F(CollectiveCommand, NamesTheTierThatLimits) {
  const std::string out =
      succeed({"collective", "all-to-all", "-p", "hdr-fat-tree", "-n", "16", "--map", "cyclic", "--set",
               "network.hosts-per-switch=4", "--set", "network.arity=2", "--bytes", "64 MiB,8 KiB",
               "--algorithm", "pairwise", "--json", "c.json"})
          .out;
  EXPECT_THAT(out, AllOf(HasSubstr("\nlimit of 64 MiB by pairwise: uplinks of the leaves"),
                         Not(HasSubstr("limit of 8 KiB"))));
  const nlohmann::json row = read_json("c.json").at("rows").at(0);
  const std::string limit = row.at("limit");
  double uplinks = 0;
  ASSERT_EQ(
      std::sscanf(limit.c_str(), "uplinks of the leaves, downlinks to the leaves: busy for %lf %%", &uplinks),
      1)
      << limit;
  // Buses into hosts empty cables at 94.5 % of their rate.
  const std::string words = "next buses into hosts (network.ejection-rate): ";
  const std::size_t next = limit.find(words);
  ASSERT_NE(next, std::string::npos) << limit;
  const double buses = std::stod(limit.substr(next + words.size()));
  EXPECT_NEAR(uplinks / buses, 32.0 / 28 * 0.945, 0.01) << limit;
  EXPECT_THAT(row.at("busiest_links").get<std::string>(), StartsWith("switch 0 port 4 to switch 2 port 0 ("));
}

TEST_F(CollectiveCommand, SaysWhereARangeEndsBeforeItsEnd) {
  const auto err = [this](const std::string& bytes) {
    return succeed({"collective", "broadcast", "-p", "fast-ethernet", "-n", "4", "--bytes", bytes}).err;
  };
  EXPECT_THAT(err("8 B..1 KiB:x8"),
              HasSubstr("\"8 B..1 KiB:x8\" ends at 512 B: the next step is beyond 1 KiB"));
  EXPECT_THAT(err("8 B..512 B:x8,1 KiB..3 KiB:1 KiB"), Not(HasSubstr("ends at")));
}

/// The GPUs of a node have nothing between them but the switches of NVLink.
TEST_F(CollectiveCommand, NamesNvlinkAsTheLimitWithinANode) {
  succeed(
      {"collective", "all-reduce", "-p", "dgx-h100", "-n", "8", "--bytes", "256 MiB", "--json", "c.json"});
  EXPECT_THAT(read_json("c.json").at("rows").at(0).at("limit").get<std::string>(),
              StartsWith("NVLink from the GPUs, NVLink to the GPUs: busy for "));
}

TEST_F(CollectiveCommand, SaysWhatNcclChose) {
  succeed({"collective", "all-reduce", "-q", "-p", "dgx-a100", "-n", "8", "--bytes", "32 B,1 MiB,64 MiB",
           "--json", "c.json"});
  const nlohmann::json rows = read_json("c.json").at("rows");
  EXPECT_EQ(rows.at(0).at("carried_out_by"), "ring ll");
  EXPECT_EQ(rows.at(1).at("carried_out_by"), "ring ll128");
  EXPECT_EQ(rows.at(2).at("carried_out_by"), "ring simple");
}

TEST_F(CollectiveCommand, SaysWhereTheLibrarysChoiceIsNotTheFastest) {
  // docs/ai-clusters.md: NCCL's model takes the tree, and the ring is faster.
  const FinishedProcess run =
      succeed({"collective", "all-reduce", "-p", "dgx-h100", "-n", "16", "--bytes", "1 MiB,16 MiB",
               "--algorithm", "ring,tree,auto", "--set", "nccl.nvls=no"});
  EXPECT_THAT(run.out, HasSubstr("\nauto is not the fastest of 1 MiB: tree ll128 takes 1.2"));
  EXPECT_THAT(run.out, HasSubstr("times as long as ring ll\nNCCL chooses by an estimate"));
  EXPECT_EQ(run.out.find("not the fastest"), run.out.rfind("not the fastest"));
}

// auto is one of the others: what limits it is said once, and sizes as they were asked for.
TEST_F(CollectiveCommand, SaysOnceWhatLimitsAnAlgorithm) {
  const FinishedProcess run = succeed({"collective", "all-reduce", "-p", "dgx-h100", "-n", "8", "--bytes",
                                       "16 MB", "--algorithm", "ring,auto", "--set", "nccl.nvls=no"});
  EXPECT_THAT(run.out, HasSubstr("\nlimit of 16 MB by ring "));
  EXPECT_EQ(run.out.find("limit of"), run.out.rfind("limit of"));
}

TEST_F(CollectiveCommand, DrawsAPageThatSaysWhichAlgorithmIsTheFastest) {
  succeed({"collective", "all-reduce", "-p", "dgx-a100", "-n", "4", "--bytes", "1 KiB,64 MiB", "--algorithm",
           "ring,tree,auto", "--json", "c.json", "--report", "c.html", "-q"});
  const nlohmann::json rows = read_json("c.json").at("rows");
  const auto faster = [&](std::size_t first) {
    return rows.at(first).at("time_ps") <= rows.at(first + 1).at("time_ps") ? "ring" : "tree";
  };
  const std::string page = read("c.html");
  EXPECT_THAT(page, HasSubstr(std::string("Of those compared ") + faster(0) + " is the fastest"));
  EXPECT_THAT(page, HasSubstr("64 MiB takes "));
  for (const char* figure : {"busbw", "time", "limits", "times"})
    EXPECT_THAT(page, HasSubstr(std::string("\"name\":\"") + figure + '"'));
  EXPECT_THAT(refusal({"all-reduce", "-p", "dgx-a100", "--report", "c.txt"}), HasSubstr(".html"));
}

// As the command prints them: sizes as they were asked for, times of four digits; no column without an entry.
TEST_F(CollectiveCommand, PagesWriteFiguresAsTheCommandDoes) {
  succeed({"collective", "all-reduce", "-p", "dgx-a100", "-n", "4", "--bytes", "1 MB", "--json", "c.json",
           "--report", "c.html", "-q"});
  const nlohmann::json row = read_json("c.json").at("rows").at(0);
  const std::string page = read("c.html");
  const double microseconds = row.at("time_ps").get<double>() / 1e6;
  EXPECT_THAT(page, HasSubstr(fmt::format("1 MB takes {:#.4g} us (", microseconds)));
  EXPECT_THAT(page, HasSubstr("What limits 1 MB"));
  EXPECT_EQ(row.at("busiest_links").get<std::string>().empty(),
            page.find("\"busiest links\"") == std::string::npos);
}

TEST_F(CollectiveCommand, NodesAreWhereRanksAre) {
  const auto rows = [this](std::vector<std::string> words) {
    std::vector<std::string> all{"collective", "all-reduce", "-q",     "-p",    "dgx-h100-pod",
                                 "--bytes",    "1 GiB",      "--json", "c.json"};
    all.insert(all.end(), words.begin(), words.end());
    succeed(all);
    return read_json("c.json").at("rows").at(0);
  };
  // 8 GPUs of 8 nodes, a NIC of 384 Gb/s each, which carries 14/8 of the size: 39.1 ms at least.
  const auto spread = rows({"-n", "8", "--map", "spread", "--algorithm", "ring", "--protocol", "simple"});
  EXPECT_GT(spread.at("time_ps"), 39'000'000'000);
  EXPECT_LT(spread.at("time_ps"), 44'000'000'000);
  // NCCL orders GPUs by node, whatever the ranks' numbers.
  write("mixed.txt", "0\n8\n1\n9\n");
  write("in-order.txt", "0\n1\n8\n9\n");
  EXPECT_EQ(rows({"-n", "4", "--map", "mixed.txt"}), rows({"-n", "4", "--map", "in-order.txt"}));
  write("uneven.txt", "0\n8\n1\n2\n");
  EXPECT_THAT(refusal({"all-reduce", "-p", "dgx-h100-pod", "-n", "4", "--map", "uneven.txt"}),
              HasSubstr("not in equal numbers on nodes of 8 GPUs"));
}

TEST_F(CollectiveCommand, RefusesWhatItCantMeasure) {
  EXPECT_THAT(refusal({"allreduce"}),
              HasSubstr("no collective \"allreduce\" (did you mean all-reduce?); choose one of all-reduce,"));
  EXPECT_THAT(refusal({"all-reduce", "--bytes", "0 B"}), HasSubstr("moves nothing"));
  EXPECT_THAT(refusal({"all-reduce", "--algorithm", "bruck"}),
              HasSubstr("no algorithm \"bruck\" for allreduce"));
  EXPECT_THAT(refusal({"all-gather", "--bytes", "8 B"}), HasSubstr("take sizes of 32 B or more"));
  EXPECT_THAT(refusal({"all-reduce", "-p", "hdr-fat-tree", "-n", "1000"}), HasSubstr("500 are needed"));
  EXPECT_THAT(refusal({"all-reduce", "-p", "native"}), HasSubstr("native has no model"));
  EXPECT_THAT(refusal({"all-reduce", "-p", "dgx-h100", "-n", "12"}),
              HasSubstr("12 ranks do not fill nodes of 8 GPUs"));
  EXPECT_THAT(refusal({"all-reduce", "-p", "dgx-h100", "-n", "64"}), HasSubstr("hosts"));
  EXPECT_THAT(refusal({"broadcast", "-p", "dgx-h100", "--algorithm", "tree"}),
              HasSubstr("no algorithm \"tree\" for broadcast"));
  EXPECT_THAT(refusal({"all-reduce", "--protocol", "ll"}), HasSubstr("protocols are NCCL's"));
}

/// Half of the ranks' time and more, less what they wait for each other. What is printed can be run.
TEST_F(CollectiveCommand, RunsOfCollectivesSayHowToCompareAlgorithms) {
  const auto notes = [this](const std::string& name, const std::string& rounds,
                            std::vector<std::string> more) {
    std::vector<std::string> words{"run", "-n", "4", "--map", "cyclic", "--compute", "none"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", program("exchange"), name, "65536", rounds});
    return succeed(words).err;
  };
  const std::vector<std::string> tree{"-p", "hdr-fat-tree", "--set", "network.bandwidth=100 Gb/s"};
  EXPECT_THAT(notes("alltoall", "50", tree),
              AllOf(HasSubstr("note: MPI_Alltoall takes "),
                    HasSubstr("`morgana collective all-to-all -n 4 --map cyclic -p hdr-fat-tree --set "
                              "\"network.bandwidth=100 Gb/s\" --bytes 262144B --algorithm auto,pairwise,"),
                    HasSubstr("--set collectives.alltoall=NAME")));
  EXPECT_THAT(notes("alltoall", "1", tree), Not(HasSubstr("morgana collective")));
  EXPECT_THAT(notes("halo", "50", tree), Not(HasSubstr("morgana collective")));
  EXPECT_THAT(notes("alltoall", "50", {"-p", "hdr-fat-tree", "--set", "collectives.alltoall=pairwise"}),
              Not(HasSubstr("morgana collective")));
  const std::string of_nodes = notes("alltoall", "2000", {"-p", "dgx-h100"});
  const std::size_t begin = of_nodes.find("collective all-to-all"), end = of_nodes.find('`', begin);
  ASSERT_NE(begin, std::string::npos) << of_nodes;
  std::istringstream words(of_nodes.substr(begin, end - begin));
  const std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
  EXPECT_THAT(command, testing::Contains("mpich"));
  EXPECT_THAT(succeed(command).out, HasSubstr("on dgx-h100 by mpich"));
}

// 64 KiB to each of 4 ranks, from each: the bytes that the summary adds up.
TEST_F(MorganaTest, ExampleProgramsReadUnitsOrRefuseThem) {
  const auto exchange = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{"run",       "-n",   "4",  "-p", "ideal",
                                 "--compute", "none", "-q", "--", program("exchange")};
    all.insert(all.end(), words.begin(), words.end());
    return morgana(all);
  };
  for (const char* bytes : {"64KiB", "64 KiB", "65536", "65536 B"})
    EXPECT_THAT(exchange({"alltoall", bytes}).out, HasSubstr("alltoall of 65536 bytes on 4 ranks")) << bytes;
  EXPECT_THAT(exchange({"incast", "2MB"}).out, HasSubstr("incast of 2000000 bytes"));
  for (const char* wrong : {"64X", "1.5KiB", "0", "-1", "4GiB", "", "KiB"}) {
    const FinishedProcess refused = exchange({"alltoall", wrong});
    EXPECT_NE(refused.exit_code, 0) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("BYTES (such as 65536 or 64KiB")) << wrong;
  }
  EXPECT_THAT(exchange({"alltoall", "8", "2x"}).err, HasSubstr("whole numbers"));
  EXPECT_THAT(morgana({"run", "-n", "2", "-p", "ideal", "-q", "--", program("ring"), "2", "4KiB"}).err,
              HasSubstr("usage: ring [ROUNDS] [COUNT]"));
}

TEST_F(MorganaTest, CollectiveSaysWhereMpisAddingCostsNothing) {
  const auto err = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"collective", "all-reduce", "-p",   "dgx-h100", "-n",
                                   "8",          "--bytes",    "1 MB", "--report", "page.html"};
    words.insert(words.end(), more.begin(), more.end());
    return morgana(words).err;
  };
  EXPECT_THAT(err({"--library", "mpich"}), HasSubstr("messages.reduce-per-byte of dgx-h100"));
  EXPECT_THAT(read("page.html"), HasSubstr("adding up costs nothing here"));
  EXPECT_THAT(err({"--library", "openmpi", "--set", "messages.reduce-per-byte=0.01 ns/B"}),
              Not(HasSubstr("costs nothing")));
  EXPECT_THAT(err({}), Not(HasSubstr("costs nothing")));
}

TEST_F(MorganaTest, AMisspeltAlgorithmOfNcclIsAnsweredWithThoseOfTheCollective) {
  const std::string err = morgana({"collective", "all-reduce", "-p", "dgx-h100", "-n", "8", "--bytes", "1 MB",
                                   "--algorithm", "rign"})
                              .err;
  EXPECT_THAT(err,
              HasSubstr("NCCL has no algorithm \"rign\" for all-reduce here; choose \"ring\", \"tree\""));
  EXPECT_THAT(err, Not(HasSubstr("direct\", \"pat\"")));
}

TEST_F(MorganaTest, ThePageOfOneSizeSpeaksOfNoOther) {
  succeed({"collective", "all-reduce", "-p", "dgx-h100", "-n", "8", "--bytes", "1 MB", "--algorithm",
           "ring,tree", "--report", "page.html"});
  EXPECT_THAT(read("page.html"),
              testing::ContainsRegex("Of those compared (ring|tree) is the fastest\\. 1 MB"));
}

}  // namespace
}  // namespace morgana::test
