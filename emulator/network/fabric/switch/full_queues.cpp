// What a switch does with a packet that finds its output's queue full.

#include <algorithm>

#include "emulator/network/fabric/switch/fabric_switch.h"
#include "emulator/network/fabric/switch/packet_changes.h"

namespace morgana::fabric {

/// @return whether the packet, or its header, may join the queue that it names now; otherwise it has been
/// dealt with
bool FabricSwitch::make_space(Slot slot) {
  Packet& routed = packets_[slot];
  if (replaces_last(routed)) {
    replace_last(slot);
    return false;
  }
  const CableChannel out = channel(routed.output);
  return (trim(core_, routed, out) && has_space(routed)) || lose(slot, Loss::queue_full, out);
}

/// Whether the last packet of its queue is trimmed in place of the one that comes.
bool FabricSwitch::replaces_last(const Packet& comes) const {
  const TrimParameters& trimming = core_.parameters.trim;
  if (trimming.which != TrimParameters::Which::either || !may_be_cut(trimming, comes) ||
      !outputs_.is_filled(comes.output, comes.group))
    return false;
  const Packet& last = packets_[outputs_.last(comes.output, comes.group)];
  return may_be_cut(trimming, last) && last.size >= comes.size &&
         trims_last(comes.number, channel(comes.output));
}

/// The packet takes the place of the last one of its queue, whose header joins the queue of trimmed packets,
/// or is lost.
void FabricSwitch::replace_last(Slot slot) {
  Packet& comes = packets_[slot];
  const CableChannel out = channel(comes.output);
  const Slot cut = outputs_.last(comes.output, comes.group);
  Packet& last = packets_[cut];
  forget(last);
  if (memory_) memory_->release_now(memory_->account_of(last), last.size - comes.size);
  outputs_.replace_last(slot);
  await_output(comes);
  link_try_.no_later(comes.output, std::max(now_, links_.free_at(out)));
  if (trim(core_, last, out) && has_space(last)) {
    queue_at_output(cut);
    await_output(last);
  } else {
    lose(cut, Loss::queue_full, out);
  }
}

}  // namespace morgana::fabric
