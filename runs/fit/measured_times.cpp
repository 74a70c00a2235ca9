#include "runs/fit/measured_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {
namespace {

enum class TableForm { unknown, netpipe, osu_latency, osu_bandwidth, imb_ping_pong, imb_uniband, ours };

constexpr double window_of_osu = 64;  // messages from one receipt to the next, of IMB's Uniband, too
constexpr double us_per_s = 1e6;

struct TableReader {
  MeasuredTimes& times;
  const std::string& origin;
  TableForm form = TableForm::unknown;
  std::size_t line = 0, rows = 0;
  bool several_pairs = false;   ///< of IMB
  std::set<TableForm> forms{};  ///< of rows

  void put(std::vector<MeasuredTime>& where, double bytes, double us, double window = 0) {
    if (bytes < 1) return;
    if (!(us > 0) || !std::isfinite(us))
      throw Error(fmt::format("{}:{}: a message of {} bytes can't take {} us; leave the line out", origin,
                              line, bytes, us));
    where.push_back({bytes, us, window});
    forms.insert(form);
    ++rows;
  }

  /// @param rate  of messages or bytes  @param us  what a message takes at that rate
  void put_stream(double bytes, double rate, double us) {
    if (bytes >= 1 && !(rate > 0))
      throw Error(fmt::format("{}:{}: messages of {} bytes can't have a rate of {}; leave the line out",
                              origin, line, bytes, rate));
    put(times.stream, bytes, us, window_of_osu);
  }

  /// Also of "nan" and "inf", which put() refuses. @return whether it is a number
  static bool read_number(std::istringstream& words, double& number) {
    std::string word;
    if (!(words >> word)) return false;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
  }

  [[noreturn]] void refuse(const std::string& benchmark) const {
    throw Error(
        fmt::format("{}:{}: {} says nothing of a message between two processes: a fit takes osu_latency "
                    "and osu_bw, IMB's PingPong and Uniband, NetPIPE, network.measure or nccl-tests",
                    origin, line, benchmark));
  }

  /// "# OSU MPI Latency Test v5.6.2", "# OSU MPI-CUDA Bandwidth Test v7.4". Tests of one-sided and other
  /// libraries' messages have other titles: "# OSU MPI_Put Latency Test", "# OSU OpenSHMEM Put Test".
  void read_osu_title(const std::string& text) const {
    constexpr std::string_view osu = "# OSU ", mpi = "# OSU MPI";
    const std::size_t test = text.find(" Test");
    if (!text.starts_with(osu) || test == std::string::npos) return;
    const std::string what = text.substr(osu.size(), test - osu.size());
    const std::size_t name = text.find(' ', mpi.size());
    const bool of_mpi = text.starts_with(mpi) && (text[mpi.size()] == ' ' || text[mpi.size()] == '-');
    const std::string_view measured =
        of_mpi && name < test ? std::string_view(text).substr(name + 1, test - name - 1) : "";
    if (measured != "Latency" && measured != "Bandwidth") refuse("OSU's \"" + what + " Test\"");
  }

  /// "# Benchmarking PingPong "
  void read_imb_title(const std::string& text) {
    constexpr std::string_view imb = "# Benchmarking ";
    if (!text.starts_with(imb)) return;
    const std::string what = text.substr(imb.size(), text.find_last_not_of(" \r") + 1 - imb.size());
    several_pairs = false;
    form = what == "PingPong"  ? TableForm::imb_ping_pong
           : what == "Uniband" ? TableForm::imb_uniband
                               : TableForm::unknown;
    if (form == TableForm::unknown) refuse("IMB's " + what);
  }

  /// "# #processes = 4": two pairs at once, which share the network.
  void read_imb_processes(const std::string& text) {
    constexpr std::string_view processes = "# #processes = ";
    if (!text.starts_with(processes)) return;
    const std::string count =
        text.substr(processes.size(), text.find_last_not_of(" \r") + 1 - processes.size());
    several_pairs = count != "2";
    if (several_pairs)
      times.notes.push_back(
          fmt::format("{}: the table of {} processes is left out: a fit takes one pair's", origin, count));
  }

  void read_heading(const std::string& text) {
    read_osu_title(text);
    read_imb_title(text);
    read_imb_processes(text);
    // "Avg Latency(us)" since version 7.
    if (text.find("Latency (us)") != std::string::npos || text.find("Latency(us)") != std::string::npos)
      form = TableForm::osu_latency;
    else if (text.find("Bandwidth (MB/s)") != std::string::npos || text.find("MB/s") != std::string::npos)
      form = TableForm::osu_bandwidth;
    else if (text.find("network.measure") != std::string::npos)
      form = TableForm::ours;
  }

  /// "  4:       6 bytes     10 times -->      6.54 Mbps in       7.00 usec"
  bool read_printed(std::istringstream& words) {
    std::string number, bytes_word, times_word, arrow, mbps, in, unit;
    double bytes = 0, repeats = 0, rate = 0, us = 0;
    if (!(words >> number >> bytes >> bytes_word >> repeats >> times_word >> arrow >> rate >> mbps >> in >>
          us >> unit) ||
        number.back() != ':' || bytes_word != "bytes" || unit != "usec")
      return false;
    form = TableForm::netpipe;
    put(times.latency, bytes, us);
    return true;
  }

  /// PingPong: bytes, repetitions, us, MB/s; Uniband: bytes, repetitions, MB/s, messages a second
  void read_imb(std::istringstream& words) {
    double bytes = 0, repetitions = 0, third = 0, fourth = 0;
    if (several_pairs || !read_number(words, bytes) || !read_number(words, repetitions) ||
        !read_number(words, third) || !read_number(words, fourth))
      return;
    if (form == TableForm::imb_ping_pong) put(times.latency, bytes, third);
    if (form == TableForm::imb_uniband) put_stream(bytes, fourth, us_per_s / fourth);
  }

  void read_row(const std::string& text) {
    std::istringstream words(text);
    if (form == TableForm::ours) {
      std::string kind;
      double bytes = 0, us = 0;
      if (!(words >> kind) || !read_number(words, bytes) || !read_number(words, us)) return;
      if (kind == "latency") put(times.latency, bytes, us);
      if (kind == "stream") put(times.stream, bytes, us);
      if (kind == "send") put(times.send, bytes, us);
      if (kind == "receive") put(times.receive, bytes, us);
      return;
    }
    if (form == TableForm::imb_ping_pong || form == TableForm::imb_uniband) return read_imb(words);
    if (std::istringstream printed(text); read_printed(printed)) return;
    double bytes = 0, second = 0, third = 0;
    if (!read_number(words, bytes) || !read_number(words, second)) return;
    const bool three = read_number(words, third);
    if (form == TableForm::unknown && three) form = TableForm::netpipe;
    constexpr double bits = 8, mega = 1 << 20;
    if (form == TableForm::osu_latency) put(times.latency, bytes, second);
    if (form == TableForm::osu_bandwidth) put_stream(bytes, second, bytes / second);  // MB/s: bytes a us
    // NetPIPE's rate has more digits than its seconds.
    if (form == TableForm::netpipe && three)
      put(times.latency, bytes, bits * bytes / (second * mega) * us_per_s);
  }
};

const char* program_of(TableForm form) {
  switch (form) {
    case TableForm::netpipe:
      return "NetPIPE";
    case TableForm::osu_latency:
      return "osu_latency";
    case TableForm::osu_bandwidth:
      return "osu_bw";
    case TableForm::imb_ping_pong:
      return "IMB PingPong";
    case TableForm::imb_uniband:
      return "IMB Uniband";
    default:
      return "network.measure";
  }
}

void sort_by_size(std::vector<MeasuredTime>& times) {
  std::stable_sort(times.begin(), times.end(),
                   [](const MeasuredTime& a, const MeasuredTime& b) { return a.bytes < b.bytes; });
}

}  // namespace

void add_measured_text(MeasuredTimes& times, const std::string& text, const std::string& origin) {
  TableReader reader{times, origin};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++reader.line;
    if (line.starts_with('#'))
      reader.read_heading(line);
    else
      reader.read_row(line);
  }
  if (reader.rows == 0)
    throw Error(
        fmt::format("{}: no table of NetPIPE, osu_latency, osu_bw, IMB, network.measure or nccl-tests is in "
                    "it; keep the lines that begin with #, by which all but NetPIPE are recognised",
                    origin));
  std::string programs;
  for (const TableForm form : reader.forms)
    programs += fmt::format("{}{}", programs.empty() ? "" : ", ", program_of(form));
  times.origins.push_back(fmt::format("{} ({})", origin, programs));
  for (auto* each : {&times.latency, &times.stream, &times.send, &times.receive}) sort_by_size(*each);
}

void add_measured_times(MeasuredTimes& times, const std::string& file, const std::string& named_by) {
  std::ifstream input(file, std::ios::binary);
  std::ostringstream text;
  if (!input || !(text << input.rdbuf()))
    throw Error(fmt::format("{}{}{} can't be read, or is empty: name a file with measured times", named_by,
                            named_by.empty() ? "" : ": ", file));
  add_measured_text(times, text.str(), file);
}

}  // namespace morgana
