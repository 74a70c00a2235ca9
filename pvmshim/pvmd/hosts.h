#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pvmshim/pvmd/daemon.h"

namespace morgana::pvm {

/// The platform's hosts and which of them are in the virtual machine: at first all. The first one, where the
/// master daemon lives, always is.
class Hosts {
 public:
  explicit Hosts(std::vector<VirtualHost> hosts) : hosts_(std::move(hosts)), present_(hosts_.size(), true) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(hosts_.size()); }
  const VirtualHost& operator[](std::uint32_t host) const { return hosts_[host]; }
  bool present(std::uint32_t host) const { return host < size() && present_[host]; }
  /// The host that an id, of itself or of a task on it, names, if it is in the machine.
  std::optional<std::uint32_t> of(TaskId id) const;
  /// The host of that name in the machine; "." is the asker's own.
  std::optional<std::uint32_t> find(const std::string& name, std::uint32_t asker) const;

  /// As pvm_addhosts: the first word of `name` names the host. @return its id, or PVM's error code
  std::int32_t add(const std::string& name);
  void remove(std::uint32_t host);

 private:
  std::vector<VirtualHost> hosts_;
  std::vector<bool> present_;
};

/// Which host gets which of the tasks of one pvm_spawn: hosts get blocks of about the same size one after the
/// other, and the next pvm_spawn from the same host goes on where this one has ended; the first one begins
/// behind the spawner's own host. Source: PVM 3.4.6, assign_tasks.
class SpawnPlacement {
 public:
  /// @param allowed  per host; at least one
  /// @param count  of tasks, > 0
  std::vector<std::uint32_t> place(std::uint32_t spawner, const std::vector<bool>& allowed,
                                   std::uint32_t count);

 private:
  std::map<std::uint32_t, std::uint32_t> next_;  ///< by the spawner's host
};

}  // namespace morgana::pvm
