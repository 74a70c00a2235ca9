#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/page_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Report : public PageTest {
 protected:
  /// Writes run.html of a ring of two ranks, and run.csv.
  void write_report() {
    succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--trace", "run.otf2", "--", program("ring")});
    succeed({"export", "run.otf2", "--quiet", "--to", "csv", "-o", "run.csv"});
    EXPECT_THAT(
        succeed({"report", "run.otf2", "-o", "run.html"}).err,
        AllOf(HasSubstr("run.html: "), HasSubstr(" calls of 2 ranks, "), HasSubstr("open it in a browser")));
  }
  /// The words of the first line of run.csv that begins so.
  std::vector<std::string> line_of(const std::string& begin) const {
    std::istringstream lines(read("run.csv"));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(begin)) continue;
      std::vector<std::string> words;
      std::istringstream rest(line);
      for (std::string word; std::getline(rest, word, ',');) words.push_back(word);
      return words;
    }
    ADD_FAILURE() << "no line begins with " << begin;
    return std::vector<std::string>(8);
  }
};

TEST_F(Report, ShowsCallsAndMessagesMovesZoomsAndObeysKeys) {
  write_report();
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    const rows = [...document.querySelectorAll('#calls tbody tr')].map(row => row.cells[0].textContent);
    found.calls = rows;
    const {canvas, box, calls, messages, context} = view, draw = () => axis.draw();
    found.drawn = box.dataset.drawn;
    found.ranks = document.querySelectorAll('#ranks tbody tr').length;
    const click = (x, y) => {
      const place = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new MouseEvent('click', {clientX: place.left + x, clientY: place.top + y, bubbles: true}));
      return document.getElementById('life').textContent;
    };
    const key = name => { box.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true})); draw(); };
    found.message = click((axis.visible(messages.sent[0]) + axis.visible(messages.received[0])) / 2,
      (view.middleOf(messages.from[0]) + view.middleOf(messages.to[0])) / 2);
    found.whole = axis.visible.domain();
    for (let i = 0; i < 4; ++i) key('+');
    found.zoomed = axis.visible.domain();
    key('ArrowRight');
    found.moved = axis.visible.domain();
    key('Home');
    found.home = axis.visible.domain();
    const first = calls.first[1];
    found.call = click((axis.visible(calls.begin[first]) + axis.visible(calls.end[first])) / 2, view.rowTop(1) + 1);
    view.tellCall(1, first);
    found.told = document.getElementById('life').textContent;
    key('n');
    found.next = document.getElementById('life').textContent;
    found.pixel = [...context.getImageData(canvas.width / 2, view.middleOf(0) * (window.devicePixelRatio || 1), 1, 1).data];
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("drawn"), "calls");
  EXPECT_EQ(found.at("ranks"), 2);
  EXPECT_THAT(found.at("calls").dump(), HasSubstr("MPI_Recv"));
  // With thousands separators, as the page writes it.
  const auto separated = [](std::string digits) {
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
      digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
  };
  const std::vector<std::string> message = line_of("message,"), call = line_of("call,1,");
  EXPECT_THAT(found.at("message").get<std::string>(),
              AllOf(StartsWith("message"), HasSubstr("rank " + message.at(1)),
                    HasSubstr("(" + separated(message.at(3)) + " ps)"),
                    HasSubstr("(" + separated(message.at(4)) + " ps)")));
  EXPECT_THAT(found.at("told").get<std::string>(),
              AllOf(StartsWith(call.at(2)), HasSubstr("(" + separated(call.at(4)) + " ps)")));
  EXPECT_NE(found.at("next"), found.at("told"));
  const auto span = [&](const char* name) {
    return found.at(name).at(1).get<double>() - found.at(name).at(0).get<double>();
  };
  EXPECT_LT(span("zoomed"), 0.2 * span("whole"));
  EXPECT_GT(found.at("moved").at(0), found.at("zoomed").at(0));
  EXPECT_NEAR(span("moved"), span("zoomed"), 1e-6 * span("whole"));
  EXPECT_EQ(found.at("home"), found.at("whole"));
}

TEST_F(Report, DrawsTheCriticalPathOverTheTimeline) {
  succeed({"run", "-n", "2", "--compute", "none", "--report", "run.html", "--json", "run.json",
           "--critical-path", "--", program("ring")});
  const nlohmann::json run = nlohmann::json::parse(read("run.json"));
  EXPECT_EQ(run.at("critical_path").at("total_ps"), run.at("simulated_time_ps"));
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    const {path, context} = view, visible = axis.visible, draw = () => axis.draw();
    found.facts = document.getElementById('pathfacts').textContent;
    found.rows = [...document.querySelectorAll('#path tbody tr')].map(row => row.cells[0].textContent);
    found.begin = path.begin[0];
    found.end = path.end[path.end.length - 1];
    let gaps = 0;
    for (let i = 1; i < path.end.length; ++i) gaps += path.begin[i] !== path.end[i - 1];
    found.gaps = gaps;
    const ratio = window.devicePixelRatio || 1, last = path.end.length - 1;
    const at = () => [...context.getImageData(ratio * visible((path.begin[last] + path.end[last]) / 2),
      ratio * (view.middleOf(path.from[last]) + view.middleOf(path.to[last])) / 2, 1, 1).data].slice(0, 3).join();
    draw();
    found.drawn = at();
    view.showsPath = false;
    draw();
    found.hidden = at();
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_THAT(found.at("facts").get<std::string>(),
              HasSubstr("through " + run.at("critical_path").at("messages").dump() + " message"));
  EXPECT_EQ(found.at("rows"),
            nlohmann::json({"computing", "host", "protocol", "network", "retransmission", "waiting"}));
  EXPECT_EQ(found.at("begin"), 0);
  EXPECT_EQ(found.at("end"), run.at("simulated_time_ps"));
  EXPECT_EQ(found.at("gaps"), 0);
  EXPECT_EQ(found.at("drawn"), "224,0,77") << "--path of style.css, in light";
  EXPECT_NE(found.at("hidden"), found.at("drawn"));
}

TEST_F(Report, DrawsTheLinksUnderTheTimeline) {
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  succeed({"run", "-n", "2", "--compute", "none", "--platform", "myrinet-ud", "--quiet", "--report",
           "run.html", "--", program("ring")});
  const nlohmann::json found = in_browser(R"(
    found.hidden = document.getElementById('network').hidden;
    found.values = [...document.querySelectorAll('#linkvalue option')].map(option => option.value);
    const {linkHeight, values} = linkViews[0], draw = () => axis.draw();
    found.names = data.links.names;
    const shares = [...values.busy].slice(0, data.links.windows), at = shares.indexOf(Math.max(...shares));
    draw();
    const ratio = window.devicePixelRatio || 1, length = data.links.window_ps;
    const pixel = ps => [...linkViews[0].brush.getImageData(ratio * axis.visible(ps), ratio * linkHeight / 2, 1, 1).data].slice(0, 3).join();
    found.most = shares[at];
    axis.showAll();
    axis.first().call(axis.zoom.scaleTo, 20);
    axis.first().call(axis.zoom.translateTo, axis.time((at + 0.5) * length), 0);
    draw();
    found.busy = pixel((at + 0.5) * length);
    found.panel = d3.rgb(colour('panel')).toString();
    linkViews[0].tellLink(axis.visible((at + 0.5) * length), 1);
    found.told = document.getElementById('linkfacts').textContent;
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("hidden"), false);
  EXPECT_EQ(found.at("values"), nlohmann::json({"busy", "stopped"}));
  EXPECT_GT(found.at("most"), 0);
  EXPECT_NE("rgb(" + found.at("busy").get<std::string>() + ")", found.at("panel").get<std::string>());
  EXPECT_THAT(found.at("told").get<std::string>(),
              AllOf(StartsWith(found.at("names").at(0).get<std::string>() + ": busy "),
                    HasSubstr(", stopped "), HasSubstr(" of the whole run")));
}

TEST_F(Report, DrawsWhatIsQueuedForALink) {
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  // Three ranks send to one at once, whose link takes them one after the other.
  succeed({"run", "-n", "4", "--compute", "none", "--platform", "fast-ethernet", "--quiet", "--report",
           "run.html", "--", program("alltoalls")});
  const nlohmann::json found = in_browser(R"(
    found.values = [...document.querySelectorAll('#linkvalue option')].map(option => option.value);
    const {values, linkHeight} = linkViews[0], all = [...values.queued], at = all.indexOf(Math.max(...all));
    const link = Math.floor(at / data.links.windows), window_ = at % data.links.windows;
    found.most = all[at];
    linkViews[0].shown = 'queued';
    axis.draw();
    const middle = (window_ + 0.5) * data.links.window_ps;
    linkViews[0].tellLink(axis.visible(middle), (link + 0.5) * linkHeight);
    found.told = document.getElementById('linkfacts').textContent;
    found.longest = timeText(data.links.longest_queue_ps);
    const image = linkViews[0].pictureOfLinks().getContext('2d').getImageData(window_, link, 1, 1).data;
    found.drawn = `rgb(${image[0]}, ${image[1]}, ${image[2]})`;
    found.fullest = d3.rgb(colour('busy')).toString();
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("values"), nlohmann::json({"busy", "queued"}));
  EXPECT_EQ(found.at("most"), 65535);
  EXPECT_THAT(found.at("told").get<std::string>(),
              HasSubstr("with " + found.at("longest").get<std::string>() + " of sending queued at the end"));
  EXPECT_EQ(found.at("drawn"), found.at("fullest"));
}

TEST_F(Report, IsDrawnByTheRunThatItIsAbout) {
  succeed({"run", "-n", "2", "--quiet", "--report", "run.html", "--", program("ring")});
  EXPECT_THAT(read("run.html"), HasSubstr(R"("platform":"hdr-fat-tree")"));
  succeed({"run", "-n", "2", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  succeed({"replay", "run.otf2", "-p", "fast-ethernet", "--quiet", "--report", "replay.html"});
  EXPECT_THAT(read("replay.html"), HasSubstr(R"("platform":"fast-ethernet")"));
  succeed({"run", "-n", "2", "-p", "native", "--quiet", "--report", "native.html", "--", program("ring")});
  EXPECT_THAT(read("native.html"), HasSubstr("MPI_Init"));
}

TEST_F(Report, IsNamedByEveryCommandThatWritesOne) {
  succeed({"run", "-n", "2", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  const std::vector<std::vector<std::string>> commands{
      {"replay", "run.otf2"},
      {"compare", "run.otf2", "--platforms", "ideal"},
      {"sweep", "run.otf2", "--over", "network.latency=1,2 us"},
      {"traffic", "--load", "0.01", "--messages", "100"},
      {"reproduce", "pipelines", "--rows", "P-01", "--quick"},
      {"report", "run.otf2", "-o", "page.html"}};
  for (std::vector<std::string> words : commands) {
    if (words.front() != "report") words.insert(words.end(), {"--report", "page.html"});
    EXPECT_THAT(morgana(words).err, AllOf(HasSubstr("page.html: "), HasSubstr("; open it in a browser")))
        << words.front();
    words.emplace_back("--quiet");
    EXPECT_THAT(morgana(words).err, testing::Not(HasSubstr("page.html"))) << words.front();
  }
}

TEST_F(Report, ShowsWhatCameBeforeADeadlock) {
  const FinishedProcess stuck =
      morgana({"run", "-n", "2", "--compute", "none", "--report", "stuck.html", "--", program("deadlock")});
  EXPECT_EQ(stuck.exit_code, 3);
  EXPECT_THAT(stuck.err, testing::Not(HasSubstr("run.otf2"))) << "nobody has asked for a trace";
  EXPECT_THAT(read("stuck.html"), HasSubstr("MPI_Recv"));
  EXPECT_THAT(
      read("stuck.html"),
      HasSubstr("{\"label\":\"cycle\",\"text\":\"rank 0 (MPI_Recv) waits for rank 1 (MPI_Recv), which "
                "waits for rank 0\"}"));
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.hidden = document.getElementById('deadlock').hidden;
    found.arrows = [...document.querySelectorAll('#cycle line title')].map(one => one.textContent);
    found.legend = document.getElementById('legend').textContent;
    found.unfinished = data.unfinished.map(one => one.rank);
    axis.showAll();
    axis.draw();
    const ratio = window.devicePixelRatio || 1, [, end] = axis.time.domain(), middle = view.middleOf(1), wanted = d3.rgb(colour('waiting'));
    const row = view.context.getImageData(ratio * (axis.visible(end) - 40), ratio * middle, 30 * ratio, 1).data;
    const near = at => Math.abs(row[at] - wanted.r) + Math.abs(row[at + 1] - wanted.g) + Math.abs(row[at + 2] - wanted.b) < 60;
    const pixels = d3.range(0, row.length, 4);
    found.hatched = pixels.filter(near).length;
    found.between = pixels.filter(at => !near(at)).length;
  )",
                                          "stuck.html");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("hidden"), false);
  EXPECT_EQ(found.at("arrows"),
            nlohmann::json({"rank 0 waits in MPI_Recv for rank 1", "rank 1 waits in MPI_Recv for rank 0"}));
  EXPECT_EQ(found.at("unfinished"), nlohmann::json({0, 1}));
  // Calls that wait, not the waiting that the summary counts, which is in all kinds of calls.
  EXPECT_THAT(found.at("legend").get<std::string>(), HasSubstr("waits, tests and probes"));
  EXPECT_THAT(found.at("legend").get<std::string>(), HasSubstr("has not ended"));
  EXPECT_GT(found.at("hatched"), 3);
  EXPECT_GT(found.at("between"), 3);
}

// A message of 100,000 bytes lies between 64 and 128 KiB, and marks stand at the edges.
TEST_F(Report, MarksTheEdgesOfHistograms) {
  succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--report", "run.html", "--",
           program("exchange"), "permutation", "100000"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.marks = [...document.querySelectorAll('#sizes .tick text')].map(one => one.textContent).filter(text => text.includes('KiB'));
    const last = [...document.querySelectorAll('#sizes rect.bar')].at(-1), bar = last.getBBox();
    const ticks = [...document.querySelectorAll('#sizes .tick')].filter(one => one.textContent.includes('KiB'));
    found.at = ticks.map(one => +one.getAttribute('transform').match(/\(([\d.]+)/)[1]);
    found.bar = [bar.x, bar.x + bar.width];
    found.told = last.querySelector('title').textContent;
    found.told_first = document.querySelector('#sizes rect.bar title').textContent;
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  // The barriers' messages have no bytes.
  EXPECT_EQ(found.at("marks"), nlohmann::json({"2 KiB", "16 KiB", "128 KiB"}));
  EXPECT_EQ(found.at("told"), "2 of 64 KiB or more, below 128 KiB");
  EXPECT_THAT(found.at("told_first").get<std::string>(), testing::EndsWith("of 0 B or more, below 1 B"));
  const double at_16 = found.at("at").at(1), at_128 = found.at("at").at(2);
  EXPECT_NEAR(found.at("bar").at(0).get<double>(), at_16 + (at_128 - at_16) * 2 / 3, 2) << "64 KiB";
  EXPECT_NEAR(found.at("bar").at(1).get<double>(), at_128, 2);
}

// 4 workers get one message of all and one of their own, and answer: 12 messages. What pvm_spawn tells them
// of each other is none of them.
TEST_F(Report, CountsAndNumbersPvmsTasksAsSummaryAndStatisticsDo) {
  const FinishedProcess run =
      morgana({"run", "-n", "5", "--platform", "fast-ethernet", "--compute", "none", "--trace", "run.otf2",
               "--report", "run.html", "--json", "run.json", "--", program("pvm_farm")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("pvm_spawn could not start /no/such/worker: No such file or directory"));
  EXPECT_THAT(run.out, Not(HasSubstr("unknown")));
  const nlohmann::json result = read_json("run.json");
  EXPECT_EQ(result.at("total").at("messages_sent"), 12);
  EXPECT_EQ(result.at("total").at("messages_received"), 12);
  EXPECT_EQ(result.at("latency").at("messages"), 12);
  EXPECT_EQ(result.at("hosts").at("messages_within").get<int>() +
                result.at("hosts").at("messages_between").get<int>(),
            12);
  const FinishedProcess stats = succeed({"stats", "run.otf2", "--json", "stats.json"});
  EXPECT_THAT(stats.err, Not(HasSubstr("never received")));
  EXPECT_EQ(read_json("stats.json").at("messages"), 12);
  const nlohmann::json data = data_of("run.html");
  EXPECT_EQ(data.at("message_count"), 12);
  EXPECT_EQ(data.at("first_rank"), 1);
  for (std::size_t rank = 0; rank < 5; ++rank) {
    const nlohmann::json &there = data.at("per_rank").at(rank), &here = result.at("per_rank").at(rank);
    EXPECT_EQ(there.at("begin_ps"), here.at("begin_ps")) << rank;
    EXPECT_EQ(there.at("computing_ps"), here.at("compute_ps")) << rank;
    EXPECT_EQ(there.at("messages"), here.at("messages_sent")) << rank;
  }
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.ranks = [...document.querySelectorAll('#ranks tbody tr')].map(row => row.cells[0].textContent);
    view.tellCall(0, view.calls.first[0]);
    found.told = document.getElementById('life').textContent;
  )");
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("ranks"), nlohmann::json({"1", "2", "3", "4", "5"}));
  EXPECT_THAT(found.at("told").get<std::string>(), HasSubstr("rank1begins"));
}

// The matrix and the sizes are of all messages. A trace alone (`morgana report`) has those point to point; of
// these the sender's call and the receiver's count the bytes: it is one byte to the reader.
TEST_F(Report, ShowsMessagesOfCollectivesOrSaysWhatShareTheyCarry) {
  succeed({"run", "-n", "4", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--report",
           "run.html", "--json", "run.json", "--", program("overlap")});
  double given = 0;
  const nlohmann::json data = data_of("run.html");
  for (const auto& call : data.at("totals"))
    if (call.at("kind") == "collective") given += call.at("bytes").get<double>();
  const double sent = read_json("run.json").at("total").at("bytes_sent").get<double>();
  ASSERT_GT(given, 0);
  ASSERT_GT(sent, 0);
  const nlohmann::json hosts = read_json("run.json").at("hosts");
  std::int64_t counted = 0;
  for (const auto& count : data.at("carried").at("sizes")) counted += count.get<std::int64_t>();
  EXPECT_EQ(counted, hosts.at("messages_within").get<std::int64_t>() +
                         hosts.at("messages_between").get<std::int64_t>());
  EXPECT_GT(counted, data.at("message_count").get<std::int64_t>());
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.all = document.querySelector('#matrix p').textContent;
    found.bytes = d3.sum(numbers(data.carried.matrix.bytes, Float64Array));
    delete data.carried;
    drawMatrix();
    found.matrix = document.querySelector('#matrix p').textContent;
  )");
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_THAT(found.at("all").get<std::string>(), HasSubstr("those that carry out collectives"));
  EXPECT_EQ(found.at("bytes").get<double>(),
            hosts.at("bytes_within").get<double>() + hosts.at("bytes_between").get<double>());
  EXPECT_THAT(found.at("matrix").get<std::string>(),
              HasSubstr(fmt::format("({:.1f} % of the bytes", 100 * given / (given + sent))));
}

TEST_F(Report, SumsUpManyRanksAndSaysWhatTheMatrixLeavesOut) {
  succeed({"run", "-n", "24", "--platform", "hdr-fat-tree", "--compute", "none", "--quiet", "--report",
           "run.html", "--", program("exchange"), "halo", "65536"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.rows = [...document.querySelectorAll('#ranks tbody tr')].map(row => row.cells[0].textContent);
    found.all = document.querySelectorAll('#allranks tbody tr').length;
    delete data.carried;
    drawMatrix();
    found.matrix = document.querySelector('#matrix p').textContent;
    data.totals.push({name: 'MPI_Bcast', kind: 'collective', calls: 1, time_ps: 1, bytes: d3.sum(numbers(data.matrix.bytes, Float64Array))});
    drawMatrix();
    found.with_collectives = document.querySelector('#matrix p').textContent;
    found.ticks = [...document.querySelectorAll('#sizes .tick text')].map(tick => tick.textContent);
    found.scheme = getComputedStyle(document.documentElement).colorScheme;
  )");
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("rows"), nlohmann::json({"least", "mean", "greatest"}));
  EXPECT_EQ(found.at("all"), 24);
  EXPECT_EQ(found.at("matrix"), "point to point");
  EXPECT_THAT(found.at("with_collectives").get<std::string>(),
              HasSubstr("(50.0 % of the bytes that ranks send or give)"));
  EXPECT_THAT(found.at("ticks").dump(), Not(HasSubstr("0k")));
  EXPECT_EQ(found.at("scheme"), "light");
}

TEST_F(Report, OfCollectivesAloneCountsThem) {
  succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--report", "run.html", "--",
           program("exchange"), "alltoall", "1000"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.facts = document.getElementById('facts').textContent;
    found.messages = document.getElementById('messages').hidden;
    found.latencies = document.getElementById('latencies').hidden;
    found.links = linkViews[0] ? linkViews[0].linkHeight / 2 : 6;
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_THAT(found.at("facts").get<std::string>(),
              AllOf(HasSubstr(" collectives"), testing::Not(HasSubstr("point to point"))));
  EXPECT_EQ(found.at("messages"), false) << "those that carry out the collectives are shown";
  EXPECT_EQ(found.at("latencies"), true);
  EXPECT_GE(found.at("links"), 5) << "half of a label of 10 pixels lies above the first link";
}

TEST_F(Report, RefusesWhatItCantReadOrWrite) {
  EXPECT_THAT(morgana({"report", "none.otf2", "-o", "x.html"}).err, HasSubstr("there is no trace none.otf2"));
  succeed({"run", "-n", "2", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  const FinishedProcess unwritten = morgana({"report", "run.otf2", "-o", "no/folder/x.html"});
  EXPECT_EQ(unwritten.exit_code, 2);
  EXPECT_THAT(unwritten.err, HasSubstr("no/folder/x.html"));
}

}  // namespace
}  // namespace morgana::test
