#pragma once

#include <cstdint>
#include <memory>

#include "emulator/core/time.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/shared.h"

namespace morgana::rc {

/// What a queue pair knows of the data that its peer sends, and owes to it: CNPs for marked packets, and with
/// windows reports on what has come.
class FlowReceiver {
 public:
  explicit FlowReceiver(QueuePair& pair);

  /// A request or read response has come marked.
  void came_marked();
  /// Its turn at the port for a CNP has come.
  void send_notification();
  /// With windows: a packet of the flow has come.
  void keep_echo(const Header& header);
  /// Its turn at the port for a packet that only reports has come.
  void send_feedback();
  /// Of a report that goes to the network. @return Header::echo
  std::uint32_t take_echo() const;

 private:
  QueuePair& pair_;
  Shared& shared_;
  std::unique_ptr<Echo> newest_;  // of the packets that have come, its place 0: none; null: no windows
  bool owes_feedback_ = false;    // a report of its own is in the line
  SimTime notifies_;              // it sends no CNP before
  bool owes_notification_ = false;
};

}  // namespace morgana::rc
