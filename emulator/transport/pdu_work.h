#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/host/host_id.h"

namespace morgana {

/// What a protocol's PDUs cost their hosts. Source: J. Vila i Sallent: A Network Architecture for Supporting
/// Parallel Computing over ATM, 1997, Table 5.3.
struct PduCosts {
  enum class Work : std::uint8_t {
    pipelined,  ///< makes a PDU late, but holds up no other
    occupying,  ///< a host works on one PDU at a time, be it one that goes or one that has come
  };
  Work work = Work::pipelined;
  SimTime per_pdu;         ///< protocol processing, >= 0
  SimTime per_repetition;  ///< in addition, for a PDU that is sent again, >= 0
  SimTime per_arrival;     ///< interrupt processing of a PDU that has come, >= 0
};

/// Works on a protocol's PDUs at all hosts, in the order in which they go and come.
///
/// Where work occupies the host, a PDU that goes is handed to the NIC, and one that has come to the
/// protocol, when the host has done everything that it was given before, and this. Pipelined work makes a PDU
/// late by all of its work, the sender's, too, when it has come: where on its way a PDU is late that holds up
/// no other makes no difference to its receiver, and so it is still the NIC that chooses what
/// goes next. PDUs of one way don't overtake each other.
class PduWork : private EventHandler {
 public:
  /// Who goes on with PDUs, which it knows by their slots.
  class Client {
   public:
    virtual void hand_over(std::uint32_t slot) = 0;  ///< to the NIC
    virtual void take_in(std::uint32_t slot) = 0;    ///< into the receiving half

   protected:
    ~Client() = default;
  };

  PduWork(EventQueue& events, const PduCosts& costs, std::size_t hosts, Client& client)
      : events_(events), costs_(costs), free_(hosts), client_(client) {}

  /// A PDU is to go. Its client is called when the work on it is done: from within, if there is none.
  void send(HostId at, std::uint32_t slot, bool again);
  /// A PDU has come. @param way  a number for each pair of sender and receiver, small
  void receive(HostId at, std::uint32_t way, std::uint32_t slot, bool again);

 private:
  SimTime sending(bool again) const { return costs_.per_pdu + (again ? costs_.per_repetition : SimTime()); }
  SimTime when_done(HostId at, SimTime work);
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  PduCosts costs_;
  std::vector<SimTime> free_;  ///< of each host: when it has done all that occupies it
  std::vector<SimTime> last_;  ///< of each way, pipelined: when the last PDU is there
  Client& client_;
};

}  // namespace morgana
