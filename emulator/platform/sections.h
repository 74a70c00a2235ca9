#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/collectives/tuning.h"
#include "emulator/host/host_memory.h"
#include "emulator/host/io_bus.h"
#include "emulator/host/kernel.h"
#include "emulator/host/memory_bus.h"
#include "emulator/host/pcie_bus.h"
#include "emulator/messaging/endpoint_settings.h"
#include "emulator/messaging/message_layer.h"
#include "emulator/schema/complaint.h"
#include "emulator/schema/schema.h"
#include "emulator/topology/network_topology.h"

namespace morgana {

/// [hosts]: the computers that ranks run on.
struct HostParameters {
  std::int64_t count = 0;       ///< 0: as many as the ranks need
  std::int64_t processors = 1;  ///< of each host
  std::int64_t nics = 1;        ///< likewise
  /// What the NICs of a host are on.
  enum class Rails : std::uint8_t {
    separate,  ///< NIC i of every host is on network i, and all networks are alike
    joined,    ///< all are at ports of one network, next to each other
  } rails = Rails::separate;
  /// How many of a rank's threads compute at a time; 0: all that it has.
  std::int64_t cores_per_rank = 0;
  double compute_scale = 0;  ///< simulated compute time = measured CPU time x this; 0: auto
  /// EP's CPU time on one processor, for 2^ep_pairs pairs of random numbers; 0: not known.
  SimTime ep_time = SimTime();
  std::int64_t ep_pairs = 25;
  InterruptParameters interrupts = {};
  /// Of a processor (a GPU): operations a second, in 10^12, and what its memory carries; 0: not known.
  double peak_tflops = 0;
  BitRate memory_rate{0};
  /// For which ranks of a processor take turns; 0: a rank has one to itself.
  SimTime quantum = SimTime();
  /// From so many ranks on a host on its processors run at a lower clock, and what they do of messages
  /// takes busy_scale times as long; 0: never.
  std::int64_t busy_from = 0;
  double busy_scale = 1;
  IoBusParameters io_bus = {};   ///< of interfaces that use one (interface.model)
  MemoryBusParameters bus = {};  ///< `copy` is the message layer's copy-per-byte
  HostMemoryParameters memory = {};
  PcieParameters pcie = {};  ///< of transports whose NICs are modelled with it (TransportKind::has_pcie)
};
const Table<HostParameters>& host_table();
/// What doesn't fit together in [hosts].
std::optional<Complaint> check_hosts(const Settings& settings);
const Table<MessageLayer>& message_table();
struct TransportKind;
/// What in [messages] doesn't fit the transport. @param relayed  whether an overlay carries the messages
std::optional<Complaint> check_messages(const Settings& settings, const TransportKind& transport,
                                        bool relayed);
/// What of PCIe in [hosts] doesn't fit the transport.
std::optional<Complaint> check_pcie(const Settings& settings, const TransportKind& transport);
/// Those keys of [messages] that name endpoints of Active Messages.
const Table<EndpointSettings>& endpoint_table();

/// [collectives]: when nonblocking ones go on, and a key for each kind whose algorithm can be chosen.
std::vector<Key> collective_keys();
CollectiveTuning read_collectives(const Settings& settings);
/// Its key of the library that `morgana collective` and execution traces take.
CollectiveLibrary read_collective_library(const Settings& settings);
/// The file that its key `tuner` names; null where it names none.
/// @throws Error naming the file, and of what it holds the line
std::shared_ptr<const nccl::Tuner> read_tuner(const Settings& settings);
/// [nccl].
const Table<nccl::Parameters>& nccl_table();

/// A table of a platform file, for one of its kinds if it has several.
struct Section {
  std::string name;     ///< "network"
  std::string kind;     ///< "loggp"; empty where there are no kinds
  std::string meaning;  ///< a sentence
  std::vector<Key> keys;
};
/// Every section with every kind, in the order in which they are shown. `kind` keys are not among the keys.
const std::vector<Section>& schema();

/// Sections that come in kinds.
bool has_kinds(const std::string& section);
/// The key that chooses the kind: "network.kind", "transport.kind", "interface.model", "overlay.kind".
Key kind_key(const std::string& section);
bool is_kind_key(const std::string& key);

}  // namespace morgana
