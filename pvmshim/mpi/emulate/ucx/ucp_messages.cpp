// UCX's functions as MPICH calls them (ucp_process.cpp): messages and requests.

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pvmshim/clock/live_rank.h"
#include "pvmshim/mpi/emulate/context_agreement.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/emulate/ucx/idle_naps.h"
#include "pvmshim/mpi/emulate/ucx/ucp_calls.h"
#include "pvmshim/mpi/emulate/ucx/ucp_data.h"
#include "pvmshim/mpi/emulate/ucx/unlocked_naps.h"
#include "pvmshim/mpi/mode.h"

namespace morgana::mpi::emulated {
namespace {

using std::chrono::microseconds;

constexpr ucp_request_param_t plain_sending{};

/// All ranks together may wait for one: their looks must not take the processors from it.
microseconds longest_nap() {
  static const microseconds longest = [] {
    const char* ranks = std::getenv("PMI_SIZE");
    return std::max(microseconds(20'000), microseconds(100) * (ranks == nullptr ? 1 : std::atoi(ranks)));
  }();
  return longest;
}

/// After a look at what has come.
std::optional<microseconds> nap_after(bool has_happened) {
  static thread_local IdleNaps naps(longest_nap());
  const LiveRank* const rank = LiveRank::active();
  if (rank != nullptr) naps.begin(rank->visits());
  const auto nap =
      naps.after(has_happened, rank != nullptr && rank->threads_take_turns(), mpich_is_lent_time());
  constexpr microseconds while_others_agree(1000);  // no letter tells of that
  return nap && awaits_agreement() ? std::min(*nap, while_others_agree) : nap;
}

/// Where other threads may want MPICH meanwhile, not within its lock.
void sleep_after_look(microseconds nap) {
  const LiveRank* const rank = LiveRank::active();
  if (rank != nullptr && rank->threads_take_turns()) {
    if (ucp_worker().has_to_push()) nap = std::min(nap, LetterBox::unseen_blocked);
    if (sleep_when_mpich_unlocks(nap)) return;
  }
  ucp_worker().await(nap);
}

/// Nobody needs this rank's MPICH meanwhile, or it looks for letters, too.
bool sleeps_for_agreement() {
  const LiveRank* const rank = LiveRank::active();
  if (!awaits_agreement() || mpich_has_pending() || ucp_worker().has_to_push() || rank == nullptr ||
      rank->threads_take_turns())
    return false;
  await_agreement();
  return true;
}

/// UCX spins: idle progress sleeps in an emulated run.
unsigned progress_of_ucx(ucp_worker_h worker) {
  constexpr int idle_before_sleep = 32;
  constexpr timespec nap{0, 60'000};
  static const auto ucxs = ucx_function<decltype(::ucp_worker_progress)>("ucp_worker_progress");
  static thread_local int idle = 0;
  const unsigned progressed = ucxs(worker);
  if (progressed != 0 || mode() != Mode::emulate) {
    idle = 0;
  } else if (++idle > idle_before_sleep) {
    syscall(SYS_nanosleep, &nap, nullptr);
  }
  return progressed;
}

}  // namespace

MORGANA_UCX ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h to, const void* buffer, std::size_t count,
                                              ucp_tag_t tag, const ucp_request_param_t* how) {
  check_mpich_traffic();
  MORGANA_UCX_ITSELF(ucp_tag_send_nbx, to, buffer, count, tag, how)
  std::vector<std::byte> data = pack(buffer, count, datatype_in(*how));
  if (is_agreements(tag, data)) return ucp_worker().send_to_nobody(*how);
  return ucp_worker().send(rank_of(to), LetterKind::tagged, tag, std::move(data), *how);
}

MORGANA_UCX ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h to, const void* buffer, std::size_t count,
                                                   ucp_tag_t tag, const ucp_request_param_t* how) {
  check_mpich_traffic();
  MORGANA_UCX_ITSELF(ucp_tag_send_sync_nbx, to, buffer, count, tag, how)
  return ucp_worker().send(rank_of(to), LetterKind::wants_receipt, tag,
                           pack(buffer, count, datatype_in(*how)), *how);
}

MORGANA_UCX ucs_status_ptr_t ucp_am_send_nb(ucp_ep_h to, std::uint16_t id, const void* buffer,
                                            std::size_t count, ucp_datatype_t type,
                                            ucp_send_callback_t callback, unsigned flags) {
  check_mpich_traffic();
  MORGANA_UCX_ITSELF(ucp_am_send_nb, to, id, buffer, count, type, callback, flags)
  ucp_request_param_t how = plain_sending;
  if (callback != nullptr) {
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    how.user_data = reinterpret_cast<void*>(callback);
    how.cb.send = [](void* request, ucs_status_t status, void* told) {
      reinterpret_cast<ucp_send_callback_t>(told)(request, status);
    };
  }
  return ucp_worker().send(rank_of(to), LetterKind::active, id, pack(buffer, count, type), how);
}

MORGANA_UCX ucs_status_t ucp_worker_set_am_handler(ucp_worker_h worker, std::uint16_t id,
                                                   ucp_am_callback_t handler, void* argument,
                                                   std::uint32_t flags) {
  MORGANA_UCX_ITSELF(ucp_worker_set_am_handler, worker, id, handler, argument, flags)
  ucp_worker().handle(id, handler, argument);
  return UCS_OK;
}

MORGANA_UCX ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h to, unsigned id, const void* header,
                                             std::size_t header_length, const void* buffer, std::size_t count,
                                             const ucp_request_param_t* how) {
  check_mpich_traffic();
  MORGANA_UCX_ITSELF(ucp_am_send_nbx, to, id, header, header_length, buffer, count, how)
  const std::vector<std::byte> data = pack(buffer, count, datatype_in(*how));
  return ucp_worker().send(rank_of(to), LetterKind::active_with_header, id,
                           with_header({{static_cast<const std::byte*>(header), header_length}, data}), *how);
}

MORGANA_UCX ucs_status_t ucp_worker_set_am_recv_handler(ucp_worker_h worker,
                                                        const ucp_am_handler_param_t* about) {
  MORGANA_UCX_ITSELF(ucp_worker_set_am_recv_handler, worker, about)
  const auto has = [about](std::uint64_t field) { return (about->field_mask & field) != 0; };
  if (!has(UCP_AM_HANDLER_PARAM_FIELD_ID)) return UCS_ERR_INVALID_PARAM;
  ucp_worker().handle_with_header(about->id, has(UCP_AM_HANDLER_PARAM_FIELD_CB) ? about->cb : nullptr,
                                  has(UCP_AM_HANDLER_PARAM_FIELD_ARG) ? about->arg : nullptr);
  return UCS_OK;
}

// No handler is given a message without its data, which this would fetch.
MORGANA_UCX ucs_status_ptr_t ucp_am_recv_data_nbx(ucp_worker_h worker, void* message, void* buffer,
                                                  std::size_t count, const ucp_request_param_t* how) {
  MORGANA_UCX_ITSELF(ucp_am_recv_data_nbx, worker, message, buffer, count, how)
  return UCS_STATUS_PTR(UCS_ERR_INVALID_PARAM);
}

MORGANA_UCX ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void* buffer, std::size_t count,
                                              ucp_tag_t tag, ucp_tag_t mask, const ucp_request_param_t* how) {
  check_mpich_traffic();
  MORGANA_UCX_ITSELF(ucp_tag_recv_nbx, worker, buffer, count, tag, mask, how)
  if (datatype_in(*how) == ucp_dt_make_contig(1)) expect_agreements(tag, count);
  return ucp_worker().receive(buffer, count, tag, mask, *how);
}

MORGANA_UCX ucp_tag_message_h ucp_tag_probe_nb(ucp_worker_h worker, ucp_tag_t tag, ucp_tag_t mask, int remove,
                                               ucp_tag_recv_info_t* info) {
  MORGANA_UCX_ITSELF(ucp_tag_probe_nb, worker, tag, mask, remove, info)
  std::unique_ptr<Letter> found;
  if (!ucp_worker().probe(tag, mask, remove == 0 ? nullptr : &found, *info)) return nullptr;
  // Who has not taken it out only wants to know that it is there.
  return remove == 0 ? reinterpret_cast<ucp_tag_message_h>(&ucp_worker())
                     : reinterpret_cast<ucp_tag_message_h>(found.release());
}

MORGANA_UCX ucs_status_ptr_t ucp_tag_msg_recv_nbx(ucp_worker_h worker, void* buffer, std::size_t count,
                                                  ucp_tag_message_h message, const ucp_request_param_t* how) {
  MORGANA_UCX_ITSELF(ucp_tag_msg_recv_nbx, worker, buffer, count, message, how)
  return ucp_worker().receive(std::unique_ptr<Letter>(reinterpret_cast<Letter*>(message)), buffer, count,
                              *how);
}

MORGANA_UCX ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t* does, void* context,
                                               ucp_datatype_t* type) {
  MORGANA_UCX_ITSELF(ucp_dt_create_generic, does, context, type)
  *type = handle_of(new UcpOwnersType{*does, context});
  return UCS_OK;
}

MORGANA_UCX void ucp_dt_destroy(ucp_datatype_t type) {
  MORGANA_UCX_ITSELF(ucp_dt_destroy, type)
  if ((type & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_GENERIC) delete owners_type(type);
}

// Requests.

MORGANA_UCX void ucp_request_cancel(ucp_worker_h worker, void* request) {
  MORGANA_UCX_ITSELF(ucp_request_cancel, worker, request)
  ucp_worker().cancel(UcpRequest::of(request));
}

MORGANA_UCX ucs_status_t ucp_request_check_status(void* request) {
  MORGANA_UCX_ITSELF(ucp_request_check_status, request)
  return UcpRequest::of(request).status();
}

MORGANA_UCX int ucp_request_is_completed(void* request) {
  MORGANA_UCX_ITSELF(ucp_request_is_completed, request)
  return UcpRequest::of(request).status() == UCS_INPROGRESS ? 0 : 1;
}

MORGANA_UCX void ucp_request_free(void* request) {
  MORGANA_UCX_ITSELF(ucp_request_free, request)
  ucp_worker().release(UcpRequest::of(request), true);
}

MORGANA_UCX void ucp_request_release(void* request) {
  MORGANA_UCX_ITSELF(ucp_request_release, request)
  ucp_worker().release(UcpRequest::of(request), false);
}

// A program would crawl if its ranks, of which there are more than processors, spun while they wait.
MORGANA_UCX unsigned ucp_worker_progress(ucp_worker_h worker) {
  mpich_waits();
  if (!letters_carry_mpich()) return progress_of_ucx(worker);
  for (AgreedMessage& message : agreed_messages()) ucp_worker().bring(message.tag, std::move(message.data));
  const unsigned happened = ucp_worker().progress();
  if (happened == 0 && sleeps_for_agreement()) return 0;
  if (const auto nap = nap_after(happened != 0)) sleep_after_look(*nap);
  return happened;
}

MORGANA_UCX ucs_status_ptr_t ucp_worker_flush_nb(ucp_worker_h worker, unsigned flags,
                                                 ucp_send_callback_t callback) {
  MORGANA_UCX_ITSELF(ucp_worker_flush_nb, worker, flags, callback)
  return ucp_worker().flush(UcpWorker::any_rank, callback);
}

// This one returns only when all has left.
MORGANA_UCX ucs_status_t ucp_ep_flush(ucp_ep_h endpoint) {
  MORGANA_UCX_ITSELF(ucp_ep_flush, endpoint)
  void* const request = ucp_worker().flush(rank_of(endpoint), nullptr);
  if (request == nullptr) return UCS_OK;
  while (UcpRequest::of(request).status() == UCS_INPROGRESS)
    if (ucp_worker().progress() == 0) ucp_worker().await(longest_nap());
  ucp_worker().release(UcpRequest::of(request), false);
  return UCS_OK;
}

}  // namespace morgana::mpi::emulated
