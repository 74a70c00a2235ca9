#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace morgana::mpi::emulated {

enum class LetterKind : std::uint32_t {
  tagged,
  wants_receipt,  ///< tagged, and its sender waits until it has been received
  receipt,
  active,              ///< for a handler
  active_with_header,  ///< for a handler that is given a header and data: with_header (ucp_data.h)
};

struct LetterHead {
  LetterKind kind;
  std::int32_t from;
  std::uint64_t tag;     ///< the handler's number if it is for one
  std::uint64_t number;  ///< its sender's, which the receipt repeats
  std::uint64_t length;
};

struct Letter {
  LetterHead head;
  std::vector<std::byte> data;
};

/// Carries what the ranks' MPICH have to tell each other while the run is emulated: agreeing on
/// communicators, windows and files. A datagram socket for each rank, whose address follows from the rank, so
/// without connections between ranks. Letters of one sender to one rank arrive in order and once;
/// those to a rank that is gone are dropped. No rank that does not empty its box holds up letters to others.
class LetterBox {
 public:
  /// @param run  names the run on this machine
  /// @throws Error if the system has no socket for it
  LetterBox(const std::string& run, int rank);
  ~LetterBox();
  LetterBox(const LetterBox&) = delete;
  LetterBox& operator=(const LetterBox&) = delete;

  int rank() const { return rank_; }
  /// @param sender  what push() says once all of it has left
  /// @return whether all of it has left
  bool send(int to, LetterHead head, std::vector<std::byte> data, void* sender);
  /// Goes on sending. @return the senders of what has left
  std::vector<void*> push();
  bool has_to_push() const { return !blocked_.empty(); }
  bool has_to_push(int to) const { return blocked_.contains(to); }
  /// How often to check whether something can be pushed, where no event reports it.
  static constexpr std::chrono::microseconds unseen_blocked{500};
  /// All that has come whole, in the order in which it has.
  std::vector<Letter> receive();
  /// Sleeps until something arrives, something can be pushed, or the time is over.
  void await(std::chrono::microseconds longest) const;
  /// Sleeps until something arrives, or the time is over. For any thread, whatever others do meanwhile.
  void await_arrival(std::chrono::microseconds longest) const;

 private:
  struct Leaving {
    LetterHead head;
    std::vector<std::byte> data;
    std::size_t left = 0;
    bool has_begun = false;
    void* sender = nullptr;
  };
  /// A rank whose box is full, or for which this one's socket has no more space. It gets a socket of its own,
  /// connected with it: the system reports when that can be written to again, and its letters fill up no
  /// other's space. All reach the same queue, so that they stay in order.
  struct Blocked {
    int socket = -1;  ///< none if the system had none
    std::deque<Leaving> letters;
  };

  int connected_with(int to) const;
  /// @return whether all of it has left
  bool leave(int to, int socket, Leaving& letter) const;
  void take_part(std::span<const std::byte> datagram, std::vector<Letter>& complete);

  std::string run_;
  int rank_;
  int socket_;
  std::map<int, Blocked> blocked_;
  std::map<int, Letter> arriving_;  ///< by sender: what has not come whole
  std::vector<std::byte> datagram_;
};

}  // namespace morgana::mpi::emulated
