#pragma once

#include <cstdint>

#include "emulator/core/units.h"
#include "emulator/transport/assured/send_window.h"
#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/transport.h"

namespace morgana::pcaal {

/// What an SD carries: whole PC-PDUs of a message.
struct ElementPiece {
  MessageId message;
  Bytes bytes;
  std::uint16_t offset, count;  ///< of PC-PDUs, modulo 2^16
  bool ends;                    ///< the message's last
};
using OutgoingSd = assured::OutgoingSd<ElementPiece>;

/// The sending half of a connection: the flowcharts of figure 5.5 with the state variables' names, one
/// function for each event. It knows neither time nor network.
class Sender : public assured::SendWindow<ElementPiece, 32> {
 public:
  using SendWindow::SendWindow;

  using SendWindow::take;
  /// One cell of a STAT has come. @return whether it fits; else nothing has changed
  bool take(const Stat& stat);
};

}  // namespace morgana::pcaal
