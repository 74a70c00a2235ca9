#include "emulator/engine/deadlock_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/engine/collective_runner.h"
#include "emulator/operations/context.h"

namespace morgana {
namespace {

constexpr std::size_t ranks_listed = 64;
constexpr std::size_t requests_listed = 3;
constexpr std::size_t messages_listed = 3;

std::string rank_text(Rank rank) {
  return rank == any_rank ? "any rank" : fmt::format("rank {}", index(rank));
}

std::string tag_text(Tag tag) {
  return tag == any_tag ? "any tag" : fmt::format("tag {}", static_cast<std::int32_t>(tag));
}

std::string bytes_text(Bytes bytes) {
  return fmt::format("{} byte{}", bytes.count(), bytes.count() == 1 ? "" : "s");
}

/// PVM's receives name none.
std::string room_text(Bytes room) {
  return room.count() == 0 ? "" : fmt::format(" (up to {})", bytes_text(room));
}

/// The end of a description.
std::string undelivered_text(const UndeliveredMessage* message) {
  return message == nullptr ? "" : fmt::format("; one such {} was {}", message->what, fate_of(*message));
}

/// Of point-to-point messages: " on a communicator of 2 ranks (0, 1)"; nothing where there is only one such
/// thing (PVM), or where it is MPI_COMM_WORLD, as every other message's is.
std::string context_text(Context context, const ContextTable& contexts) {
  if (context == world_context || !contexts.knows(context)) return "";
  return " on " + contexts.describe(context);
}

/// @param call  in which the rank waits for it
std::string describe(const Request& request, Call call, const ContextTable& contexts, const Losses& losses) {
  const Envelope& envelope = request.envelope;
  switch (request.kind) {
    case OperationKind::send:
      return fmt::format("to send {} to {} with {}{}", bytes_text(request.bytes), rank_text(envelope.source),
                         tag_text(envelope.tag), context_text(envelope.context, contexts)) +
             undelivered_text(losses.of_send(request.owner, envelope.context, envelope.source, envelope.tag));
    case OperationKind::receive:
      if (envelope.context == nowhere_context)
        return "for a message that nobody can send: there is no such source or tag";
      return fmt::format("for a message from {} with {}{}{}", rank_text(envelope.source),
                         tag_text(envelope.tag), context_text(envelope.context, contexts),
                         room_text(request.bytes)) +
             undelivered_text(
                 losses.to_receive(request.owner, envelope.context, envelope.source, envelope.tag));
    case OperationKind::collective:
      return fmt::format("for the other members of {}{}", contexts.describe(envelope.context),
                         request.call == call ? "" : fmt::format(" in {}", name_of(request.call))) +
             undelivered_text(losses.with(request.owner, for_collectives(envelope.context)));
    case OperationKind::lock:
      return fmt::format("for the lock of {}'s window", rank_text(envelope.source)) +
             undelivered_text(losses.to(envelope.source, envelope.context));
    default:
      return fmt::format("for {} to answer", rank_text(envelope.source)) +
             undelivered_text(losses.to(envelope.source, envelope.context));
  }
}

std::string describe(Rank rank, const RankState& state, std::span<const Request> requests,
                     const ContextTable& contexts, const Losses& losses) {
  const Operation& operation = state.operation;
  std::string text = fmt::format("waits in {} ", name_of(operation.call));
  std::size_t listed = 0;
  if (operation.kind == OperationKind::probe) {
    text += fmt::format("for a message from {} with {}{}", rank_text(operation.peer), tag_text(operation.tag),
                        context_text(operation.context, contexts)) +
            undelivered_text(losses.to_receive(rank, operation.context, operation.peer, operation.tag));
    ++listed;
  }
  if (const auto head = state.heads.find(operation.request);
      operation.kind == OperationKind::wait_part && head != state.heads.end()) {
    const Request& message = requests[head->second];
    return fmt::format("waits in {} for the first {} of the {} bytes of a message from {} with {}",
                       name_of(operation.call), operation.bytes.count(), message.bytes.count(),
                       rank_text(message.envelope.source), tag_text(message.envelope.tag)) +
           undelivered_text(losses.to_receive(rank, message.envelope.context, message.envelope.source,
                                              message.envelope.tag));
  }
  for (const std::uint32_t slot : state.awaited) {
    if (requests[slot].ready) continue;
    if (listed == requests_listed) {
      text += fmt::format(" and {} more", state.missing - listed);
      break;
    }
    if (listed++ > 0) text += operation.completion == Completion::all ? " and " : " or ";
    text += describe(requests[slot], operation.call, contexts, losses);
  }
  return text;
}

/// The end of a waiting rank's line: a mistaken tag or communicator shows by what was sent instead.
std::string unasked_text(const std::vector<Messenger::Found>& messages, const ContextTable& contexts) {
  if (messages.empty()) return "";
  std::string text = "; sent to it, but not asked for: ";
  for (std::size_t i = 0; i < std::min(messages.size(), messages_listed); ++i)
    text += fmt::format("{}{} from {} with {}{}", i > 0 ? ", " : "", bytes_text(messages[i].bytes),
                        rank_text(messages[i].envelope.source), tag_text(messages[i].envelope.tag),
                        context_text(messages[i].envelope.context, contexts));
  if (messages.size() > messages_listed)
    text += fmt::format(" and {} more", messages.size() - messages_listed);
  return text;
}

/// PVM's daemon waits for requests whatever happens.
bool is_daemon(const RankState& state) {
  return state.operation.call == Call::pvmd;
}

/// Whatever it is doing.
std::string describe_activity(Rank rank, const RankState& state, std::span<const Request> requests,
                              const ContextTable& contexts) {
  const Operation& operation = state.operation;
  if (state.phase == RankState::Phase::ended) return "has ended";
  if (state.phase == RankState::Phase::computing)
    return fmt::format("computes{}", operation.call == Call::unknown
                                         ? ""
                                         : fmt::format(", since the end of {}", name_of(operation.call)));
  if (state.phase == RankState::Phase::waiting) return describe(rank, state, requests, contexts, Losses());
  const Bytes bytes =
      operation.kind == OperationKind::collective ? operation.collective.bytes : operation.bytes;
  return fmt::format("is in {}{}", name_of(operation.call),
                     bytes > Bytes() ? fmt::format(" of {} bytes", bytes.count()) : "");
}

template <typename Describe>
std::string line_each(std::span<const RankState> ranks, Describe describe_one) {
  std::string text;
  std::size_t present = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].phase == RankState::Phase::absent || is_daemon(ranks[i])) continue;
    if (++present > ranks_listed) continue;
    text += fmt::format("\n  rank {}: {}", i, describe_one(Rank{static_cast<std::int32_t>(i)}, ranks[i]));
  }
  if (present > ranks_listed) text += fmt::format("\n  and {} more ranks", present - ranks_listed);
  return text;
}

}  // namespace

std::string describe_past_end(const std::string& refusal, SimTime now, std::span<const RankState> ranks,
                              std::span<const Request> requests, const ContextTable& contexts) {
  return fmt::format("{}. Lower the platform's costs, or the sizes and times of the program or trace. {}",
                     refusal, describe_activities(now, ranks, requests, contexts));
}

std::string describe_activities(SimTime now, std::span<const RankState> ranks,
                                std::span<const Request> requests, const ContextTable& contexts) {
  return fmt::format("At {:.9f} s:{}", now.seconds(),
                     line_each(ranks, [&](Rank rank, const RankState& state) {
                       return describe_activity(rank, state, requests, contexts);
                     }));
}

std::string describe_deadlock(const DeadlockAnalysis& analysis, std::span<const RankState> ranks,
                              std::span<const Request> requests, const ContextTable& contexts,
                              const Losses& losses, const Messenger& messenger,
                              const std::string& loss_report) {
  std::string text;
  if (const std::string unstable = losses.unstable(); !unstable.empty()) text = unstable + "\n";
  text += fmt::format("deadlock at {:.9f} s of simulated time: ranks wait and nothing can happen any more",
                      analysis.at.seconds());
  for (const std::string& finding : analysis.findings) text += "\n  " + finding;
  text += line_each(ranks, [&](Rank rank, const RankState& state) {
    if (state.phase == RankState::Phase::ended) return std::string("has ended");
    return describe(rank, state, requests, contexts, losses) +
           unasked_text(messenger.unreceived(rank), contexts);
  });
  if (!loss_report.empty()) text += '\n' + loss_report;
  return text;
}

}  // namespace morgana
