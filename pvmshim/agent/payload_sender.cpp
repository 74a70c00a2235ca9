#include "pvmshim/agent/payload_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pvmshim/agent/stream.h"
#include "pvmshim/channel/marked_payload.h"
#include "pvmshim/channel/message_frames.h"

namespace morgana {
namespace {

/// A message of so many bytes goes to its receiver's machine at once; a longer one when it is asked for, or
/// its receiver is known.
constexpr std::size_t largest_pushed = 64 * 1024;
/// What a rank gives to a collective goes to all machines of its members at once, if it is no longer.
constexpr std::size_t largest_deposit = 4 * 1024;

[[noreturn]] void throw_written_over(Rank rank) {
  throw Error(
      fmt::format("rank {} has sent what makes no sense: the program may have written over the shim's memory",
                  static_cast<int>(rank)));
}

}  // namespace

ContextMachines::ContextMachines(const RankPlaces& places, std::size_t own, std::size_t agents)
    : places_(places), own_(own) {
  for (std::size_t agent = 0; agent < agents; ++agent)
    if (agent != own) others_of_[world_context].push_back(agent);
}

void ContextMachines::note(Context context, const std::vector<Rank>& members) {
  std::set<std::size_t> agents;
  for (const Rank member : members)
    if (places_.is_rank(member)) agents.insert(places_.machine_of(member));
  agents.erase(own_);
  others_of_[context].assign(agents.begin(), agents.end());
}

const std::vector<std::size_t>& ContextMachines::others_of(Context context) const {
  static const std::vector<std::size_t> none;
  const auto others = others_of_.find(context);
  return others == others_of_.end() ? none : others->second;
}

PayloadSender::PayloadSender(const RankPlaces& places, std::size_t own, std::size_t agents,
                             PayloadMirror& mirror, Peers& peers)
    : places_(places), mirror_(mirror), peers_(peers), emulator_(agents), contexts_(places, own, agents) {}

bool PayloadSender::pass_on(Rank rank, Operation& operation) {
  const bool is_to_one = operation.kind == OperationKind::send && places_.is_rank(operation.peer);
  const bool goes_elsewhere = is_to_one && !places_.is_own(operation.peer);
  if (is_marked_by_owner(operation.payload)) {
    if (!goes_elsewhere || mirror_.owner(operation.payload) != rank) throw_written_over(rank);
    return true;
  }
  if (!places_.is_rank(mirror_.owner(unmarked(operation.payload)))) throw_written_over(rank);
  if (is_to_one && !goes_elsewhere) {
    operation.payload = unmarked(operation.payload);
    return false;
  }
  operation.payload = mirror_.mark(operation.payload);
  if (operation.kind == OperationKind::collective) push_deposit(operation);
  if (!goes_elsewhere || !places_.is_placed(operation.peer)) return false;
  const std::size_t machine = places_.machine_of(operation.peer);
  if (machine == emulator_ || mirror_.data(operation.payload).size() <= largest_pushed)
    push(operation.payload, machine);
  return false;
}

/// Most of its members elsewhere read it: it is there when they are answered.
void PayloadSender::push_deposit(const Operation& collective) {
  const std::vector<std::size_t>& others = contexts_.others_of(collective.context);
  if (others.empty()) return;
  try {
    if (!mirror_.is_block(collective.payload) || mirror_.data(collective.payload).size() > largest_deposit)
      return;
    for (const std::size_t agent : others) push(collective.payload, agent);
  } catch (const Error&) {  // its readers, who are others, have released it since
  }
}

void PayloadSender::push(std::uint64_t marked, std::size_t agent) {
  send_block(mirror_, marked, peers_[agent]);
}

void send_block(const PayloadMirror& mirror, std::uint64_t marked, Stream& to) {
  const std::span<const std::byte> data = mirror.data(marked);
  const std::uint64_t mark = mirror.whole_mark(marked);
  const std::uint32_t readers = mirror.readers(marked);
  std::size_t begin = 0;
  do {
    const auto part = data.subspan(begin, std::min(largest_part, data.size() - begin));
    to.add(FrameKind::block, -1,
           ContentWriter()
               .number(marked)
               .number(mark)
               .number(readers)
               .number(data.size())
               .number(begin)
               .rest(part)
               .bytes());
    if (part.size() > largest_pushed) to.flush();
    begin += part.size();
  } while (begin < data.size());
}

}  // namespace morgana
