#include "report/timeline_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/page_template.h"

namespace morgana {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

SimTime picoseconds(std::int64_t time) {
  return SimTime::from_ps(time);
}

/// Rank 0 computes for 40 ps, sends, and waits at a barrier; rank 1 waits for the message from 20 ps on.
/// Before them a service, whose calls nobody wants to see.
Timeline ranks_by_hand() {
  Timeline timeline;
  timeline.program = "pair";
  timeline.platform = "by-hand";
  timeline.ranks = 3;
  timeline.services = 1;
  timeline.end = picoseconds(100);
  timeline.begins = {picoseconds(0), picoseconds(0), picoseconds(0)};
  timeline.ends = {picoseconds(90), picoseconds(100), picoseconds(95)};
  timeline.names = {"MPI_Send", "MPI_Recv", "MPI_Barrier"};
  timeline.calls = {{Rank{0}, 1, picoseconds(0), picoseconds(90), Bytes(7)},
                    {Rank{1}, 0, picoseconds(40), picoseconds(50), Bytes(1000)},
                    {Rank{1}, 2, picoseconds(60), picoseconds(90), Bytes(0)},
                    {Rank{2}, 1, picoseconds(20), picoseconds(80), Bytes(1000)},
                    {Rank{2}, 2, picoseconds(80), picoseconds(90), Bytes(0)}};
  timeline.messages = {{Rank{1}, Rank{0}, Tag{1}, Bytes(5), picoseconds(1), picoseconds(2)},
                       {Rank{1}, Rank{2}, Tag{6}, Bytes(1000), picoseconds(40), picoseconds(80)}};
  return timeline;
}

/// Of a base64 text, by the definition (RFC 4648, section 4).
template <typename Number>
std::vector<Number> decoded(const nlohmann::json& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, held = 0;
  for (const char digit : text.get<std::string>()) {
    if (digit == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(digit));
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<char>(bits >> (held -= 8) & 0xff));
  }
  std::vector<Number> all(bytes.size() / sizeof(Number));
  std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Number));
  return all;
}

TEST(TimelinePage, HasEveryCallAndMessageOfTheRanks) {
  const nlohmann::json data = page_data(ranks_by_hand(), 1000);
  EXPECT_EQ(data.at("ranks"), 2);
  EXPECT_EQ(data.at("end_ps"), 100);
  EXPECT_THAT(decoded<std::uint32_t>(data.at("calls").at("first")), ElementsAre(0, 2, 4));
  EXPECT_THAT(decoded<double>(data.at("calls").at("begin_ps")), ElementsAre(40, 60, 20, 80));
  EXPECT_THAT(decoded<double>(data.at("calls").at("end_ps")), ElementsAre(50, 90, 80, 90));
  EXPECT_THAT(decoded<std::uint16_t>(data.at("calls").at("name")), ElementsAre(0, 2, 1, 2));
  const nlohmann::json& messages = data.at("messages");
  EXPECT_EQ(data.at("message_count"), 1);
  EXPECT_THAT(decoded<std::uint32_t>(messages.at("from")), ElementsAre(0));
  EXPECT_THAT(decoded<std::uint32_t>(messages.at("to")), ElementsAre(1));
  EXPECT_THAT(decoded<std::int32_t>(messages.at("tag")), ElementsAre(6));
  EXPECT_THAT(decoded<double>(messages.at("sent_ps")), ElementsAre(40));
  EXPECT_THAT(decoded<double>(messages.at("received_ps")), ElementsAre(80));
}

TEST(TimelinePage, SumsUpCallsRanksAndPairs) {
  const nlohmann::json data = page_data(ranks_by_hand(), 1000);
  EXPECT_EQ(data.at("totals"), nlohmann::json::parse(R"([
    {"name": "MPI_Recv", "kind": "point-to-point", "calls": 1, "time_ps": 60, "bytes": 1000},
    {"name": "MPI_Barrier", "kind": "collective", "calls": 2, "time_ps": 40, "bytes": 0},
    {"name": "MPI_Send", "kind": "point-to-point", "calls": 1, "time_ps": 10, "bytes": 1000}])"));
  EXPECT_EQ(data.at("per_rank"), nlohmann::json::parse(R"([
    {"begin_ps": 0, "end_ps": 100, "computing_ps": 60, "calls_ps": 40, "messages": 1, "bytes": 1000},
    {"begin_ps": 0, "end_ps": 95, "computing_ps": 25, "calls_ps": 70, "messages": 0, "bytes": 0}])"));
  EXPECT_THAT(decoded<double>(data.at("matrix").at("bytes")), ElementsAre(0, 1000, 0, 0));
  // 1000 is at least 512, and 40 at least 32.
  EXPECT_EQ(data.at("sizes"), nlohmann::json({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(data.at("latencies_ps"), nlohmann::json({0, 0, 0, 0, 0, 0, 1}));
}

// Two ranks of a deadlock, of which one has been in its call for longer.
TEST(TimelinePage, CallsWithoutAnEndLastUntilThatOfTheRun) {
  Timeline timeline = ranks_by_hand();
  timeline.ends[2] = picoseconds(80);
  timeline.calls.pop_back();
  timeline.calls.back().end = timeline.calls.back().begin;
  timeline.unfinished = {3};
  wait_until_end(timeline);
  const nlohmann::json data = page_data(timeline, 1000);
  EXPECT_THAT(decoded<double>(data.at("calls").at("end_ps")), ElementsAre(50, 90, 100));
  EXPECT_EQ(data.at("per_rank").at(1).at("end_ps"), 100);
  EXPECT_EQ(data.at("per_rank").at(1).at("calls_ps"), 80) << "from 20 to 100";
  EXPECT_EQ(data.at("per_rank").at(1).at("computing_ps"), 20);
}

// As the summary of the run has it: what is before a task's start is not its time.
TEST(TimelinePage, RanksAreNumberedAsInTheTraceAndComputeFromTheirBegin) {
  Timeline timeline = ranks_by_hand();
  timeline.begins = {picoseconds(0), picoseconds(0), picoseconds(15)};
  const nlohmann::json data = page_data(timeline, 1000);
  EXPECT_EQ(data.at("first_rank"), 1);
  EXPECT_EQ(data.at("per_rank").at(1).at("begin_ps"), 15);
  EXPECT_EQ(data.at("per_rank").at(1).at("computing_ps"), 10);
}

// As the summary of the run has it.
TEST(TimelinePage, PollsThatARankAnsweredItselfAreNoComputing) {
  Timeline timeline = ranks_by_hand();
  timeline.polls = {{Rank{2}, 1, picoseconds(0), picoseconds(20), picoseconds(7), 3}};
  const nlohmann::json data = page_data(timeline, 1000);
  EXPECT_EQ(
      data.at("totals").at(0),
      nlohmann::json::parse(
          R"({"name": "MPI_Recv", "kind": "point-to-point", "calls": 4, "time_ps": 67, "bytes": 1000})"));
  EXPECT_EQ(data.at("per_rank").at(1).at("computing_ps"), 18);
  EXPECT_EQ(data.at("per_rank").at(1).at("calls_ps"), 77);
  EXPECT_EQ(data.at("per_rank").at(0).at("computing_ps"), 60);
}

TEST(TimelinePage, ShowsPollsBetweenTheCallsWhereTheyAre) {
  EXPECT_FALSE(page_data(ranks_by_hand(), 1000).at("calls").contains("polls"));
  Timeline timeline = ranks_by_hand();
  timeline.polls = {{Rank{1}, 1, picoseconds(50), picoseconds(60), picoseconds(10), 5},
                    {Rank{2}, 1, picoseconds(0), picoseconds(20), picoseconds(7), 3},
                    {Rank{2}, 1, picoseconds(90), picoseconds(95), picoseconds(4), 0}};
  const nlohmann::json calls = page_data(timeline, 1000).at("calls");
  EXPECT_THAT(decoded<std::uint32_t>(calls.at("first")), ElementsAre(0, 3, 7));
  EXPECT_THAT(decoded<double>(calls.at("begin_ps")), ElementsAre(40, 50, 60, 0, 20, 80, 90));
  EXPECT_THAT(decoded<double>(calls.at("end_ps")), ElementsAre(50, 60, 90, 20, 80, 90, 95));
  EXPECT_THAT(decoded<std::uint16_t>(calls.at("name")), ElementsAre(0, 1, 2, 1, 1, 2, 1));
  EXPECT_THAT(decoded<double>(calls.at("polls")), ElementsAre(0, 5, 0, 3, 0, 0, 0));
  EXPECT_THAT(decoded<double>(calls.at("polling_ps")), ElementsAre(0, 10, 0, 7, 0, 0, 4));
  // They count among the events that a page holds.
  EXPECT_FALSE(page_data(timeline, 6).contains("calls"));
}

TEST(TimelinePage, HasTheCollectivesOfTheRanks) {
  Timeline timeline = ranks_by_hand();
  // Rank 0 comes to the barrier at 60, rank 1 at 80; both leave it at 90. A second one is over at once.
  timeline.collectives = {2, 2};
  timeline.parts = {{0, Rank{1}, picoseconds(60), picoseconds(90)},
                    {0, Rank{2}, picoseconds(80), picoseconds(90)},
                    {1, Rank{1}, picoseconds(90), picoseconds(90)},
                    {1, Rank{2}, picoseconds(90), picoseconds(91)}};
  const nlohmann::json data = page_data(timeline, 1000);
  const nlohmann::json& collectives = data.at("collectives");
  EXPECT_THAT(decoded<std::uint16_t>(collectives.at("names")), ElementsAre(2, 2));
  EXPECT_THAT(decoded<std::uint32_t>(collectives.at("first")), ElementsAre(0, 2, 4));
  EXPECT_THAT(decoded<std::uint32_t>(collectives.at("rank")), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(decoded<double>(collectives.at("begin_ps")), ElementsAre(60, 80, 90, 90));
  EXPECT_THAT(decoded<double>(collectives.at("end_ps")), ElementsAre(90, 90, 90, 91));
  EXPECT_EQ(data.at("collective_totals"), nlohmann::json::parse(R"([{"name": "MPI_Barrier", "collectives": 2,
    "parts": 4, "gathering_ps": 20, "finishing_ps": 11}])"));
  // 5 calls, a message between ranks and 4 parts are 10 events.
  EXPECT_TRUE(page_data(timeline, 10).contains("collectives"));
  EXPECT_FALSE(page_data(timeline, 9).contains("collectives"));
  EXPECT_FALSE(page_data(ranks_by_hand(), 1000).contains("collectives"));
}

TEST(TimelinePage, HasTheCriticalPathOfTheRanks) {
  EXPECT_FALSE(page_data(ranks_by_hand(), 1000).contains("critical_path"));
  CriticalPath path;
  const Actor service{Rank{0}}, sender{Rank{1}}, receiver{Rank{2}};
  const SimTime none;
  path.steps = {
      {service, service, none, picoseconds(1), {}, false},
      {sender, sender, picoseconds(1), picoseconds(42), {picoseconds(39), picoseconds(2)}, false},
      {receiver, sender, picoseconds(42), picoseconds(80), {none, none, none, picoseconds(38)}, true},
      {receiver, receiver, picoseconds(80), picoseconds(80), {}, false}};
  path.times = {picoseconds(39), picoseconds(3), none, picoseconds(38)};
  const nlohmann::json data = page_data(ranks_by_hand(), 1000, &path).at("critical_path");
  EXPECT_EQ(data.at("kinds"),
            nlohmann::json({"computing", "host", "protocol", "network", "retransmission", "waiting"}));
  EXPECT_EQ(data.at("times_ps"), nlohmann::json({39, 3, 0, 38, 0, 0}));
  EXPECT_EQ(data.at("messages"), 1);
  EXPECT_THAT(decoded<std::uint32_t>(data.at("steps").at("from")), ElementsAre(0, 0));
  EXPECT_THAT(decoded<std::uint32_t>(data.at("steps").at("to")), ElementsAre(0, 1));
  EXPECT_THAT(decoded<double>(data.at("steps").at("begin_ps")), ElementsAre(1, 42));
  EXPECT_THAT(decoded<double>(data.at("steps").at("end_ps")), ElementsAre(42, 80));
  EXPECT_THAT(decoded<std::uint8_t>(data.at("steps").at("kind")), ElementsAre(0, 3));
  EXPECT_FALSE(page_data(ranks_by_hand(), 1, &path).at("critical_path").contains("steps"));
}

TEST(TimelinePage, HasTheBusiestLinksWindowByWindow) {
  EXPECT_FALSE(page_data(ranks_by_hand(), 1000).contains("links"));
  LinkHistory history;
  history.window = picoseconds(40);
  history.end = picoseconds(100);
  const LinkEnd host{LinkEnd::Kind::host, 3, 0}, port{LinkEnd::Kind::switch_port, 1, 2};
  history.links = {{host, port, 5, 0.2, 0.1}, {port, host, 0, 0, 0.0}, {host, host, 9, 0.7, 0.0}};
  history.busy = {0.5F, 0, 0, 0, 0, 0, 1, 0.5F, 0.5F};
  history.stopped = {0.25F, 0, 0, 0, 0, 0, 0, 0, 0};
  history.queued.assign(9, SimTime());
  EXPECT_FALSE(page_data(ranks_by_hand(), 1000, nullptr, history).at("links").contains("queued"));
  history.queued[2] = picoseconds(13);
  history.queued[7] = picoseconds(26);
  const nlohmann::json data = page_data(ranks_by_hand(), 1000, nullptr, history).at("links");
  EXPECT_EQ(data.at("count"), 3);
  EXPECT_EQ(data.at("windows"), 3);
  EXPECT_EQ(data.at("window_ps"), 40);
  EXPECT_EQ(data.at("end_ps"), 100);
  EXPECT_EQ(data.at("names"), nlohmann::json({"host 3 to host 3", "host 3 to switch 1 port 2"}));
  EXPECT_EQ(data.at("utilisation"), nlohmann::json({0.7, 0.2}));
  // Of 255, to the nearest.
  EXPECT_THAT(decoded<std::uint8_t>(data.at("busy")), ElementsAre(255, 128, 128, 128, 0, 0));
  EXPECT_THAT(decoded<std::uint8_t>(data.at("stopped")), ElementsAre(0, 0, 0, 64, 0, 0));
  EXPECT_EQ(data.at("longest_queue_ps"), 26);
  EXPECT_THAT(decoded<std::uint16_t>(data.at("queued")), ElementsAre(0, 65535, 0, 0, 0, 32768));
}

TEST(TimelinePage, ShowsFromAfarWhatTakesMostOfTheTime) {
  // By tenths: rank 0 computes to 40, sends to 50, computes to 60, is at the barrier to 90.
  constexpr auto c = ActivityKind::computing, p = ActivityKind::point_to_point, b = ActivityKind::collective;
  EXPECT_THAT(overview_of(ranks_by_hand(), 10),
              ElementsAre(c, c, c, c, p, c, b, b, b, c, c, c, p, p, p, p, p, p, b, c));
  // Rank 0 polls for 25 of its first 40, wherever.
  Timeline polling = ranks_by_hand();
  polling.polls = {{Rank{1}, 1, picoseconds(0), picoseconds(40), picoseconds(25), 5}};
  EXPECT_THAT(overview_of(polling, 10),
              ElementsAre(p, p, p, p, p, c, b, b, b, c, c, c, p, p, p, p, p, p, b, c));
  // By quarters: 15 of the second are computing and 10 the send; the last is 15 of barrier, 10 of computing.
  EXPECT_THAT(overview_of(ranks_by_hand(), 4), ElementsAre(c, c, b, b, c, p, p, c));
}

TEST(TimelinePage, HasWhatCarriedCollectivesBesideTheTracesMessages) {
  const nlohmann::json carried = carried_data({{{0, 1, 8}, {1, 0, 16}, {0, 7, 32}}, {1, 0, 2, 0, 0}}, 2);
  EXPECT_EQ(carried.at("sizes"), nlohmann::json({1, 0, 2}));
  EXPECT_EQ(carried.at("matrix").at("side"), 2);
  // 0, 8, 16, 0 as doubles; rank 7 is none of the page's.
  EXPECT_EQ(carried.at("matrix").at("bytes"), "AAAAAAAAAAAAAAAAAAAgQAAAAAAAADBAAAAAAAAAAAA=");
}

TEST(TimelinePage, HoldsNoMoreEventsThanItIsAskedFor) {
  const nlohmann::json no_messages = page_data(ranks_by_hand(), 5);
  EXPECT_TRUE(no_messages.contains("calls"));
  EXPECT_FALSE(no_messages.contains("messages"));
  const nlohmann::json neither = page_data(ranks_by_hand(), 4);
  EXPECT_FALSE(neither.contains("calls"));
  EXPECT_EQ(neither.at("message_count"), 1);
  EXPECT_EQ(neither.at("notices").size(), 1U);
}

TEST(TimelinePage, KnowsKindsOfCalls) {
  const auto kinds = [](const std::vector<const char*>& names) {
    std::vector<ActivityKind> all;
    for (const char* name : names) all.push_back(kind_of_call(name));
    return all;
  };
  EXPECT_THAT(kinds({"MPI_Send", "MPI_Irecv", "MPI_Sendrecv", "MPI_Start", "MPI_Pready", "pvm_send",
                     "pvm_mcast", "pvm_upkint"}),
              Each(ActivityKind::point_to_point));
  EXPECT_THAT(kinds({"MPI_Wait", "MPI_Testany", "MPI_Iprobe", "MPI_Mprobe", "pvm_probe"}),
              Each(ActivityKind::waiting));
  EXPECT_THAT(kinds({"MPI_Bcast", "MPI_Iallreduce", "MPI_Reduce_scatter", "MPI_Exscan",
                     "MPI_Neighbor_alltoallw", "MPI_Barrier", "pvm_barrier", "pvm_reduce"}),
              Each(ActivityKind::collective));
  EXPECT_THAT(kinds({"MPI_Put", "MPI_Rget", "MPI_Win_fence", "MPI_Fetch_and_op", "MPI_Raccumulate"}),
              Each(ActivityKind::one_sided));
  EXPECT_THAT(kinds({"MPI_Init", "MPI_Finalize", "MPI_Comm_split", "MPI_File_write_all", "MPI_Cancel",
                     "pvm_mytid", "clock"}),
              Each(ActivityKind::other));
}

TEST(TimelinePage, IsOneFileThatLoadsNothingAndThatNoNameBreaks) {
  if (!can_make_pages()) GTEST_SKIP() << "built without node-d3";
  Timeline timeline = ranks_by_hand();
  timeline.program = "</script><script>alert(1)</script><!-- @script@ \xff";
  const std::string page = timeline_page(timeline, 1000);
  for (const char* loaded : {"src=", "href=\"http", "@import", "url(", "<link rel=\"stylesheet"})
    EXPECT_THAT(page.substr(0, page.find("d3js.org")), Not(HasSubstr(loaded))) << loaded;
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t at = page.find(begin) + begin.size();
  const nlohmann::json data = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
  EXPECT_EQ(data.at("program"), "</script><script>alert(1)</script><!-- @script@ \xEF\xBF\xBD");
}

}  // namespace
}  // namespace morgana
