#include "runs/measured_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "emulator/core/error.h"

namespace morgana {
namespace {

enum class TableForm { unknown, netpipe, osu_latency, osu_bandwidth, ours };

struct TableReader {
  MeasuredTimes& times;
  const std::string& origin;
  TableForm form = TableForm::unknown;
  std::size_t line = 0, rows = 0;

  void put(std::vector<MeasuredTime>& where, double bytes, double us) {
    if (bytes < 1) return;
    if (!(us > 0))
      throw Error(fmt::format("{}:{}: a message of {} bytes can't take {} us; leave the line out", origin,
                              line, bytes, us));
    where.push_back({bytes, us});
    ++rows;
  }

  void read_heading(const std::string& text) {
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

  void read_row(const std::string& text) {
    std::istringstream words(text);
    if (form == TableForm::ours) {
      std::string kind;
      double bytes = 0, us = 0;
      if (!(words >> kind >> bytes >> us)) return;
      if (kind == "latency") put(times.latency, bytes, us);
      if (kind == "stream") put(times.stream, bytes, us);
      if (kind == "send") put(times.send, bytes, us);
      if (kind == "receive") put(times.receive, bytes, us);
      return;
    }
    if (std::istringstream printed(text); read_printed(printed)) return;
    double bytes = 0, second = 0, third = 0;
    if (!(words >> bytes >> second)) return;
    const bool three = static_cast<bool>(words >> third);
    if (form == TableForm::unknown && three) form = TableForm::netpipe;
    constexpr double bits = 8, mega = 1 << 20, us_per_s = 1e6;
    if (form == TableForm::osu_latency) put(times.latency, bytes, second);
    if (form == TableForm::osu_bandwidth && second > 0)
      put(times.stream, bytes, bytes / second);  // MB/s: bytes a us
    // NetPIPE's rate has more digits than its seconds.
    if (form == TableForm::netpipe && three && second > 0)
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
        fmt::format("{}: no table of NetPIPE, osu_latency, osu_bw, network.measure or nccl-tests is in it; "
                    "keep the lines that begin with # of the latter four",
                    origin));
  times.origins.push_back(fmt::format("{} ({})", origin, program_of(reader.form)));
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
