#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/engine/rank_waits.h"
#include "emulator/messaging/messenger.h"
#include "emulator/messaging/remote_access.h"

namespace morgana {

/// What comes of ranks' requests from the message layer, from one-sided accesses and from collectives: notes
/// it in the request and says when that is ready. Messages of collectives are reported to those.
class Arrivals final : public MessengerClient, public RemoteAccessClient, public CollectiveClient {
 public:
  /// All of them must outlive this object; none is used before the first message.
  Arrivals(EventQueue& events, OperationSource& source, std::vector<RankState>& ranks, RequestTable& requests,
           Releases& releases, CollectiveRunner& collectives, RankProcessors& processors, RankCopies& copies,
           RankWaits& waits, SocketReads& reads, std::span<OperationObserver* const> observers,
           OperationEnds& ends)
      : events_(events),
        source_(source),
        ranks_(ranks),
        requests_(requests),
        releases_(releases),
        collectives_(collectives),
        processors_(processors),
        copies_(copies),
        waits_(waits),
        reads_(reads),
        observers_(observers.begin(), observers.end()),
        ends_(ends) {}

  void sent(Token token, const Origin& origin) override;
  void matched(Token token) override;
  void resumed(Token token) override;
  void met(Token send, Token receive) override;
  void came_into_socket(Token token, SimTime cost, const Origin& origin) override;
  void received(Token token, const ReceivedMessage& message) override;
  bool takes_heads(Token token) const override;
  void more_came(Token token, Bytes coming) override;
  void returned(Token token, const Envelope& envelope, std::uint64_t payload, Outcome why) override;
  void recalled(Token token, std::uint64_t payload) override;
  void dropped(std::uint64_t payload) override { source_.dropped(payload); }
  void waits_unmatched(Rank receiver, const Envelope& envelope, Bytes bytes) override;
  void delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) override;
  std::optional<std::size_t> processor_of(Rank rank) const override { return processors_.of(rank); }

  void access_done(std::uint32_t request, Outcome outcome, SimTime timer_wait) override;

  void collective_done(std::uint32_t request, SimTime done, const std::vector<std::uint64_t>& deposits,
                       Outcome outcome, SimTime partner_at) override;
  bool gets_processor(Rank rank) override;

 private:
  EventQueue& events_;
  OperationSource& source_;
  std::vector<RankState>& ranks_;
  RequestTable& requests_;
  Releases& releases_;
  CollectiveRunner& collectives_;
  RankProcessors& processors_;
  RankCopies& copies_;
  RankWaits& waits_;
  SocketReads& reads_;
  std::vector<OperationObserver*> observers_;
  OperationEnds& ends_;
};

}  // namespace morgana
