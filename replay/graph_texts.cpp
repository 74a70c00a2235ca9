#include "replay/graph_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace morgana {
namespace {

constexpr std::size_t most_ranks_told = 64;
constexpr std::size_t most_nodes_told = 3;

std::string text_of_tag(Tag tag) {
  return tag == any_tag ? "any tag" : fmt::format("tag {}", static_cast<std::uint32_t>(tag));
}

std::string text_of_bytes(Bytes bytes) {
  return fmt::format("{} byte{}", bytes.count(), bytes.count() == 1 ? "" : "s");
}

}  // namespace

std::string GraphTexts::text_of(Rank rank) const {
  if (rank == any_rank) return "any rank";
  if (index(rank) < graph_.program_ranks()) return fmt::format("rank {}", index(rank));
  return fmt::format("switch {}", graph_.switches()[index(rank) - graph_.program_ranks()]);
}

std::string GraphTexts::describe(Rank rank, Node node) const {
  GraphNode computed;
  const GraphNode& what = progress_.at(rank, node, computed);
  const std::string place = graph_.where(index(rank), progress_.within(rank, node));
  switch (what.kind) {
    case GraphNode::Kind::receive:
      return fmt::format("{} waits for a message from {} with {} ({})", place, text_of(what.peer),
                         text_of_tag(what.tag), text_of_bytes(Bytes(what.amount)));
    case GraphNode::Kind::send:
      return fmt::format("{} waits until {} receives {} with {}", place, text_of(what.peer),
                         text_of_bytes(Bytes(what.amount)), text_of_tag(what.tag));
    case GraphNode::Kind::compute:
      break;
  }
  return fmt::format("{} computes", place);
}

std::string GraphTexts::describe_waiting(Rank rank, const Unreceived& unreceived) const {
  std::string text;
  std::size_t waiting = 0, open = 0;
  for (Node node = progress_.first(rank); node < progress_.behind(rank); ++node) {
    if (progress_.has_ended(node) || !progress_.is_node(rank, node)) continue;
    if (!progress_.has_started(node)) {
      ++open;
    } else if (waiting++ < most_nodes_told) {
      text += (waiting > 1 ? "; " : "") + describe(rank, node);
    }
  }
  if (waiting > most_nodes_told) text += fmt::format("; and {} more", waiting - most_nodes_told);
  if (open > 0)
    text += fmt::format("; {} node{} that require{} others never start{}", open, open == 1 ? "" : "s",
                        open == 1 ? "s" : "", open == 1 ? "s" : "");
  const auto found = unreceived.find(rank);
  if (found == unreceived.end()) return text;
  const std::vector<Messenger::Found>& unasked = found->second;
  for (std::size_t i = 0; i < std::min(unasked.size(), most_nodes_told); ++i)
    text += fmt::format("{}{} from {} with {} ({})", i == 0 ? "; sent to it, but not asked for: " : ", ",
                        text_of_bytes(unasked[i].bytes), text_of(unasked[i].envelope.source),
                        text_of_tag(unasked[i].envelope.tag), where_sent(unasked[i], rank));
  if (unasked.size() > most_nodes_told) text += fmt::format(" and {} more", unasked.size() - most_nodes_told);
  return text;
}

std::string GraphTexts::loss_report() const {
  return messages_.loss_report([this](Rank rank) { return text_of(rank); });
}

std::string GraphTexts::deadlock(SimTime since) const {
  std::string text;
  if (const std::string why = messages_.losses().unstable(); !why.empty()) text = why + "\n";
  text += fmt::format(
      "deadlock at {:.9f} s of simulated time: nodes of the schedule wait and nothing can happen any more",
      std::max(since, messages_.losses().latest()).seconds());
  std::size_t waiting = 0;
  const Unreceived unreceived = messages_.unreceived();
  for (std::size_t i = 0; i < progress_.ranks(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    if (progress_.rank_has_ended(rank) || ++waiting > most_ranks_told) continue;
    text += fmt::format("\n  {}: {}", text_of(rank), describe_waiting(rank, unreceived));
  }
  if (waiting > most_ranks_told) text += fmt::format("\n  and {} more ranks", waiting - most_ranks_told);
  const std::string losses = loss_report();
  return losses.empty() ? text : text + '\n' + losses;
}

/// The first send that its sender's schedule has with such a message.
std::string GraphTexts::where_sent(const Messenger::Found& message, Rank receiver) const {
  const Rank sender = message.envelope.source;
  for (Node node = progress_.first(sender); node < progress_.behind(sender); ++node) {
    if (!progress_.has_started(node)) continue;
    GraphNode computed;
    const GraphNode& send = progress_.at(sender, node, computed);
    if (send.kind == GraphNode::Kind::send && send.peer == receiver && send.tag == message.envelope.tag &&
        Bytes(send.amount) == message.bytes)
      return graph_.where(index(sender), progress_.within(sender, node));
  }
  return graph_.file().string();
}

std::string GraphTexts::unreceived_text() const {
  std::uint64_t count = 0;
  std::optional<Messenger::Found> first;
  Rank receiver{};
  const auto order = [](const Messenger::Found& one) { return std::tuple(one.begun, one.envelope.source); };
  for (const auto& [rank, messages] : messages_.unreceived()) {
    count += messages.size();
    if (first && order(messages.front()) >= order(*first)) continue;
    first = messages.front();
    receiver = rank;
  }
  if (!first) return {};
  return fmt::format("{} never received: {}from {} to {} with {} ({}), sent by {}",
                     count == 1 ? "1 message was" : fmt::format("{} messages were", count),
                     count == 1 ? "" : "the first one ", text_of(first->envelope.source), text_of(receiver),
                     text_of_tag(first->envelope.tag), text_of_bytes(first->bytes),
                     where_sent(*first, receiver));
}

std::vector<std::string> GraphTexts::notices(const OtherSizes& other_sizes) const {
  std::vector<std::string> all;
  if (other_sizes.count > 0) {
    const Rank rank = progress_.rank_of(other_sizes.first);
    GraphNode computed;
    all.push_back(fmt::format(
        "{} of another size than the receive says; it is the sender's that counts. The first "
        "one: {}, {} where "
        "{} came",
        other_sizes.count == 1 ? "1 message was" : fmt::format("{} messages were", other_sizes.count),
        graph_.where(index(rank), progress_.within(rank, other_sizes.first)),
        text_of_bytes(Bytes(progress_.at(rank, other_sizes.first, computed).amount)),
        text_of_bytes(other_sizes.bytes)));
  }
  for (std::string notice : {loss_report(), unreceived_text()})
    if (!notice.empty()) all.push_back(std::move(notice));
  return all;
}

}  // namespace morgana
