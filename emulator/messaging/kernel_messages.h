#pragma once

#include <array>
#include <cstdint>

#include "emulator/core/counter_table.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/messaging/push_pull_states.h"

namespace morgana {

/// What push-pull messaging costs besides the message layer, and what room it has. Source of the mechanisms:
/// K.-P. Wong and C.-L. Wang, "Push-Pull Messaging: A High-Performance Communication Mechanism for Commodity
/// SMP Clusters", 1999, sections 1 and 2; the costs are not published one by one.
struct KernelMessages {
  /// Whether addresses are translated when nothing waits for it: by a sender when its pushes are under way,
  /// which it launches from user space; by a late receiver when its request is (section 2.3). Else before.
  enum class Translation : std::uint8_t { masked, first };
  Translation translation = Translation::masked;
  SimTime system_call;     ///< to enter the kernel: to translate, or to copy within the host
  SimTime translate_page;  ///< to find the physical address of a page
  Bytes page{4096};        ///< > 0
  SimTime launch;          ///< processor time of a program for each unit that it brings to the interface
  Bytes slot{2048};        ///< of the pushed buffer: what a unit, or a push within the host, takes; > 0
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
