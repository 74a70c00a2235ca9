#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Another transport, over which a message may go by all NICs of its host at once (Shipment::stripes), each
/// of whose parts is a message of that transport. It has departed, is delivered and completes with the last
/// part, and is not streamed. If parts are lost or returned, so is the message, once there is a report of
/// each part. It may overtake others of the same two hosts, and be overtaken. All else is as in the transport
/// below. Source: Liu, Vishnu and Panda, "Building Multirail InfiniBand Clusters: MPI-Level Design and
/// Performance Evaluation", SC 2004 (even striping).
class StripedMessages final : public Transport, private ShipmentListener {
 public:
  /// @param nics  of each host, > 1: host h's NIC i is the transport's host h * nics + i
  StripedMessages(std::unique_ptr<Transport> transport, std::size_t nics);

  void send(const Shipment& shipment) override;
  bool works_on_processors() const override { return transport_->works_on_processors(); }
  SimTime sending_work(Bytes bytes) override { return transport_->sending_work(bytes); }
  ProcessorWork receiving_work() const override { return transport_->receiving_work(); }
  SimTime timer_wait() const override { return transport_->timer_wait(); }
  TransportGuarantees guarantees() const override { return transport_->guarantees(); }
  bool keeps_elements_whole() const override { return transport_->keeps_elements_whole(); }
  bool asks() const override { return transport_->asks(); }
  bool sends_single_units() const override { return transport_->sends_single_units(); }
  bool remote_memory() const override { return transport_->remote_memory(); }
  bool connects_processes() const override { return transport_->connects_processes(); }
  Bytes inline_limit() const override { return transport_->inline_limit(); }
  bool copies_in_kernels() const override { return transport_->copies_in_kernels(); }
  Bytes unit_header() const override { return transport_->unit_header(); }
  std::string how_lost() const override { return how_lost_ ? *how_lost_ : transport_->how_lost(); }
  std::string remedy() const override { return transport_->remedy(); }
  std::vector<CounterTable> counted() const override { return transport_->counted(); }

 private:
  struct Message {
    MessageId id;
    std::size_t parts = 0, departed = 0, ended = 0, completed = 0;
    bool completes = false, is_lost = false;
    std::optional<Outcome> returned;
    std::string how_lost;
  };

  void shipment_departed(MessageId own) override;
  void shipment_delivered(MessageId own) override { ended(own); }
  void shipment_completed(MessageId own) override;
  void shipment_lost(MessageId own) override;
  void shipment_returned(MessageId own, Outcome why) override;
  void ended(MessageId own);
  Message& message(MessageId own) { return messages_[static_cast<std::uint32_t>(own.number >> nic_bits)]; }
  void forget_if_over(MessageId own);

  static constexpr unsigned nic_bits = 8;
  std::unique_ptr<Transport> transport_;
  std::size_t nics_;
  Pool<Message> messages_;               // under way, by the upper bits of their parts' numbers
  std::optional<std::string> how_lost_;  // of the message that is being reported
};

}  // namespace morgana
