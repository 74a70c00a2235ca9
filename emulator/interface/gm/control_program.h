#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "emulator/interface/lanai/host_dma.h"
#include "emulator/interface/lanai/processor.h"
#include "emulator/network/myrinet/interface_program.h"

namespace morgana {

class MyrinetNetwork;

/// What a packet is, by the type behind its route. A packet in transit has a type of its own in front of
/// that, which the network's routes stand for (in_transit_mark).
enum class PacketType : std::uint8_t {
  gm,               ///< a message's: acknowledged, and put into the host's memory
  acknowledgement,  ///< of a packet of type gm: made and used up by control programs
  mapping,          ///< for the control program itself
  ip,               ///< put into the host's memory, not acknowledged
};

struct InterfacePacket {
  std::uint64_t id = 0;  ///< the sender's choice; an acknowledgement has that of its packet
  PortId from{}, to{};   ///< different
  PacketType type = PacketType::gm;
  Bytes payload{};
};

/// What an interface's processor and its program cost. The defaults and where each comes from: Myricom's
/// M2L-PCI64A with GM 1.2, docs/experiments.md.
struct ControlProgramParameters {
  SimTime cycle = SimTime::from_ps(15'152);  ///< of the LANai, 66 MHz; > 0
  std::int64_t dispatch = 18;                ///< cycles, > 0
  std::int64_t handler = 67;                 ///< cycles of every handler, >= 0
  std::int64_t type_test = 8;  ///< cycles of a look at a packet's type, which in-transit support asks for
  /// Packets in transit are known: every packet's first four bytes are an event, of the highest priority.
  bool in_transit_support = true;
  /// Recv itself starts sending a packet in transit, if the channel is free; else it raises Start_Send.
  bool recv_starts_sending = true;
  bool acknowledge = true;
  Bytes header{24};                                 ///< of every packet, behind its type
  std::int64_t send_buffers = 2;                    ///< >= 1
  SimTime bus_latency = SimTime::from_ps(780'000);  ///< of a transfer over the PCI bus, >= 0
  BitRate bus_rate{1'056'000'000};                  ///< 132 MB/s

  /// @throws Error naming what is out of range
  void check() const;
};

/// What a control program tells of packets, at the simulated time at which it happens.
class PacketListener {
 public:
  /// All of it is in the memory of its destination's host, and the host can see it; a mapping packet: in the
  /// interface's memory.
  virtual void packet_received(const InterfacePacket& packet) = 0;
  /// The sender's interface has the acknowledgement of its packet.
  virtual void packet_acknowledged(const InterfacePacket& packet) = 0;
  /// The network has lost it: to be sent again by whoever wants it delivered. Not told of acknowledgements.
  virtual void packet_lost(const InterfacePacket& packet) = 0;

 protected:
  ~PacketListener() = default;
};

/// The Myrinet Control Program of one interface. Four state machines share its processor: SDMA and RDMA bring
/// packets from and to the host's memory, Send and Recv from and to the network, and every transfer has a
/// start and a finish event. Source: Flich, López, Malumbres and Duato, "Boosting the Performance of Myrinet
/// Networks", 2002, section 6; of priorities it says only that early_recv_packet's is high. Here what comes
/// from the network precedes what the host wants, and finishes precede starts.
class ControlProgram final : private LanaiHandlers {
 public:
  enum Event : unsigned {
    early_recv_packet,  ///< the first four bytes of a packet have come (with in-transit support)
    finish_recv,
    finish_send,
    finish_rdma,
    finish_sdma,
    start_send,
    start_rdma,
    start_sdma,
  };

  /// What the program has of the network.
  class Sender {
   public:
    /// Programs the send DMA: the packet leaves now.
    virtual void send(const InterfacePacket& packet) = 0;
    virtual void send_on(PacketAtInterface packet) = 0;

   protected:
    ~Sender() = default;
  };

  ControlProgram(EventQueue& events, Sender& sender, PacketListener& listener,
                 const ControlProgramParameters& parameters);

  /// The host has written a send token: the packet lies in its memory.
  void post(const InterfacePacket& packet);

  // The network's side, as it happens.
  void early_received(PacketAtInterface packet, ArrivalKind kind);
  void received(const InterfacePacket& packet);
  void in_transit_received();
  void departed();
  void in_transit_departed(PacketAtInterface packet);

  const LanaiProcessor& processor() const { return processor_; }
  /// In transit, that have waited for the channel or for Start_Send.
  std::uint64_t waited() const { return waited_; }

 private:
  struct Early {
    PacketAtInterface packet;
    ArrivalKind kind;
  };
  std::int64_t begin(unsigned event) override;
  void end(unsigned event) override;
  // Recv.
  void recv_early();
  void recv_finished();
  void accept(const InterfacePacket& packet);
  // Send.
  void send_next();
  void send_finished();
  void start_sending(PacketAtInterface packet);
  void start_sending(const InterfacePacket& packet);
  // RDMA and SDMA.
  void rdma_next();
  void rdma_finished();
  void sdma_next();
  void sdma_finished();

  ControlProgramParameters parameters_;
  Sender& sender_;
  PacketListener& listener_;
  LanaiProcessor processor_;
  PciBus bus_;
  HostDma from_host_, to_host_;

  std::deque<InterfacePacket> tokens_;  // in the host's memory
  std::optional<InterfacePacket> from_host_now_;
  std::deque<InterfacePacket> ready_;  // in send buffers
  std::deque<InterfacePacket> acknowledgements_;
  std::deque<PacketAtInterface> in_transit_;  // waiting for the channel
  bool sending_ = false;                      // as the program knows
  bool sending_from_buffer_ = false;
  std::optional<PacketAtInterface> sending_on_;
  std::int64_t buffers_used_ = 0;
  std::deque<Early> early_;
  std::deque<std::optional<InterfacePacket>> received_;  // nothing: one in transit
  std::deque<InterfacePacket> for_host_;
  std::optional<InterfacePacket> to_host_now_;
  std::uint64_t waited_ = 0;
};

}  // namespace morgana
