// What GraphRun tells of nodes that wait, and of messages that nobody receives.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "replay/graph_run.h"

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

std::string GraphRun::text_of(Rank rank) const {
  if (rank == any_rank) return "any rank";
  if (!is_switch(rank)) return fmt::format("rank {}", index(rank));
  return fmt::format("switch {}", graph_.switches()[index(rank) - graph_.program_ranks()]);
}

std::string GraphRun::describe(Rank rank, Node node) const {
  GraphNode computed;
  const GraphNode& what = at(rank, node, computed);
  const std::string place = graph_.where(index(rank), number_of(rank, node));
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

std::string GraphRun::describe_waiting(Rank rank) const {
  std::string text;
  std::size_t waiting = 0, open = 0;
  for (Node node = numbers_.first(rank); node < numbers_.end(rank); ++node) {
    const std::uint32_t state = remaining_[node];
    if ((state & ended) == ended || !numbers_.is_node(rank, node)) continue;
    if ((state & started) == 0) {
      ++open;
    } else if (waiting++ < most_nodes_told) {
      text += (waiting > 1 ? "; " : "") + describe(rank, node);
    }
  }
  if (waiting > most_nodes_told) text += fmt::format("; and {} more", waiting - most_nodes_told);
  if (open > 0)
    text += fmt::format("; {} node{} that require{} others never start{}", open, open == 1 ? "" : "s",
                        open == 1 ? "s" : "", open == 1 ? "s" : "");
  const std::vector<Messenger::Found> unasked = messages_.unreceived(rank);
  for (std::size_t i = 0; i < std::min(unasked.size(), most_nodes_told); ++i)
    text += fmt::format("{}{} from {} with {} ({})", i == 0 ? "; sent to it, but not asked for: " : ", ",
                        text_of_bytes(unasked[i].bytes), text_of(unasked[i].envelope.source),
                        text_of_tag(unasked[i].envelope.tag), where_sent(unasked[i], rank));
  if (unasked.size() > most_nodes_told) text += fmt::format(" and {} more", unasked.size() - most_nodes_told);
  return text;
}

/// Ranks and switches are the job's.
std::string GraphRun::loss_report() const {
  return messages_.losses().report(machine_.transport ? machine_.transport->remedy() : std::string(),
                                   [this](Rank rank) { return text_of(messages_.of_job(rank)); });
}

std::string GraphRun::deadlock_text() const {
  std::string text;
  if (const std::string why = unstable(); !why.empty()) text = why + "\n";
  text += fmt::format(
      "deadlock at {:.9f} s of simulated time: nodes of the schedule wait and nothing can happen any more",
      std::max(stands_since_, messages_.losses().latest()).seconds());
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].left == 0 || ++waiting > most_ranks_told) continue;
    const Rank rank{static_cast<std::int32_t>(i)};
    text += fmt::format("\n  {}: {}", text_of(rank), describe_waiting(rank));
  }
  if (waiting > most_ranks_told) text += fmt::format("\n  and {} more ranks", waiting - most_ranks_told);
  const std::string losses = loss_report();
  return losses.empty() ? text : text + '\n' + losses;
}

/// The first send that its sender's schedule has with such a message.
std::string GraphRun::where_sent(const Messenger::Found& message, Rank receiver) const {
  const Rank sender = message.envelope.source;
  for (Node node = numbers_.first(sender); node < numbers_.end(sender); ++node) {
    if ((remaining_[node] & started) == 0) continue;
    GraphNode computed;
    const GraphNode& send = at(sender, node, computed);
    if (send.kind == GraphNode::Kind::send && send.peer == receiver && send.tag == message.envelope.tag &&
        Bytes(send.amount) == message.bytes)
      return graph_.where(index(sender), number_of(sender, node));
  }
  return graph_.file().string();
}

std::string GraphRun::unreceived_text() const {
  std::uint64_t count = 0;
  std::optional<Messenger::Found> first;
  Rank receiver{};
  const auto order = [](const Messenger::Found& one) { return std::tuple(one.begun, one.envelope.source); };
  for (std::size_t i = 0; i < graph_.ranks(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    const std::vector<Messenger::Found> messages = messages_.unreceived(rank);
    count += messages.size();
    if (messages.empty() || (first && order(messages.front()) >= order(*first))) continue;
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

std::vector<std::string> GraphRun::notices() const {
  std::vector<std::string> all;
  if (other_sizes_ > 0) {
    const Rank rank = rank_of(first_of_other_size_);
    GraphNode computed;
    all.push_back(fmt::format(
        "{} of another size than the receive says; it is the sender's that counts. The first "
        "one: {}, {} where "
        "{} came",
        other_sizes_ == 1 ? "1 message was" : fmt::format("{} messages were", other_sizes_),
        graph_.where(index(rank), number_of(rank, first_of_other_size_)),
        text_of_bytes(Bytes(at(rank, first_of_other_size_, computed).amount)), text_of_bytes(other_size_)));
  }
  for (std::string notice : {loss_report(), unreceived_text()})
    if (!notice.empty()) all.push_back(std::move(notice));
  return all;
}

}  // namespace morgana
