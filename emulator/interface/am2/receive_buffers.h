#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/core/units.h"
#include "emulator/interface/am2/parameters.h"

namespace morgana::am2 {

/// The link from the network, which a NIC stops where it has no buffer left.
class ReceiveLink {
 public:
  virtual void stop_link(bool stop) = 0;

 protected:
  ~ReceiveLink() = default;
};

/// The buffers of a NIC for packets from the network, each of which holds one longer message, or short ones
/// and ACKs side by side. The NIC does not know the size of what comes next, so that the link goes on only
/// while a whole buffer is left. (docs/decisions/0037, 0056 and 0063)
class ReceiveBuffers {
 public:
  /// @param parameters  must outlive it, like the link
  ReceiveBuffers(const Parameters& parameters, ReceiveLink& link) : parameters_(parameters), link_(link) {}

  /// What a packet with this payload takes.
  Bytes size_of_data(Bytes payload) const {
    return at_least_one(parameters_.header +
                        (parameters_.is_short(payload) ? payload : parameters_.largest_payload));
  }
  /// What an ACK or NACK takes.
  Bytes size_of_control() const { return at_least_one(parameters_.control_size); }

  /// May stop the link. @param size  of a packet that has come
  void take(Bytes size) {
    used_ += size;
    stop_or_start();
  }
  /// May start the link. @param size  as in take()
  void give_back(Bytes size) {
    used_ -= size;
    stop_or_start();
  }
  bool empty() const { return used_ == Bytes(); }

 private:
  static Bytes at_least_one(Bytes size) { return std::max(size, Bytes(1)); }
  void stop_or_start() {
    const std::int64_t buffer = (parameters_.header + parameters_.largest_payload).count();
    const bool full = (used_.count() + buffer - 1) / buffer >= parameters_.receive_buffers;
    if (full != stopped_) link_.stop_link(full);
    stopped_ = full;
  }

  const Parameters& parameters_;
  ReceiveLink& link_;
  Bytes used_;
  bool stopped_ = false;
};

}  // namespace morgana::am2
