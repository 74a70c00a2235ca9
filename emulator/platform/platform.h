#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/network_shape.h"
#include "emulator/messaging/machine.h"

namespace morgana {

namespace nccl {
struct Parameters;
}
enum class CollectiveLibrary : std::uint8_t;

/// How ranks are placed on hosts: `block` fills one host's processors after the other; `cyclic` deals ranks
/// out one host at a time; `spread` puts them at equal distances over all hosts that there are; `random`
/// takes hosts in an order drawn by chance; `by_group` fills one group of hosts after the other, a rank on
/// each host and again from the group's first; `over_groups` deals ranks out one group at a time, to the next
/// host of each; a file names the host number of rank 0, 1, ... one a line. Where hosts.count is auto, cyclic
/// has a host for each rank, and those after it all for which the network has ports (where that is any
/// number, a host for each rank). A group is the network's (of a dragonfly), else the hosts at one switch.
struct Placement {
  /// later: ranks are placed when they begin, by the process that starts them; until then all are on host 0.
  enum class Kind : std::uint8_t { block, cyclic, spread, listed, later, random, by_group, over_groups };
  Kind kind = Kind::block;
  std::vector<std::uint32_t> hosts;  ///< listed: by rank
  std::string origin;                ///< for messages: the file's name
  std::size_t open_hosts = 1;        ///< if left open: how many hosts (later), or at least how many (listed)
  /// Not listed, not later: so many ranks on each host, and as many hosts in use as that takes; 0: open.
  /// Ranks of a host follow each other, but for cyclic and over_groups.
  std::size_t per_host = 0;
  std::uint64_t seed = 1;  ///< random
  /// by_group, over_groups: the hosts at one switch are a group, whatever larger ones the network has.
  bool racks = false;
};
/// The rules that --map has beside files: "block", "cyclic", "spread", "random", "by-group", "by-rack",
/// "over-groups", "over-racks".
const std::vector<std::string>& placement_rules();
/// @param text  one of the rules, or one and how many ranks run on each host ("block:4"), or a file's name.
/// "random" may have a seed before that ("random:7", "random:7:4")
Placement read_placement(const std::string& text);
/// The rule, without a number of ranks a host; of a list its origin.
std::string name_of(const Placement& placement);

/// A job of several that run on one platform.
struct JobRanks {
  std::string name;  ///< for messages
  std::size_t ranks = 0;
};

/// The switches, hosts and cables of a network, for drawing.
struct NetworkGraph {
  NetworkShape shape;
  NetworkLinks links;  ///< that have carried nothing yet
};

/// A described environment: a TOML file, what it extends, and overrides, all checked.
class Platform {
 public:
  /// @param name  of a platform in the library's folder (MORGANA_PLATFORMS in the environment, else
  /// `platforms/` beside the program), or the path of a TOML file, recognised by a slash or its ending .toml
  /// @param overrides  "network.latency=5 us", as given to --set
  /// @throws Error naming file, line, column and the nearest known key or platform
  static Platform load(const std::string& name, std::span<const std::string> overrides = {});
  /// Same, from text (for tests and fuzzing); `origin` stands for the file's name in errors.
  static Platform parse(const std::string& text, const std::string& origin,
                        std::span<const std::string> overrides = {});

  /// Names of the platforms that come with Morgana, sorted.
  static std::vector<std::string> names();

  const std::string& name() const;
  const std::string& description() const;
  /// Of the technology; 0: of no particular one.
  std::int64_t year() const;
  /// In a few words, for lists.
  struct Outline {
    std::string rate;      ///< of a link: "200 Gb/s"; "-" where there is none
    std::string topology;  ///< "fat-tree, 400 hosts"; "-" where the network has no switches
    std::string network, transport, interface;  ///< their kinds
  };
  Outline outline() const;
  /// What the user's own files and overrides change or ignore without an error, a sentence each.
  const std::vector<std::string>& notices() const;
  /// No model: the program runs on this machine's real MPI and is measured.
  bool native() const;
  /// Simulated compute time = measured CPU time x this; > 0. Where the platform leaves it to the speed
  /// of its processors (hosts.compute-scale = "auto"): 1, until with_compute_scale() has settled it.
  double compute_scale() const;
  bool compute_scale_is_open() const;
  /// How many threads of a rank compute at a time; 0: as many as it has.
  std::uint32_t cores_per_rank() const;
  /// How fast its processors are: EP's time on one of them for one pair of random numbers; nothing if not
  /// known.
  std::optional<double> ep_seconds_per_pair() const;
  /// The same platform with hosts.compute-scale set. @param scale  > 0
  Platform with_compute_scale(double scale) const;
  /// The same platform with nothing beside a program (background.load = 0): for what measures the platform
  /// itself.
  Platform without_background() const;

  /// What an operation, and a byte of memory, take a processor (a GPU) at best (hosts.peak-tflops,
  /// hosts.memory-rate). In 10^12 operations and in bytes a second; 0: not known.
  struct Roofline {
    double tflops = 0, bytes_per_second = 0;
  };
  Roofline roofline() const;

  /// What a message between hosts costs its two processors at least: messages.send-overhead and
  /// messages.receive-overhead.
  SimTime overheads() const;

  /// collectives.library, and [nccl] with what the file of collectives.tuner says.
  /// @throws Error naming that file, and its line
  CollectiveLibrary collective_library() const;
  nccl::Parameters nccl() const;

  /// How many hosts it has; 0: as many as the ranks need.
  std::size_t hosts() const;

  /// Hosts, network, transport and placement for this many ranks.
  /// @param nics  of each host, > 0: each is at a port of the network of its own (Machine::nics)
  /// @throws Error if the platform has too few processors, saying which key to set, or can't have such NICs
  Machine build(std::size_t ranks, const Placement& placement, std::uint64_t seed,
                std::size_t nics = 1) const;

  /// The group of each host for placements by groups: its switch, or the network's own.
  /// @param nics  ports of the network of each host, one after the other
  /// @throws Error if the network has no switches, naming the placement
  std::vector<std::uint32_t> groups_of_hosts(std::size_t hosts, std::size_t nics,
                                             const Placement& placement) const;

  /// Hosts for the ranks of several jobs, job after job: the first one's as if it were alone, each other's in
  /// the same way on those hosts that the jobs before it leave. A list of hosts stays as it is.
  /// @throws Error if too few hosts are left
  Placement place_jobs(std::span<const JobRanks> jobs, const Placement& placement) const;

  /// Its network's links, as Network::links() has them in a run.
  /// @param hosts  where platform and network leave their number open; 0: enough for a picture
  /// @throws Error if the network has no switches and cables, saying what it has instead
  NetworkGraph network_graph(std::size_t hosts = 0) const;

  /// Every parameter with its value here, meaning, default and source. The text is itself a platform file,
  /// which extends nothing and describes the same.
  std::string describe() const;

 private:
  friend class PlatformMyrinet;
  friend class PlatformNetwork;
  struct Values;
  explicit Platform(std::shared_ptr<const Values> values);
  std::shared_ptr<const Values> values_;
};

/// docs/platforms.md: every key that a platform file may hold, generated from the schema.
std::string platform_reference();

}  // namespace morgana
