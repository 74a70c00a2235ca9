#pragma once

#include <string>
#include <vector>

namespace morgana {

/// A measured time of a message.
struct MeasuredTime {
  double bytes = 0;
  double us = 0;
  /// Of a stream: nonblocking messages from one receipt of the receiver to the next (osu_bw: 64); 0: blocking
  /// ones, without receipts.
  double window = 0;
};

/// What is known of messages between two processes, each by rising size; any may be empty but the first.
struct MeasuredTimes {
  std::vector<MeasuredTime> latency;  ///< half a round trip
  std::vector<MeasuredTime> stream;   ///< from one message to the next of many
  std::vector<MeasuredTime> send;     ///< in the call that starts a send
  std::vector<MeasuredTime> receive;  ///< in the call that receives what has come
  std::vector<std::string> origins;   ///< "np.out (NetPIPE)"
  std::vector<std::string> notes;     ///< sentences: what of the tables was left out

  bool has_calls() const { return !send.empty() && !receive.empty(); }
};

/// Adds what a file holds: NetPIPE's output file (bytes, Mb/s of 2^20 bits, seconds) or what NetPIPE prints;
/// tables of osu_latency and osu_bw, of IMB's PingPong and Uniband; or the output of Morgana's
/// network.measure. Sizes below 1 byte are left out, as are other lines than those of a table.
/// @throws Error naming file and line, or what the file holds instead, such as OSU's or IMB's collectives
void add_measured_times(MeasuredTimes& times, const std::string& file, const std::string& named_by = {});
/// Adds what a text holds that is one of the tables which add_measured_times() reads from files.
/// @param origin  where the text comes from, for errors and reports
void add_measured_text(MeasuredTimes& times, const std::string& text, const std::string& origin);

}  // namespace morgana
