#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/stream.h"

namespace morgana {

/// The streams to the other agents of a run, each of which has one to every other.
class Peers {
 public:
  using Take = std::function<void(std::size_t agent, Frame& frame)>;

  /// Connects to those of lower numbers, and waits for those of higher ones.
  /// @param listener  where those find this agent
  /// @param is_over  asked several times a second whether they need not come any more
  /// @throws Error if one can't be reached, or if it is over; Interrupted
  Peers(const AgentSetup& setup, Listener& listener, const std::string& secret,
        const std::function<bool()>& is_over);
  ~Peers() { end(); }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// @param take  called on a thread of each stream
  /// @param took_all  called there when all that has come was taken
  /// @param lost  called when one ends
  void listen(const Take& take, const std::function<void(std::size_t agent)>& took_all,
              const std::function<void(std::size_t agent)>& lost);
  /// Nothing more is taken.
  void end();

  /// The emulator has the number behind the last agent's.
  void reach_emulator(Stream& emulator) { emulator_ = &emulator; }
  /// @throws MalformedFrame if there is no such machine
  Stream& operator[](std::size_t machine) {
    if (machine < streams_.size()) return *streams_[machine];
    if (machine > streams_.size() || emulator_ == nullptr) throw MalformedFrame("there is no such machine");
    return *emulator_;
  }
  void flush();

 private:
  bool accept(Listener& listener, const std::string& secret, std::uint32_t own);

  std::vector<std::unique_ptr<Stream>> streams_;  ///< by agent; none for this one
  Stream* emulator_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace morgana
