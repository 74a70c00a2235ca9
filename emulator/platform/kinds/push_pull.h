#pragma once

#include "emulator/host/reception_handlers.h"
#include "emulator/messaging/kernel/kernel_messages.h"
#include "emulator/platform/kinds/transports.h"
#include "emulator/transport/gobackn/go_back_n.h"

namespace morgana {

/// [transport] of kind push-pull: a transport in the hosts' kernels, and the messages that they carry.
struct PushPullParameters {
  GoBackNParameters go_back_n;
  HandlerParameters handlers;
  KernelMessages messages;
};
const Table<PushPullParameters>& push_pull_table();

/// The keys of go-back-n, for a struct of which it is a part. @param part  from the struct to the part
template <class Parameters, class Part>
void add_go_back_n_keys(Table<Parameters>& table, Part part) {
  const auto member = [part](auto GoBackNParameters::*one) {
    return [ part, one ](auto& parameters) -> auto& {
      return part(parameters).*one;
    };
  };
  table
      .key("header", member(&GoBackNParameters::header), "in every unit (TCP/IP: 40 B)", {.at_most = "1 KiB"})
      .key("window", member(&GoBackNParameters::window),
           "unacknowledged units that a connection may have under way", {.at_least = "1", .unit = "units"})
      .key("acknowledge-every", member(&GoBackNParameters::acknowledge_every),
           "units received in order before an acknowledgement goes out by itself",
           {.at_least = "1", .unit = "units"})
      .key("acknowledge-delay", member(&GoBackNParameters::acknowledge_delay),
           "an acknowledgement waits at most this long for a unit to ride on")
      .key("retransmit-after", member(&GoBackNParameters::retransmit_after),
           "without progress for this long, all is sent again from the oldest unit on; doubles up to 64 "
           "times",
           {.at_least = "1 us"})
      .key("tries", member(&GoBackNParameters::tries),
           "repetitions without progress, after which what is unacknowledged is given up and comes back",
           {.at_least = "1", .zero_word = "unlimited"});
}

}  // namespace morgana
