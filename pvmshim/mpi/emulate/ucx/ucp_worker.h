#pragma once

#include <ucp/api/ucp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "pvmshim/mpi/emulate/ucx/letter_box.h"

namespace morgana::mpi::emulated {

/// What MPICH holds of something under way: it sees the area behind it only.
class UcpRequest {
 public:
  static UcpRequest& of(void* area);

  void* area() const;
  ucs_status_t status() const { return status_; }

 private:
  friend class UcpWorker;

  std::unique_ptr<std::byte[]> memory_;
  ucs_status_t status_ = UCS_INPROGRESS;
  bool told_ = false;
  bool released_ = false;
  std::function<void(ucs_status_t)> tell_;
  // Of one that receives:
  void* buffer_ = nullptr;
  std::size_t count_ = 0;
  ucp_datatype_t type_ = 0;
  ucp_tag_t tag_ = 0, mask_ = 0;
  ucp_tag_recv_info_t info_{};
};

/// The UCX that MPICH finds in an emulated run: it matches what comes in the letter box, tag by tag, as UCX
/// does. It has no connections, hence starting costs a rank the same however many there are. Nothing
/// completes within the call that begins it, except for sends: all others are reported in progress().
class UcpWorker {
 public:
  UcpWorker(const ucp_params_t& parameters, const std::string& run, int rank);

  int rank() const { return box_.rank(); }
  /// @return null if it has left already, and the sender does not wait for more
  void* send(int to, LetterKind kind, std::uint64_t tag, std::vector<std::byte> data,
             const ucp_request_param_t& how);
  /// What goes to no rank has left.
  void* send_to_nobody(const ucp_request_param_t& how);
  void* receive(void* buffer, std::size_t count, ucp_tag_t tag, ucp_tag_t mask,
                const ucp_request_param_t& how);
  /// What probe() has found and taken out.
  void* receive(std::unique_ptr<Letter> found, void* buffer, std::size_t count,
                const ucp_request_param_t& how);
  /// @param found  where what matches goes, if it is to be taken out
  bool probe(ucp_tag_t tag, ucp_tag_t mask, std::unique_ptr<Letter>* found, ucp_tag_recv_info_t& info);
  /// A letter to this rank that no rank has sent.
  void bring(ucp_tag_t tag, std::vector<std::byte> data);
  /// A receive that nothing has matched ends with UCS_ERR_CANCELED; all else takes its course.
  void cancel(UcpRequest& request);
  /// The request goes when it is complete. @param untold  and no callback is called then
  void release(UcpRequest& request, bool untold);
  /// @return null if all letters to `to` (to all ranks: any_rank) have left, else a request that completes
  ///         when they have
  void* flush(int to, ucp_send_callback_t callback);
  static constexpr int any_rank = -1;
  /// Whether letters have not left yet.
  bool has_to_push() const { return box_.has_to_push(); }
  void handle(std::uint64_t id, ucp_am_callback_t handler, void* argument) {
    handlers_[id] = {handler, nullptr, argument};
  }
  /// @param handler  is given header and data apart, and always all of the data at once
  void handle_with_header(std::uint64_t id, ucp_am_recv_callback_t handler, void* argument) {
    handlers_[id] = {nullptr, handler, argument};
  }

  /// @return how much has happened
  unsigned progress();
  void await(std::chrono::microseconds longest) const { box_.await(longest); }
  /// The same while other threads may send and receive.
  void await_arrival(std::chrono::microseconds longest) const { box_.await_arrival(longest); }

 private:
  struct Handler {
    ucp_am_callback_t function = nullptr;
    ucp_am_recv_callback_t with_header = nullptr;
    void* argument = nullptr;
  };
  struct Completed {
    UcpRequest* request;
    ucs_status_t status;
  };
  struct Flush {
    int to;
    UcpRequest* request;
  };

  UcpRequest& new_request();
  UcpRequest& new_send(const ucp_request_param_t& how);
  /// @return what the sender is given
  void* finish_sent(UcpRequest& request, const ucp_request_param_t& how);
  UcpRequest& new_receive(void* buffer, std::size_t count, const ucp_request_param_t& how);
  bool has_to_push(int to) const;
  void collect();
  void take(Letter letter);
  void take_receipt(const Letter& letter);
  void take_active(Letter& letter);
  void deliver(const Letter& letter, UcpRequest& request);
  void complete_later(UcpRequest& request, ucs_status_t status) { completed_.push_back({&request, status}); }
  void tell(const Completed& completed);

  std::size_t request_size_;
  ucp_request_init_callback_t request_init_;
  LetterBox box_;
  std::map<std::uint64_t, Handler> handlers_;
  std::unordered_map<const UcpRequest*, std::unique_ptr<UcpRequest>> requests_;  ///< all that there are
  std::list<UcpRequest*> posted_;
  std::list<Letter> unexpected_;
  std::deque<Letter> arrived_;  ///< not yet looked at, those to this rank itself too
  std::deque<Completed> completed_;
  std::vector<Flush> flushes_;
  std::map<std::uint64_t, UcpRequest*> awaiting_receipt_;
  std::uint64_t sent_ = 0;
};

}  // namespace morgana::mpi::emulated
