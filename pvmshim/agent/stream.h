#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/silence.h"

namespace morgana {

struct MachineLine;

/// A TCP connection that carries frames. Several threads may send; one receives.
class Stream {
 public:
  /// @param socket  connected; the stream's from now on
  explicit Stream(int socket);
  /// Closes it.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Tries the addresses one after the other, each for `patience` at most.
  /// @param addresses  "ADDRESS" of IPv4 or IPv6, or names of machines
  /// @return the socket. @throws Error if none answers
  static int connect(std::span<const std::string> addresses, std::uint16_t port,
                     std::chrono::milliseconds patience);

  /// Sends at once. After the other end has closed, what is sent is lost; receive() returns false then.
  void send(FrameKind kind, std::int32_t rank = -1, std::span<const std::byte> content = {});
  /// Sends with the next send() or flush().
  void add(FrameKind kind, std::int32_t rank, std::span<const std::byte> content);
  void flush();
  /// Whether anything waits for that.
  bool has_gathered();

  /// Sleeps until a frame has come. @param took_all  called when all whole frames that have come were taken
  /// @return false at the end of the stream. @throws MalformedFrame
  bool receive(Frame& frame, const std::function<void()>& took_all = {});
  /// The same, for so long at most. @param meanwhile  called several times a second
  /// @throws Error when that is over; what `meanwhile` throws
  bool receive_within(Frame& frame, std::chrono::milliseconds patience,
                      const std::function<void()>& meanwhile = {});
  void accept_up_to(std::uint64_t largest) { parser_.accept_up_to(largest); }

  /// The stream ends if the other end takes nothing for so long while this one sends.
  void send_for_at_most(std::chrono::seconds patience);
  /// Ends the stream: receive() returns false at both ends. From any thread.
  void shut();
  /// From now on processes of this machine write to the connection, too, each while it holds the line.
  /// @param is_over  asked several times a second while one of them does: whether not to wait any more
  void share(MachineLine& line, std::function<bool()> is_over);
  /// Calls `write` with the connection, while no other thread or process writes to it; not at all once it is
  /// broken.
  void write(const std::function<void(int socket)>& write);
  /// Nothing more is sent; what was is still received there.
  void finish_sending();
  int descriptor() const { return socket_; }
  /// Whether something has come that receive() has not looked at yet.
  bool has_unread() const;
  /// Whether the other end has closed, and nothing is left that receive() has not looked at.
  bool has_closed() const;
  /// Whether the other end's system has confirmed all that was sent.
  bool is_acknowledged() const;
  /// receive() ends the stream, too, once the other end's machine has not answered for so long
  /// (UnansweredConnection). Before the first receive().
  void watch_other_end();
  /// Whether it has.
  bool is_cut_off() const { return is_cut_off_; }
  /// Of the other end.
  std::string address() const;

 private:
  bool look_at_other_end();
  void write_all(std::span<const std::byte> bytes);
  void with_line(const std::function<void()>& act);

  int socket_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<std::byte> gathered_;
  bool broken_ = false;
  bool is_limited_ = false;  ///< send_for_at_most()
  MachineLine* line_ = nullptr;
  std::function<bool()> is_over_;
  FrameParser parser_{largest_greeting};
  std::optional<UnansweredConnection> other_end_;  ///< with the thread that receives
  std::atomic<bool> is_cut_off_{false};
};

/// Accepts connections on a port that the system chooses, on all addresses of this machine.
class Listener {
 public:
  /// @throws Error
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::uint16_t port() const { return port_; }
  int descriptor() const { return socket_; }
  /// @return a connected socket; nothing if there was no connection by then
  std::optional<int> accept_within(std::chrono::milliseconds patience);

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

/// This machine's addresses as others may reach them, those of the loopback device last.
std::vector<std::string> own_addresses();
/// 32 hexadecimal digits that can't be guessed. @throws Error if the system has none
std::string new_secret();
/// Takes as long wherever they differ.
bool is_same_secret(std::string_view one, std::string_view other);

}  // namespace morgana
