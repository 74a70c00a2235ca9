#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/transport/assured/counters.h"
#include "emulator/transport/ece/engine.h"
#include "emulator/transport/ece/pdu.h"
#include "emulator/transport/pcaal/sender.h"

namespace morgana::ece {

/// The sending half: PC-AAL's sender on two connections, in the mode that the receiver has announced, and the
/// source of monitoring cells. One function for each event of figures 6.6, 6.8, 6.9 and 6.11. It knows no
/// network, and of time what its host's clock shows.
class Sender {
 public:
  /// @param polls   N_POLL
  /// @param first   the number of the first SD
  /// @param credit  SDs that the receiver accepts before its first STAT
  Sender(LatencyEngine engine, std::uint32_t polls, Number first, std::uint32_t credit)
      : engine_(engine), polls_(polls), data_(first, credit) {}

  void append(const pcaal::ElementPiece& piece) { data_.append(piece); }
  bool waits() const { return data_.waits(); }
  /// The next SD that may go. Where: data_take_ordinary(), data_take_backup() of the mode.
  std::optional<pcaal::OutgoingSd> next(SimTime now);

  struct Monitoring {
    Pdu pdu;
    Path path;
  };
  /// Another T_LME has passed. @return the cells to be sent
  std::vector<Monitoring> monitor(SimTime now);

  // @return whether the status fits PC-AAL's state; the mode is its in any case
  bool take(const Stat& stat);
  /// @param late  gets what goes at once over the backup connection (Retransmit3)
  bool take(const Lstat& lstat, std::vector<pcaal::OutgoingSd>& late);
  bool take(const Ustat& ustat);

  LatencyMode mode() const { return mode_; }
  std::uint64_t changes() const { return changes_; }
  bool active() const { return data_.active(); }
  const assured::SenderCounters& counters() const { return data_.counters(); }

 private:
  void enter(LatencyMode mode);
  std::vector<pcaal::OutgoingSd> sent_since(Stamp since);

  // Of the duplicating engine: an SD that took the ordinary connection only.
  struct Single {
    Number ns;
    SimTime at;
  };

  LatencyEngine engine_;
  std::uint32_t polls_;
  pcaal::Sender data_;
  LatencyMode mode_ = LatencyMode::low;
  std::uint32_t since_poll_ = 0;  // monitorings, with the last POLL's
  std::deque<Single> singles_;    // by time; those that are acknowledged may be missing
  std::uint64_t changes_ = 0;     // of the mode
};

}  // namespace morgana::ece
