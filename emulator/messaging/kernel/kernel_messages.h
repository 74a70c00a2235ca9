#pragma once

#include <array>
#include <cstdint>

#include "emulator/core/counter_table.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/messaging/kernel/push_pull_states.h"

namespace morgana {

/// What push-pull messaging costs in addition to the message layer, and what space it has. Source of the
/// mechanisms: K.-P. Wong and C.-L. Wang, "Push-Pull Messaging: A High-Performance Communication Mechanism
/// for Commodity SMP Clusters", 1999, sections 1 and 2; the costs are not published one by one.
struct KernelMessages {
  /// When addresses between hosts are translated: after the pushes, which a sender launches from user space,
  /// or after the request of a late receiver (section 2.3); or before. Only a pull hides a translation: a
  /// message that is pushed whole has its addresses translated before, under either setting.
  enum class Translation : std::uint8_t { masked, first };
  Translation translation = Translation::masked;
  SimTime system_call;     ///< to enter the kernel: to translate, or to copy within the host
  SimTime translate_page;  ///< to find the physical addresses of a page; of fewer bytes in proportion
  Bytes page{4096};        ///< > 0
  SimTime launch;          ///< CPU time of a program for each unit that it brings to the NIC
  Bytes slot{2048};        ///< of the pushed buffer: a unit, or a push within the host, takes whole ones; > 0
};

/// How many messages have come to each state of their two parties.
struct KernelMessageCounters {
  std::array<std::int64_t, push_pull::names_of_sender.size()> sender{};
  std::array<std::int64_t, push_pull::names_of_receiver.size()> receiver{};
  /// A row for each state. A message is early at its receiver if it came to a posted receive.
  CounterTable table() const;

  std::int64_t slots = 0;             ///< of each receiver's pushed buffer
  std::int64_t slots_taken = 0;       ///< now, of all receivers' buffers
  std::int64_t most_slots_taken = 0;  ///< at any time, of any one receiver's buffer
  CounterTable buffer_table() const;
};

}  // namespace morgana
