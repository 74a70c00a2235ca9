#pragma once

#include <cstdint>

#include "emulator/core/event_queue.h"
#include "emulator/messaging/kernel/kernel_message.h"
#include "emulator/messaging/kernel/push_pull_costs.h"
#include "emulator/messaging/kernel/pushed_buffers.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// Is called, at the simulated time at which it happens, when a kernel has copied within its host.
class HostPushPullListener {
 public:
  /// A message was withdrawn while work on it was in progress. That work is done now.
  virtual void withdrawn_rests(std::uint32_t message) = 0;
  /// The push is in the pushed buffer, and the sender's buffer is free.
  virtual void push_copied(std::uint32_t message) = 0;
  /// All is where it belongs.
  virtual void all_copied(std::uint32_t message) = 0;

 protected:
  ~HostPushPullListener() = default;
};

/// Push-pull messaging within a host: a push to the pushed buffer, if slots are free; the translation of the
/// addresses of what is left; and the copy of all to where it belongs, by the party that comes later. Kernels
/// copy page after page, on the processor of the rank whose call they serve if it has one, and share the
/// host's memory bus. One thing at a time is done for a message (KernelMessage::copying).
class HostPushPull : private EventHandler {
 public:
  /// All of them must outlive this object.
  HostPushPull(Machine& machine, MessengerClient& client, KernelMessageTable& messages,
               const PushPullCosts& costs, PushedBuffers& buffers, HostPushPullListener& listener)
      : machine_(machine),
        client_(client),
        messages_(messages),
        costs_(costs),
        buffers_(buffers),
        listener_(listener) {}

  /// The message's receive is not there. What finds no slots in the pushed buffer is left to be pulled.
  void push(std::uint32_t message);
  /// The message and its receive have met. @param by_sender  its sender copies: the receive was there first
  void copy_all(std::uint32_t message, bool by_sender);

 private:
  enum class Work : std::uint8_t { addressed, copied };

  void handle(std::uint64_t what) override;
  void later(SimTime at, std::uint32_t message, Work work);
  void find_addresses(std::uint32_t message);
  void addressed(std::uint32_t message);
  void copy_piece(std::uint32_t message);
  void piece_copied(std::uint32_t message);
  SimTime work(Rank rank, SimTime cost);

  Machine& machine_;
  MessengerClient& client_;
  KernelMessageTable& messages_;
  const PushPullCosts& costs_;
  PushedBuffers& buffers_;
  HostPushPullListener& listener_;
};

}  // namespace morgana
