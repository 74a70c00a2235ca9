#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/transport/tcp/parameters.h"
#include "emulator/transport/tcp/segment.h"

namespace morgana::tcp {

/// The half of an endpoint that takes data in and says what there is to acknowledge.
///
/// Data is in order if it holds the next byte that is expected. It is acknowledged at once if bytes beyond
/// a gap were there before it came, if `acknowledge_every` segments in order have come since the last
/// acknowledgement, this one included, or if no more than `quick_acknowledgements` segments with data have
/// come at all. Otherwise it may wait for `acknowledge_delay`. Data that is not in order is acknowledged at
/// once (RFC 5681, 4.2).
///
/// Marks. With DCTCP's echo (RFC 8257, 3.2): where a segment's mark differs from that of the one before it
/// (at first: none), what is owed is acknowledged first, with the echo of before; then the echo is the new
/// one, and the segment is acknowledged at once. With the classic echo (RFC 3168): it begins with a mark
/// and ends with a segment that says the sender has reduced its window (CWR) and is not marked.
///
/// SACK (RFC 2018, section 4): the ranges beyond the gap, first the one with the segment that came last,
/// the others in the order of what they have reported last. 3 of them with timestamps, 4 without.
/// (Duplicate SACK, RFC 2883, is not part of it.)
///
/// Timestamps (RFC 7323, 4.3): what is echoed is the latest value of the SYN and of the segments that began
/// at or before the last acknowledgement before them.
class Receiver {
 public:
  explicit Receiver(const TcpParameters& parameters) : parameters_(&parameters) {}

  /// What an acknowledgement says.
  struct Acknowledgement {
    Place expected = 0;
    bool echoes_mark = false;
    SimTime echo;
    SackBlocks blocks;
  };
  enum class Due : std::uint8_t { at_once, later };
  /// Data has come. @param before  set to what has to be acknowledged first, if there is something
  Due take(const Segment& segment, bool marked, std::optional<Acknowledgement>& before);
  /// A SYN has come.
  void opened(SimTime value) { echo_ = std::max(echo_, value); }
  /// Of all that has come; nothing is owed from now on. @param with_blocks  data has no space for them
  Acknowledgement acknowledge(bool with_blocks);

  bool owes() const { return owed_ > 0; }
  Place expected() const { return expected_; }

 private:
  void place(Range data);

  const TcpParameters* parameters_;
  Place expected_ = 0;
  Place last_acknowledged_ = 0;  // the acknowledgement number that was sent last
  SimTime echo_;
  std::vector<Range> early_;   // apart from each other, the one that grew last in front
  std::int64_t owed_ = 0;      // segments
  std::int64_t segments_ = 0;  // with data, up to quick_acknowledgements
  bool echoes_mark_ = false;
};

}  // namespace morgana::tcp
