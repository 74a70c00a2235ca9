#include "pvmshim/mpi/emulate/ucx/ucp_worker.h"

#include <algorithm>
#include <utility>

#include "pvmshim/mpi/emulate/ucx/ucp_data.h"

namespace morgana::mpi::emulated {
namespace {

constexpr std::size_t before_area = 16;  // keeps the area aligned

void* user_data_in(const ucp_request_param_t& how) {
  return (how.op_attr_mask & UCP_OP_ATTR_FIELD_USER_DATA) != 0 ? how.user_data : nullptr;
}

bool has_callback(const ucp_request_param_t& how) {
  return (how.op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK) != 0;
}

/// A request in the caller's memory would need room before it whose size only UCX tells, and nobody has
/// asked.
bool brings_request(const ucp_request_param_t& how) {
  return (how.op_attr_mask & UCP_OP_ATTR_FIELD_REQUEST) != 0;
}

void* refused_request() {
  return UCS_STATUS_PTR(UCS_ERR_INVALID_PARAM);
}

bool matches(ucp_tag_t tag, ucp_tag_t mask, const Letter& letter) {
  return ((tag ^ letter.head.tag) & mask) == 0;
}

}  // namespace

UcpRequest& UcpRequest::of(void* area) {
  return **reinterpret_cast<UcpRequest**>(static_cast<std::byte*>(area) - before_area);
}

void* UcpRequest::area() const {
  return memory_.get() + before_area;
}

UcpWorker::UcpWorker(const ucp_params_t& parameters, const std::string& run, int rank)
    : request_size_((parameters.field_mask & UCP_PARAM_FIELD_REQUEST_SIZE) != 0 ? parameters.request_size
                                                                                : 0),
      request_init_((parameters.field_mask & UCP_PARAM_FIELD_REQUEST_INIT) != 0 ? parameters.request_init
                                                                                : nullptr),
      box_(run, rank) {}

UcpRequest& UcpWorker::new_request() {
  auto fresh = std::make_unique<UcpRequest>();
  UcpRequest& request = *fresh;
  request.memory_ = std::make_unique<std::byte[]>(before_area + request_size_);
  *reinterpret_cast<UcpRequest**>(request.memory_.get()) = &request;
  if (request_init_ != nullptr) request_init_(request.area());
  requests_.emplace(&request, std::move(fresh));
  return request;
}

UcpRequest& UcpWorker::new_send(const ucp_request_param_t& how) {
  UcpRequest& request = new_request();
  if (has_callback(how))
    request.tell_ = [&request, callback = how.cb.send, user_data = user_data_in(how)](ucs_status_t status) {
      callback(request.area(), status, user_data);
    };
  return request;
}

void* UcpWorker::finish_sent(UcpRequest& request, const ucp_request_param_t& how) {
  if ((how.op_attr_mask & UCP_OP_ATTR_FLAG_NO_IMM_CMPL) == 0) {
    requests_.erase(&request);
    return nullptr;
  }
  complete_later(request, UCS_OK);
  return request.area();
}

void* UcpWorker::send(int to, LetterKind kind, std::uint64_t tag, std::vector<std::byte> data,
                      const ucp_request_param_t& how) {
  if (brings_request(how)) return refused_request();
  const LetterHead head{kind, rank(), tag, ++sent_, data.size()};
  const bool wants_receipt = kind == LetterKind::wants_receipt;
  UcpRequest& request = new_send(how);
  if (wants_receipt) awaiting_receipt_[head.number] = &request;
  bool has_left = true;
  if (to == rank())
    arrived_.push_back({head, std::move(data)});
  else
    has_left = box_.send(to, head, std::move(data), wants_receipt ? nullptr : &request);
  if (wants_receipt || !has_left) return request.area();
  return finish_sent(request, how);
}

void* UcpWorker::send_to_nobody(const ucp_request_param_t& how) {
  if (brings_request(how)) return refused_request();
  return finish_sent(new_send(how), how);
}

UcpRequest& UcpWorker::new_receive(void* buffer, std::size_t count, const ucp_request_param_t& how) {
  UcpRequest& request = new_request();
  request.buffer_ = buffer;
  request.count_ = count;
  request.type_ = datatype_in(how);
  if (has_callback(how))
    request.tell_ = [&request, callback = how.cb.recv, user_data = user_data_in(how)](ucs_status_t status) {
      callback(request.area(), status, &request.info_, user_data);
    };
  return request;
}

void* UcpWorker::receive(void* buffer, std::size_t count, ucp_tag_t tag, ucp_tag_t mask,
                         const ucp_request_param_t& how) {
  if (brings_request(how)) return refused_request();
  UcpRequest& request = new_receive(buffer, count, how);
  request.tag_ = tag;
  request.mask_ = mask;
  const auto found = std::find_if(unexpected_.begin(), unexpected_.end(),
                                  [&](const Letter& letter) { return matches(tag, mask, letter); });
  if (found == unexpected_.end()) {
    posted_.push_back(&request);
  } else {
    deliver(*found, request);
    unexpected_.erase(found);
  }
  return request.area();
}

void* UcpWorker::receive(std::unique_ptr<Letter> found, void* buffer, std::size_t count,
                         const ucp_request_param_t& how) {
  if (brings_request(how)) return refused_request();
  UcpRequest& request = new_receive(buffer, count, how);
  deliver(*found, request);
  return request.area();
}

bool UcpWorker::probe(ucp_tag_t tag, ucp_tag_t mask, std::unique_ptr<Letter>* found,
                      ucp_tag_recv_info_t& info) {
  const auto match = std::find_if(unexpected_.begin(), unexpected_.end(),
                                  [&](const Letter& letter) { return matches(tag, mask, letter); });
  if (match == unexpected_.end()) return false;
  info = {match->head.tag, match->data.size()};
  if (found == nullptr) return true;
  *found = std::make_unique<Letter>(std::move(*match));
  unexpected_.erase(match);
  return true;
}

void UcpWorker::bring(ucp_tag_t tag, std::vector<std::byte> data) {
  const std::size_t length = data.size();
  arrived_.push_back({{LetterKind::tagged, rank(), tag, 0, length}, std::move(data)});
}

void UcpWorker::deliver(const Letter& letter, UcpRequest& request) {
  request.info_ = {letter.head.tag, letter.data.size()};
  complete_later(request, unpack(letter.data, request.buffer_, request.count_, request.type_));
  if (letter.head.kind != LetterKind::wants_receipt) return;
  const LetterHead receipt{LetterKind::receipt, rank(), 0, letter.head.number, 0};
  if (letter.head.from == rank())
    arrived_.push_back({receipt, {}});
  else
    box_.send(letter.head.from, receipt, {}, nullptr);
}

void UcpWorker::take_receipt(const Letter& letter) {
  if (const auto sender = awaiting_receipt_.extract(letter.head.number); !sender.empty())
    complete_later(*sender.mapped(), UCS_OK);
}

// What there is no handler for is dropped, as UCX does.
void UcpWorker::take_active(Letter& letter) {
  const auto found = handlers_.find(letter.head.tag);
  if (found == handlers_.end()) return;
  const Handler handler = found->second;
  if (letter.head.kind == LetterKind::active) {
    if (handler.function != nullptr)
      handler.function(handler.argument, letter.data.data(), letter.data.size(), nullptr, 0);
    return;
  }
  const auto parts = split(letter.data);
  if (handler.with_header == nullptr || !parts) return;
  constexpr ucp_am_recv_param_t all_is_here{};
  std::byte* const data = letter.data.data() + (letter.data.size() - parts->data.size());
  handler.with_header(handler.argument, parts->header.data(), parts->header.size(), data, parts->data.size(),
                      &all_is_here);
}

void UcpWorker::take(Letter letter) {
  if (letter.head.kind == LetterKind::receipt) return take_receipt(letter);
  if (letter.head.kind == LetterKind::active || letter.head.kind == LetterKind::active_with_header)
    return take_active(letter);
  const auto taker = std::find_if(posted_.begin(), posted_.end(), [&](const UcpRequest* request) {
    return matches(request->tag_, request->mask_, letter);
  });
  if (taker == posted_.end()) {
    unexpected_.push_back(std::move(letter));
    return;
  }
  UcpRequest& request = **taker;
  posted_.erase(taker);
  deliver(letter, request);
}

void UcpWorker::cancel(UcpRequest& request) {
  if (std::erase(posted_, &request) > 0) complete_later(request, UCS_ERR_CANCELED);
}

void UcpWorker::release(UcpRequest& request, bool untold) {
  if (request.told_) {
    requests_.erase(&request);
    return;
  }
  request.released_ = true;
  // Where status is known it is being told, by the very function that would go.
  if (untold && request.status_ == UCS_INPROGRESS) request.tell_ = nullptr;
}

bool UcpWorker::has_to_push(int to) const {
  return to == any_rank ? box_.has_to_push() : box_.has_to_push(to);
}

void* UcpWorker::flush(int to, ucp_send_callback_t callback) {
  if (!has_to_push(to)) return nullptr;
  UcpRequest& request = new_request();
  if (callback != nullptr)
    request.tell_ = [&request, callback](ucs_status_t status) { callback(request.area(), status); };
  flushes_.push_back({to, &request});
  return request.area();
}

void UcpWorker::tell(const Completed& completed) {
  UcpRequest& request = *completed.request;
  request.status_ = completed.status;
  if (request.tell_) request.tell_(completed.status);
  request.told_ = true;
  if (request.released_) requests_.erase(&request);
}

void UcpWorker::collect() {
  for (Letter& letter : box_.receive()) arrived_.push_back(std::move(letter));
}

// Whoever is told something may send, receive, and call for progress in turn: each letter and each completion
// is out of its queue before it is looked at, and what comes meanwhile is behind it.
unsigned UcpWorker::progress() {
  unsigned happened = 0;
  collect();
  for (std::size_t left = arrived_.size(); left > 0 && !arrived_.empty(); --left, ++happened) {
    Letter letter = std::move(arrived_.front());
    arrived_.pop_front();
    take(std::move(letter));
  }
  if (box_.has_to_push())
    for (void* sender : box_.push())
      if (sender != nullptr) complete_later(*static_cast<UcpRequest*>(sender), UCS_OK);
  std::erase_if(flushes_, [this](const Flush& flush) {
    if (has_to_push(flush.to)) return false;
    complete_later(*flush.request, UCS_OK);
    return true;
  });
  for (std::size_t left = completed_.size(); left > 0 && !completed_.empty(); --left, ++happened) {
    const Completed completed = completed_.front();
    completed_.pop_front();
    tell(completed);
  }
  return happened;
}

}  // namespace morgana::mpi::emulated
