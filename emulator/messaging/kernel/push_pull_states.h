#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace morgana::push_pull {

/// Where a message's sender stands. A message of which nothing is left to pull needs no request.
enum class Sender : std::uint8_t {
  idle,        ///< its call has not come to the message yet
  registered,  ///< in the send queue, or about to be
  push1,       ///< the first push is on its way to the NIC
  push2,       ///< the second one is
  wait_req,    ///< all is pushed that is to be; the rest waits for the request
  pulling,     ///< the request has come, and the rest is on its way to the NIC
  done,        ///< the sender's buffer is free
};

/// Where a message's receiver stands.
enum class Receiver : std::uint8_t {
  none,      ///< neither the message nor its receive is there
  buffered,  ///< a push has come, and its bytes wait in the pushed buffer
  posted,    ///< a push has come to a receive that was there
  req_sent,  ///< the request for the rest is under way
  pulling,   ///< what is missing is coming, straight to where it belongs
  done,      ///< the message is whole
};

/// In the order of the states.
constexpr std::array<std::string_view, 7> names_of_sender{"idle",     "registered", "push1", "push2",
                                                          "wait_req", "pulling",    "done"};
constexpr std::array<std::string_view, 6> names_of_receiver{"none",     "buffered", "posted",
                                                            "req_sent", "pulling",  "done"};

/// Within a host there is no request: the later party copies.
constexpr bool may_follow(Sender from, Sender to) {
  switch (from) {
    case Sender::idle:
      return to == Sender::registered;
    case Sender::registered:
      return to == Sender::push1 || to == Sender::wait_req || to == Sender::pulling;
    case Sender::push1:
      return to == Sender::push2 || to == Sender::wait_req || to == Sender::done;
    case Sender::push2:
      return to == Sender::wait_req || to == Sender::done;
    case Sender::wait_req:
      return to == Sender::pulling || to == Sender::done;
    case Sender::pulling:
      return to == Sender::done;
    case Sender::done:
      return false;
  }
  return false;
}

constexpr bool may_follow(Receiver from, Receiver to) {
  switch (from) {
    case Receiver::none:
      return to == Receiver::buffered || to == Receiver::posted;
    case Receiver::buffered:
    case Receiver::posted:
      return to == Receiver::req_sent || to == Receiver::pulling || to == Receiver::done;
    case Receiver::req_sent:
      return to == Receiver::pulling;
    case Receiver::pulling:
      return to == Receiver::done;
    case Receiver::done:
      return false;
  }
  return false;
}

[[noreturn, gnu::cold]] void refuse(int from, int to);

/// One party's state, which only ever changes as its list says. A change that it does not know is a fault of
/// Morgana's. @throws std::logic_error
template <class State>
class Progress {
 public:
  State state() const { return state_; }
  bool is(State state) const { return state_ == state; }
  void enter(State next) {
    if (!may_follow(state_, next)) refuse(static_cast<int>(state_), static_cast<int>(next));
    state_ = next;
  }

 private:
  State state_{};
};

}  // namespace morgana::push_pull
