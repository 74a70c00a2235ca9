#include "emulator/platform/sections.h"

#include <fmt/format.h>

#include "emulator/platform/background.h"
#include "emulator/platform/kinds/interfaces.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/kinds/overlays.h"
#include "emulator/platform/kinds/transports.h"

namespace morgana {
namespace {

constexpr SimTime shortest_quantum = SimTime::from_ps(1'000'000);

std::vector<Section> make_schema() {
  std::vector<Section> sections;
  sections.push_back({"hosts", "", "The computers that ranks run on.", host_table().keys()});
  sections.push_back({"messages", "",
                      "What the message-passing library costs and when it waits. Overheads are CPU time "
                      "of the rank, spent inside its calls.",
                      message_table().keys()});
  sections.push_back(
      {"collectives", "",
       "When nonblocking collectives go on, whose algorithms carry them out, and which algorithm carries out "
       "each kind of collective; \"auto\" is the library's choice by size and number of ranks. Where "
       "both "
       "libraries have an algorithm of one name, it is that of collectives.library.",
       collective_keys()});
  sections.push_back({"nccl", "",
                      "How NCCL carries out collectives of GPUs (`morgana collective` with "
                      "collectives.library = \"nccl\"). Defaults are the "
                      "latencies of NCCL 2.30.7 (src/graph/tuning.cc).",
                      nccl_table().keys()});
  for (const NetworkKind& kind : network_kinds())
    sections.push_back({"network", kind.name, kind.meaning, kind.keys});
  for (const TransportKind& kind : transport_kinds())
    sections.push_back({"transport", kind.name, kind.meaning, kind.keys});
  for (const InterfaceKind& kind : interface_kinds())
    sections.push_back({"interface", kind.name, kind.meaning, kind.keys});
  for (const OverlayKind& kind : overlay_kinds())
    sections.push_back({"overlay", kind.name, kind.meaning, kind.keys});
  sections.push_back({"background", "",
                      "Messages that hosts send to each other beside the program, through the same NICs, "
                      "transport and switches, until the program ends; for networks of switches that carry "
                      "packets. (ATM and the shared Ethernet have traffic of their own, "
                      "network.background.load.)",
                      background_table().keys()});
  return sections;
}

}  // namespace

const Table<HostParameters>& host_table() {
  using Hosts = HostParameters;
  static const auto table =
      Table<Hosts>("hosts")
          .key("count", &Hosts::count, "hosts; auto: as many as the ranks and their placement need",
               {.at_least = "1", .at_most = "65536", .zero_word = "auto"})
          .key("processors", &Hosts::processors,
               "of each host; a rank has one to itself, unless there is a quantum",
               {.at_least = "1", .at_most = "4096"})
          .key("nics", &Hosts::nics,
               "of each host: its ports on its networks, as hosts.rails says; messages.nic and "
               "messages.stripe-from say which of them messages take, but for schedules that say it "
               "themselves",
               {.at_least = "1", .at_most = "32"})
          .choice(
              "rails", &Hosts::rails, {"separate", "joined"},
              "what several NICs are on: networks of their own that are alike, NIC i of each host on rail i "
              "(separate: rails, or the planes of one network; [network] describes one of them); or ports "
              "of one network that follow each other, NIC i of host h at port h x hosts.nics + i (joined)")
          .key("cores-per-rank", &Hosts::cores_per_rank,
               "how many threads of a rank compute at a time, on the processor that it has to itself; "
               "unlimited: as "
               "many as it runs",
               {.at_least = "1", .at_most = "4096", .zero_word = "unlimited"})
          .key("peak-tflops", &Hosts::peak_tflops,
               "10^12 operations a second of a processor (a GPU), for nodes of an execution trace that have "
               "num_ops and no duration",
               {.more_than = "0", .zero_word = "unknown"})
          .key("memory-rate", &Hosts::memory_rate,
               "of a processor's (a GPU's) memory, for nodes of an execution trace that have a tensor_size "
               "and "
               "no duration",
               {.zero_word = "unknown"})
          .key("quantum", &Hosts::quantum,
               "ranks of a host may be more than its processors, and share them: those of a processor take "
               "turns, for so long each (round robin); 0 s: each rank has a processor to itself")
          .key("busy-from", &Hosts::busy_from,
               "ranks on one host from which on hosts.busy-scale applies, on all hosts (turbo clocks); ranks "
               "that are started later do not count",
               {.at_least = "1", .at_most = "4096", .zero_word = "never"})
          .key("busy-scale", &Hosts::busy_scale,
               "from hosts.busy-from on the overheads of messages (messages.*-overhead) take so many times "
               "as long; copies do not, as memory does not slow down",
               {.at_least = "1", .at_most = "10"})
          .choice(
              "interrupts.handling", [](auto& hosts) -> auto& { return hosts.interrupts.handling; },
              {"polling", "fixed", "least-loaded"},
              "how a host learns of a message that has come over the network: whoever waits for it looks "
              "(polling), or an interrupt tells, whose work is done by always the same processor (fixed) or "
              "by the one that can begin first, if possible one that no program uses (least-loaded)")
          .key(
              "interrupts.cost", [](auto& hosts) -> auto& { return hosts.interrupts.cost; },
              "CPU time of the kernel for each interrupt: the message is there after it, and a program "
              "that uses the processor goes on after it")
          .key("interrupts.affinity", [](auto& hosts) -> auto& { return hosts.interrupts.affinity; },
               "fixed handling: the processor that is interrupted, of each host",
               {.at_least = "0", .at_most = "4095"})
          .key(
              "bus.occupancy", [](auto& hosts) -> auto& { return hosts.bus.occupancy; },
              "of the memory bus, by each byte that a kernel copies (transport.kind = \"push-pull\"): copies "
              "of several processors share it")
          .key(
              "bus.cache", [](auto& hosts) -> auto& { return hosts.bus.cache; },
              "buffers up to this size are copied out of the processor's cache, without the memory bus")
          .key(
              "bus.cached-copy", [](auto& hosts) -> auto& { return hosts.bus.cached_copy; },
              "CPU time of such a copy; messages.copy-per-byte is that of the others")
          .key("memory-bandwidth", [](auto& hosts) -> auto& { return hosts.memory.bandwidth; },
               "of each host's memory, bytes read and written together, as STREAM counts them: what ranks of "
               "a host copy and combine at once shares it, equally, and each is no faster than alone "
               "(messages.copy-per-byte, own-copy-per-byte, send-per-byte, receive-per-byte, "
               "reduce-per-byte); hosts.memory-rate "
               "is that of a GPU, by which traces' durations are worked out",
               {.at_least = "1 MB/s", .zero_word = "unlimited"})
          .key(
              "memory-cache", [](auto& hosts) -> auto& { return hosts.memory.cache; },
              "copies of up to this size stay in caches, and do not use memory-bandwidth")
          .key(
              "io-bus.rate", [](auto& hosts) -> auto& { return hosts.io_bus.rate; },
              "of the I/O bus (PCI, SBus), for the data of its transactions; for interface.model = \"dma\"")
          .key("io-bus.overhead", [](auto& hosts) -> auto& { return hosts.io_bus.overhead; },
               "of each transaction on it, before the data: arbitration, address, turnaround",
               {.at_most = "1 ms"})
          .key("io-bus.burst", [](auto& hosts) -> auto& { return hosts.io_bus.burst; },
               "data of a DMA engine's transaction at most; after each one another master may have the bus",
               {.at_least = "1 B"})
          .key("io-bus.width", [](auto& hosts) -> auto& { return hosts.io_bus.width; },
               "data of a processor's transaction at most (programmed I/O)", {.at_least = "1 B"})
          .key(
              "pcie.rate", [](auto& hosts) -> auto& { return hosts.pcie.rate; },
              "of each way of PCI Express between memory and NIC, for packets with their headers (TLPs; 24 B "
              "of a write and a read request, 20 B of a completion), after encoding, acknowledgements and "
              "flow control; for transport.kind = \"rc\"",
              {.at_least = "1 Mb/s", .zero_word = "unlimited"})
          .key("pcie.both-ways", [](auto& hosts) -> auto& { return hosts.pcie.both_ways; },
               "payload that NIC, root complex and memory carry both ways together: a NIC that sends and "
               "receives at once shares it equally between the two",
               {.at_least = "1 Mb/s", .zero_word = "unlimited"})
          .key("pcie.max-payload", [](auto& hosts) -> auto& { return hosts.pcie.max_payload; },
               "MPS: payload of a write and of a completion at most (MaxPayload of lspci -vv)",
               {.at_least = "64 B", .at_most = "4096 B"})
          .key("pcie.max-read-request", [](auto& hosts) -> auto& { return hosts.pcie.max_read_request; },
               "MRRS: what a read request asks for at most (MaxReadReq of lspci -vv)",
               {.at_least = "64 B", .at_most = "4096 B"})
          .key("pcie.work-request", [](auto& hosts) -> auto& { return hosts.pcie.work_request; },
               "blocks in which a processor writes work requests, with inline payloads, into the NIC; 0 B: "
               "they do not load pcie.rate",
               {.at_most = "4096 B"})
          .key("pcie.receive-request", [](auto& hosts) -> auto& { return hosts.pcie.receive_request; },
               "what a NIC reads of each receive that a message takes; 0 B: nothing", {.at_most = "4096 B"})
          .key("pcie.completion", [](auto& hosts) -> auto& { return hosts.pcie.completion; },
               "completion queue entry: what a NIC writes for each receive that completes; 0 B: nothing",
               {.at_most = "4096 B"})
          .key("pcie.completion-payload", [](auto& hosts) -> auto& { return hosts.pcie.completion_payload; },
               "a message of up to this is written within its completion, not by a write of its own",
               {.at_most = "4096 B"})
          .key("compute-scale", &Hosts::compute_scale,
               "simulated compute time is measured CPU time times this; auto: ep-time over what "
               "`morgana "
               "calibrate` measured on this machine, or 1 where either is not known",
               {.more_than = "0", .zero_word = "auto"})
          .key("ep-time", &Hosts::ep_time,
               "how fast a processor is: its time for EP of the NAS Parallel Benchmarks, all pairs on one "
               "processor; 0 s: not known")
          .key("ep-pairs", &Hosts::ep_pairs,
               "log2 of the pairs of random numbers that ep-time is for (class S 24, W 25, A 28)",
               {.at_least = "1", .at_most = "40"});
  return table;
}

std::optional<Complaint> check_hosts(const Settings& settings) {
  const HostParameters hosts = host_table().read(settings);
  const InterruptParameters& interrupts = hosts.interrupts;
  using Handling = InterruptParameters::Handling;
  if (hosts.quantum > SimTime() && hosts.quantum < shortest_quantum)
    return Complaint{
        "hosts.quantum",
        "a processor that changes so often between ranks does nothing else; set 1 us or more, or "
        "0 s where each rank has a processor to itself"};
  if (interrupts.handling == Handling::fixed && interrupts.affinity >= hosts.processors)
    return Complaint{"hosts.interrupts.affinity",
                     fmt::format("there is no processor {} on hosts of {}: the first one is 0; set "
                                 "hosts.processors or another processor",
                                 interrupts.affinity, hosts.processors)};
  if (interrupts.handling != Handling::fixed && interrupts.affinity != 0)
    return Complaint{
        "hosts.interrupts.affinity",
        "interrupts go to one processor only where hosts.interrupts.handling is \"fixed\"; set that, "
        "or leave the affinity out"};
  if (interrupts.handling == Handling::polling && interrupts.cost > SimTime())
    return Complaint{"hosts.interrupts.cost",
                     "nothing is interrupted where hosts.interrupts.handling is \"polling\"; set it to "
                     "\"fixed\" or \"least-loaded\", or leave the cost out"};
  return std::nullopt;
}

const Table<EndpointSettings>& endpoint_table() {
  using Endpoints = EndpointSettings;
  static const auto table =
      Table<Endpoints>("messages")
          .choice(
              "endpoints", &Endpoints::named, {"auto", "ranks", "tags"},
              "what is an endpoint to interfaces that know some (interface.program = \"am2\"): a rank, or "
              "what messages' tags name, as libmorgana-am writes them; then a message is in its "
              "endpoint's queue until the program has received it. auto: what the library's own tags "
              "name, in programs that are linked to it and in their traces, else ranks")
          .choice("page-fault", &Endpoints::page_fault, {"process", "thread"},
                  "what a send is suspended with whose endpoint has no frame in its interface "
                  "(interface.program = \"am2\"): its process, or only the thread that waits for the send");
  return table;
}

const Table<MessageLayer>& message_table() {
  static const auto table =
      Table<MessageLayer>("messages")
          .choice(
              "nic", &MessageLayer::nic, {"by-rank", "round-robin"},
              "where hosts have several NICs (hosts.nics): by which a message leaves, and comes to the "
              "NIC of that number at the other host. by-rank: each rank has one, its number among the "
              "ranks of its host modulo the NICs (a binding of processes to rails); round-robin: the next "
              "one for each message of a rank, whose messages are put in order when they come. One-sided "
              "accesses go by rank")
          .key(
              "stripe-from", &MessageLayer::stripe_from,
              "where hosts have several NICs: the data of a rendezvous of at least so many bytes go in equal "
              "parts by all of them at once (MVAPICH2: MV2_RAIL_SHARING_LARGE_MSG_THRESHOLD); 0 B: by one")
          .key("send-overhead", &MessageLayer::send_overhead,
               "o_s: of each message sent, before it reaches the interface")
          .key("receive-overhead", &MessageLayer::receive_overhead,
               "o_r: of each message received, when the receive completes")
          .key("send-per-byte", &MessageLayer::send_per_byte, "copying out of the program's buffer")
          .key("receive-per-byte", &MessageLayer::receive_per_byte, "copying into the program's buffer")
          .choice(
              "receive-copies", &MessageLayer::receive_copies, {"at-completion", "in-progress"},
              "when a receiver copies an eager message of another host into the program's buffer, where NICs "
              "deliver into registered memory (transport.kind = \"rc\", \"uet\"): when its receive "
              "completes; or "
              "as it comes, in whatever call makes progress then (UCX)")
          .key("eager-limit", &MessageLayer::eager_limit,
               "longer messages go by rendezvous: RTS, CTS, data; or are pushed in part")
          .key("buffer-overhead", &MessageLayer::buffer_overhead,
               "where NICs fetch messages from registered memory (transport.kind = \"rc\", \"uet\"): of an "
               "eager "
               "message that is longer than transport.inline, in addition to its copy into a registered "
               "buffer (UCX: bcopy)")
          .key("zero-copy-from", &MessageLayer::zero_copy_from,
               "there eager messages of at least this size are not copied by their sender: the NIC fetches "
               "them from the program's buffer, and the send completes when they are acknowledged (UCX: "
               "zcopy, UCX_ZCOPY_THRESH); 0 B: none")
          .key("zero-copy-overhead", &MessageLayer::zero_copy_overhead,
               "of such a message, in place of the copy: to find its buffer among the registered ones and to "
               "describe it to the NIC")
          .key("push", &MessageLayer::push,
               "of a longer message: first bytes, which come with the RTS (BTP1 of push-pull messaging)")
          .key("second-push", &MessageLayer::second_push,
               "of a longer message: bytes that follow the RTS without waiting for the CTS (BTP2); "
               "the CTS asks for what is left, if anything is")
          .key("unexpected-buffer", &MessageLayer::unexpected_buffer,
               "room of each receiver for what comes from other hosts before its receive is posted; bytes "
               "that "
               "find none are dropped and asked for when it is")
          .also(endpoint_table().keys())
          .choice(
              "eager", &MessageLayer::eager, {"send", "write"},
              "where hosts write each other's memory (transport.kind = \"rc\"): what moves short messages "
              "and "
              "the library's own, a send into a receive that the other host has posted, or a write into a "
              "ring buffer that it polls")
          .choice(
              "rendezvous", &MessageLayer::rendezvous, {"send", "read", "write"},
              "what moves longer messages: the sender sends them once it is cleared; or, where hosts read "
              "and "
              "write each other's memory (transport.kind = \"rc\"), the receiver reads them (RGET) or the "
              "sender writes them (RPUT), and then a message of the size messages.control says that it has "
              "finished")
          .key("rendezvous-overhead", &MessageLayer::rendezvous_overhead,
               "of a rendezvous over the network, on each side: to register memory and to exchange its keys")
          .key("envelope", &MessageLayer::envelope,
               "added to every message on the wire, except to what rendezvous reads or writes")
          .key("control", &MessageLayer::control,
               "size of an RTS without the bytes that it brings, and of a CTS")
          .key("poll-cost", &MessageLayer::poll_cost, "of a test or probe that finds nothing",
               {.at_least = "1 ns"})
          .key("reduce-per-byte", &MessageLayer::reduce_per_byte, "combining operands in a reduction")
          .key("local-overhead", &MessageLayer::local_overhead,
               "between ranks of one host: in place of send-overhead and receive-overhead")
          .key("local-latency", &MessageLayer::local_latency,
               "between ranks of one host: until the receiver can see what was copied in")
          .key("copy-per-byte", &MessageLayer::copy_per_byte,
               "between ranks of one host: of each of the two copies, in by the sender, out by the receiver")
          .key("own-copy-per-byte", &MessageLayer::own_copy_per_byte,
               "of what a collective copies within its rank's own memory; 0 ns/B: as copy-per-byte")
          .key("local-eager-limit", &MessageLayer::local_eager_limit,
               "between ranks of one host: longer messages go by rendezvous, or are pushed in part")
          .key("local-push", &MessageLayer::local_push,
               "between ranks of one host: first bytes of a longer message, which are copied twice like a "
               "short one");
  return table;
}

std::optional<Complaint> check_messages(const Settings& settings, const TransportKind& transport,
                                        bool relayed) {
  const MessageLayer layer = message_table().read(settings);
  const bool polls =
      host_table().read(settings).interrupts.handling == InterruptParameters::Handling::polling;
  const auto refuse = [&](const std::string& key) -> std::optional<Complaint> {
    if (!transport.remote_memory)
      return Complaint{key,
                       fmt::format("hosts do not read or write each other's memory with transport.kind = "
                                   "\"{}\"; set it to \"rc\", or leave {} out",
                                   transport.name, key)};
    if (!polls)
      return Complaint{
          key, fmt::format("an interrupt for each message (hosts.interrupts.handling) and memory that is "
                           "read or written without the host do not go together; leave one of the two out")};
    if (relayed)
      return Complaint{
          key, fmt::format("hosts of an overlay (overlay.kind) pass messages on, so they do not read or "
                           "write each other's memory; leave {} or the overlay out",
                           key)};
    return std::nullopt;
  };
  if (layer.rendezvous != RendezvousBy::send) {
    if (auto complaint = refuse("messages.rendezvous")) return complaint;
    if (layer.push > Bytes() || layer.second_push > Bytes())
      return Complaint{
          "messages.rendezvous",
          fmt::format("the receiver or sender moves a message by RDMA ({}), so no part of it is pushed; set "
                      "messages.rendezvous=send, or leave messages.push and messages.second-push out",
                      layer.rendezvous == RendezvousBy::read ? "read" : "write")};
  }
  if (layer.receive_copies == ReceiveCopies::in_progress)
    if (auto complaint = refuse("messages.receive-copies")) return complaint;
  if (layer.buffer_overhead > SimTime())
    if (auto complaint = refuse("messages.buffer-overhead")) return complaint;
  if (layer.zero_copy_from > Bytes()) {
    if (auto complaint = refuse("messages.zero-copy-from")) return complaint;
    if (layer.unexpected_buffer < MessageLayer().unexpected_buffer)
      return Complaint{
          "messages.zero-copy-from",
          "a message that finds no room in messages.unexpected-buffer is asked for again, when "
          "its sender may have changed the buffer that it was fetched from; leave one of the two "
          "out"};
  } else if (layer.zero_copy_overhead > SimTime()) {
    return Complaint{"messages.zero-copy-overhead",
                     "no message goes without a copy where messages.zero-copy-from is 0 B; set that, or "
                     "leave the overhead out"};
  }
  return layer.eager == EagerBy::send ? std::nullopt : refuse("messages.eager");
}

std::optional<Complaint> check_pcie(const Settings& settings, const TransportKind& transport) {
  const PcieParameters pcie = host_table().read(settings).pcie;
  if (pcie.completion_payload > Bytes() && pcie.completion_payload >= pcie.completion)
    return Complaint{
        "hosts.pcie.completion-payload",
        fmt::format("a payload of {} B does not fit within a completion of {} B: set "
                    "hosts.pcie.completion-payload to less than hosts.pcie.completion, or to 0 B",
                    pcie.completion_payload.count(), pcie.completion.count())};
  if (!pcie.limits() || transport.has_pcie) return std::nullopt;
  const std::string key = pcie.rate > BitRate(0) ? "hosts.pcie.rate" : "hosts.pcie.both-ways";
  return Complaint{key,
                   fmt::format("NICs of transport.kind = \"{}\" do not read and write over PCIe; set it to "
                               "\"rc\", or leave {} out",
                               transport.name, key)};
}

const std::vector<Section>& schema() {
  static const std::vector<Section> sections = make_schema();
  return sections;
}

bool has_kinds(const std::string& section) {
  return section == "network" || section == "transport" || section == "interface" || section == "overlay";
}

bool is_kind_key(const std::string& key) {
  return key == "network.kind" || key == "transport.kind" || key == "interface.model" ||
         key == "overlay.kind";
}

Key kind_key(const std::string& section) {
  Key key{
      section + (section == "interface" ? ".model" : ".kind"), ValueForm::word, std::string(), "", {}, {}};
  for (const Section& each : schema())
    if (each.name == section) key.words.push_back(each.kind);
  key.meaning = form_of(key);
  key.fallback = key.words.front();
  return key;
}

}  // namespace morgana
