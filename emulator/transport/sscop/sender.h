#pragma once

#include <cstdint>
#include <optional>

#include "emulator/core/units.h"
#include "emulator/transport/assured/send_window.h"
#include "emulator/transport/sscop/pdu.h"
#include "emulator/transport/transport.h"

namespace morgana::sscop {

/// What an SD carries: a piece of a message.
struct Piece {
  MessageId message;
  Bytes bytes;
  bool ends;  ///< the message's last
};
using OutgoingSd = assured::OutgoingSd<Piece>;

/// The sending half of a connection: state variables and rules of ITU-T Q.2110, one function for each event.
/// It knows neither time nor network.
class Sender : public assured::SendWindow<Piece, 24> {
 public:
  using SendWindow::SendWindow;

  std::optional<OutgoingSd> next();
  Poll poll();
  using SendWindow::take;
  /// @return whether it fits; else nothing has changed
  bool take(const Stat& stat);

  std::uint32_t vt_pd() const { return vt_pd_; }  ///< SDs since the last POLL

 private:
  std::uint32_t vt_pd_ = 0;
};

}  // namespace morgana::sscop
