#include "emulator/transport/infiniband/loss_recovery.h"

#include <algorithm>

namespace morgana::rc {

void LossRecovery::learn(const SendQueue& queue, const EarlyAnswers& early, PacketKind kind, Psn psn,
                         std::optional<Psn> answers) {
  const Psn up_to = kind == PacketKind::sequence_error ? psn : psn + 1;  // all before it are accepted
  if (kind != PacketKind::read_response) accepted_ = std::max(accepted_, up_to);
  if (answers) {
    if (*answers > accepted_ && *answers < queue.next()) {
      kept_.insert(*answers);
      lost_.erase(*answers);
      find_lost_requests(queue, requests_, *answers);
    }
    if (!lost_.empty() && !by_request_ && psn == accepted_) {
      enter(queue.next());
      by_request_ = true;
      cumulative_ = psn;
    }
  }
  // All responses before it have left before it.
  const Psn come = std::min(up_to, queue.next());
  const bool responds = kind == PacketKind::read_response && come == up_to;
  find_lost_responses(queue, early, responses_, responds ? psn : come);
  if (responds) responses_ = std::max(responses_, come);
  if (!lost_.empty() && !lasts_) enter(queue.next());
}

/// Of the requests `from` .. `to`-1 those that the responder has neither accepted nor kept.
void LossRecovery::find_lost_requests(const SendQueue& queue, Psn from, Psn to) {
  from = std::max({from, queue.oldest(), accepted_});
  for (const WorkRequest& request : queue.requests()) {
    if (request.first >= to) break;
    const bool reads = request.verb == Verb::read;
    const Psn end = std::min(reads ? request.first + 1 : request.end, to);
    for (Psn psn = std::max(request.first, from); psn < end; ++psn)
      if (!kept_.contains(psn)) lost_.insert(psn);
  }
  requests_ = std::max(requests_, to);
}

/// Of the read responses `from` .. `to`-1 those that have not come: the first of each hole.
void LossRecovery::find_lost_responses(const SendQueue& queue, const EarlyAnswers& early, Psn from, Psn to) {
  from = std::max(from, queue.oldest());
  if (from >= to) return;
  for (const WorkRequest& request : queue.requests()) {
    if (request.first >= to) break;
    if (request.verb != Verb::read) continue;
    Psn psn = std::max(request.first, from);
    const Psn end = std::min(request.end, to);
    while (psn < end) {
      if (early.has_response(psn)) {
        ++psn;
      } else {
        lost_.insert(psn);
        psn = early.end_of_hole(psn, request.end);
      }
    }
  }
  responses_ = std::max(responses_, to);
}

void LossRecovery::find_all_lost(const SendQueue& queue, const EarlyAnswers& early) {
  enter(queue.next());
  by_request_ = true;
  cumulative_ = queue.oldest();
  lost_.clear();
  find_lost_requests(queue, queue.oldest(), requests_);
  find_lost_responses(queue, early, queue.oldest(), responses_);
  lost_.insert(queue.oldest());
}

void LossRecovery::enter(Psn next) {
  lasts_ = true;
  until_ = next;
}

void LossRecovery::partly_acknowledged(Psn up_to) {
  if (!lasts_ || !by_request_ || up_to <= cumulative_ || up_to >= until_ || up_to < requests_ ||
      kept_.contains(up_to))
    return;
  lost_.insert(up_to);
  requests_ = up_to + 1;
}

void LossRecovery::acknowledge(Psn up_to) {
  kept_.erase(kept_.begin(), kept_.lower_bound(up_to));
  lost_.erase(lost_.begin(), lost_.lower_bound(up_to));
  if (up_to >= until_) lasts_ = by_request_ = false;
}

void LossRecovery::forget() {
  const Psn accepted = accepted_;
  *this = LossRecovery();
  accepted_ = accepted;
}

}  // namespace morgana::rc
