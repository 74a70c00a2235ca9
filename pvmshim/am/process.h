#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pvmshim/am/message.h"

/// Peers, handlers and memory of an endpoint.
struct am_endpoint {
  struct Translation {
    en_t name{};
    tag_t tag = AM_NONE;
  };

  std::uint8_t number = 0;
  am_bundle* bundle = nullptr;
  tag_t tag = AM_NONE;
  std::byte* segment = nullptr;
  std::uint64_t length = 0;
  std::map<int, Translation> translations;
  std::map<handler_t, am_handler_fn> handlers;
  am_error_fn on_error = nullptr;  ///< handler 0; null: the default
  int unreplied = 0;               ///< its requests without a reply, whichever endpoint got them
};

struct am_bundle {
  int mask = AM_NOEVENTS;
  bool parallel = false;              ///< AM_PAR
  std::condition_variable semaphore;  ///< of threads that sleep until there is a message for it
};

/// What a handler is given.
struct Token {
  am_endpoint* endpoint;
  en_t source;
  bool may_reply;
};

namespace morgana::am {

/// This process among the others: its endpoints, and its messages, which MPI carries. All of it belongs to
/// the thread that is in a call (monitor.h).
///
/// Of the threads that sleep until there is a message one waits in MPI, receives for all, and wakes whom a
/// message is for; when it has one itself, another one takes its place.
class Process {
 public:
  /// Together with all others.
  Process();
  /// The same. Takes what the others have sent out of the network, unhandled, until the last message of each
  /// of them, which is empty; or this process's own has come back, as the other one can't be reached.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  std::vector<std::unique_ptr<am_bundle>> bundles;
  std::map<std::uint8_t, std::unique_ptr<am_endpoint>> endpoints;  ///< by number
  int numbers_given = 0;
  static thread_local Token* handling;  ///< while the calling thread runs a handler
  bool has_threads = false;             ///< MPI lets several threads call at once

  bool knows(const am_bundle* bundle) const;
  bool knows(const am_endpoint* endpoint) const;

  /// Returns when MPI has the message: the data may change.
  /// @param from  if its bundle is AM_PAR, other threads call while this one waits for that; null: no bundle
  /// @return AM_OK or AM_ERR_NOT_SENT
  int send(const am_endpoint* from, int to, const Message& message, std::span<const std::byte> data);
  /// Handles one message for the bundle, or for an endpoint that is not there. @return whether there was one
  bool poll(am_bundle* bundle);
  /// Until there is one, or what the caller waits for has come with one that another thread has handled.
  void wait_for_message(am_bundle* bundle, const std::function<bool()>& has_come);

 private:
  /// Takes in what comes until MPI has done it, so that two processes may send each other long messages.
  bool finish(MPI_Request& request);
  bool finish_in_thread(MPI_Request& request);
  void collect(const MPI_Status& status);
  bool collect();
  void receive();
  std::deque<ActiveArrival>::iterator first_for(const am_bundle* bundle);
  void handle(ActiveArrival& arrival);
  void handle_returned(const ActiveArrival& arrival, am_endpoint& endpoint);
  int reason_to_refuse(const ActiveArrival& arrival) const;
  void send_back(const ActiveArrival& arrival, int reason);
  void run(ActiveArrival& arrival, am_endpoint& endpoint);

  bool began_mpi_ = false;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 0;
  bool receives_ = false;               // a thread does, for all
  std::deque<am_bundle*> sleeping_;     // for whose messages threads sleep that do not receive
  int ended_ = 0;                       // others that will send nothing more
  std::deque<ActiveArrival> arrivals_;  // that no poll has taken yet
};

/// Null before AM_Init and after AM_Terminate. A program that ends without the latter does not end MPI
/// either, so that nothing may destroy it then.
extern Process* process;

}  // namespace morgana::am
