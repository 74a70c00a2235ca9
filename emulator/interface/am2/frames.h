#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/interface/am2/parameters.h"

namespace morgana::am2 {

using EndpointNumber = std::uint32_t;

/// Where an endpoint is. It is unloaded to the host's memory when all of its packets have an ACK or a NACK
/// for their latest copy, and takes nothing in from the moment on at which that was asked for.
enum class Residency : std::uint8_t { resident, unloading, absent, loading };

/// What Frames asks of the NIC whose endpoints it moves, and reports to it.
class FrameUser {
 public:
  /// Whether an endpoint that is to be unloaded may leave its frame now: nothing of it is under way.
  virtual bool is_flushed(EndpointNumber endpoint) const = 0;
  /// An endpoint leaves its frame: what it still wanted to send again goes back into its queues.
  /// @return whether it has something to send
  virtual bool unload(EndpointNumber endpoint) = 0;
  /// An endpoint is resident again.
  virtual void loaded(EndpointNumber endpoint) = 0;

 protected:
  ~FrameUser() = default;
};

/// The frames of a NIC's memory, and the host's segment driver, which moves endpoints into and out of them.
///
/// The driver serves one endpoint at a time, in the order in which they were wanted. Where no frame is free
/// it waits until the endpoint that has been used least recently is unloaded, of those that have had their
/// frame for a while: a packet that had an endpoint loaded was refused, and must find it when the scan sends
/// it again. When the driver's thread comes to that is up to the kernel: at random within the time that a
/// load takes, as hosts that all did it in step could take each other's endpoints away without bound.
class Frames final : private EventHandler {
 public:
  /// @param parameters  must outlive it, like the others
  /// @param driver  random numbers of the segment driver
  Frames(EventQueue& events, const Parameters& parameters, FrameUser& user, RandomStream driver)
      : events_(events), parameters_(parameters), user_(user), driver_(driver) {}

  /// Adds an endpoint, whose number is the next one, from 0. It is resident if a frame is free: it was loaded
  /// when it was made.
  void add();
  Residency residency(EndpointNumber endpoint) const { return endpoints_[endpoint].residency; }
  /// Of an endpoint that is added now.
  Residency residency_of_next() const {
    return used_ < parameters_.frames ? Residency::resident : Residency::absent;
  }
  bool is_resident(EndpointNumber endpoint) const { return residency(endpoint) == Residency::resident; }

  /// An endpoint sends or receives; the one whose last use is the oldest is unloaded first.
  void use(EndpointNumber endpoint) { endpoints_[endpoint].last_use = ++uses_; }
  /// An endpoint has moved a message, so that `evict_every` applies to it.
  void moved(EndpointNumber endpoint) { endpoints_[endpoint].moved = true; }
  /// There is something to send, or to receive: an absent endpoint is loaded.
  void want(EndpointNumber endpoint);
  /// Unloads an endpoint as soon as it is flushed. Nothing if it is not resident.
  void evict(EndpointNumber endpoint);
  /// An endpoint may have become flushed.
  void unload_what_is_flushed();
  /// Something goes on at the NIC: endpoints are evicted at the next multiple of `evict_every`.
  void start_evictions();

  std::uint64_t unloads() const { return unloads_; }

 private:
  struct Endpoint {
    Residency residency = Residency::absent;
    std::uint64_t last_use = 0;
    SimTime stays_until;   // but for evict_every
    bool moved = false;    // a message, since it was loaded
    bool wanted = false;   // while it is unloaded
    bool in_line = false;  // in line_
  };
  enum What : std::uint64_t { eviction_is_due, frame_is_taken, endpoint_is_loaded };

  void handle(std::uint64_t what) override;
  void unload(EndpointNumber endpoint);
  void give();
  void take_one();
  void loaded();

  EventQueue& events_;
  const Parameters& parameters_;
  FrameUser& user_;
  RandomStream driver_;
  std::vector<Endpoint> endpoints_;
  std::int64_t used_ = 0;
  std::uint64_t uses_ = 0;           // of endpoints
  std::deque<EndpointNumber> line_;  // that wait for a frame
  std::vector<EndpointNumber> unloading_;
  std::optional<EndpointNumber> loading_;
  bool taking_one_ = false, evictions_run_ = false;
  std::uint64_t unloads_ = 0;
};

}  // namespace morgana::am2
