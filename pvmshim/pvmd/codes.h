#pragma once

#include <cstdint>

namespace morgana::pvm {

// What PVM's calls return, and the flags that requests carry. Source: PVM 3.4.6, pvm3.h.
constexpr std::int32_t pvm_ok = 0;
constexpr std::int32_t bad_parameter = -2;
constexpr std::int32_t mismatch = -3;
constexpr std::int32_t no_host = -6;
constexpr std::int32_t no_file = -7;
constexpr std::int32_t denied = -8;  ///< also what a mailbox says of an entry that is there already
constexpr std::int32_t no_memory = -10;
constexpr std::int32_t system_error = -14;
constexpr std::int32_t null_group = -17;
constexpr std::int32_t duplicate_group = -18;
constexpr std::int32_t no_group = -19;
constexpr std::int32_t not_in_group = -20;
constexpr std::int32_t no_instance = -21;
constexpr std::int32_t no_parent = -23;
constexpr std::int32_t out_of_resources = -27;
constexpr std::int32_t duplicate_host = -28;
constexpr std::int32_t no_task = -31;
constexpr std::int32_t not_found = -32;
constexpr std::int32_t parent_not_set = -35;

constexpr std::int32_t spawn_on_host = 1, spawn_on_architecture = 2, spawn_in_debugger = 4,
                       spawn_on_complement = 32, spawn_without_parent = 64;

constexpr std::int32_t task_exit = 1, host_delete = 2, host_add = 3, notify_cancel = 256;

constexpr std::int32_t mailbox_persistent = 1, mailbox_many_instances = 2, mailbox_overwritable = 4,
                       mailbox_first_available = 8, mailbox_read_and_delete = 16, mailbox_wait = 32;
/// The index that PvmMboxDirectIndex has put into the flags; 0: none.
constexpr std::int32_t direct_index(std::int32_t flags) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(flags) >> 10);
}

/// What pvm_config says of every host: there is one architecture, LINUX64, with this data signature.
constexpr const char* architecture = "LINUX64";
constexpr std::int32_t data_signature = 4230209;

/// What a task's flag in pvm_tasks is made of: started by pvm_spawn, and connected.
constexpr std::int32_t task_spawned = 2, task_connected = 4;

}  // namespace morgana::pvm
