#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// A network as a file of another program describes it: by names.
struct NetworkFile {
  struct End {
    SwitchId at = 0;
    std::optional<unsigned> port;  ///< as the file numbers it
  };
  struct Cable {
    End a, b;
    std::string link;  ///< "at 100 Gb/s over 25 ns", of which each part may be missing
  };
  struct Host {
    std::string name;
    End at;
    std::string link;
    std::optional<unsigned> lid = {};  ///< of InfiniBand's adapters: the first of 2^lmc
    unsigned lmc = 0;                  ///< 0 to 7
  };
  std::vector<std::string> switches;                      ///< names, by number
  std::vector<std::optional<unsigned>> switch_lids = {};  ///< of InfiniBand's, by number; else none at all
  std::vector<Cable> cables;                              ///< between switches
  std::vector<Host> hosts;                                ///< by number; none: the file names switches only
  /// A network that is one of our topologies: keys of [network] and their values, in place of the lists.
  std::vector<std::pair<std::string, std::string>> keys = {};
  std::string routes = {};              ///< of network.routes, as the file's program routes; empty: any
  unsigned processors = 0;              ///< of each host; 0: the file does not say
  std::vector<std::string> notes = {};  ///< what is not taken over, or not as it is there, for people
};

/// A plain list of edges: two names a line, and perhaps what its link is ("at 100 Gb/s over 25 ns"); empty
/// lines and what follows a # don't count. A name of "h" or "host" and digits is a host, any other a switch.
/// Both are numbered as they come; names that are all numbers are switches' numbers in their order. @param
/// name  of the file, for errors
/// @throws Error naming file and line, here and below
NetworkFile read_edge_list(std::string_view text, const std::string& name);

/// What InfiniBand's ibnetdiscover prints (its manual page: "topology file format"): switches in their order,
/// hosts (a port of a channel adapter each) switch by switch and by the switch's port. Cables have the data
/// rate of their width and speed ("4xEDR": 100 Gb/s).
NetworkFile read_ibnetdiscover(std::string_view text, const std::string& name);

/// What ibroute and dump_lfts.sh print (their manual pages): forwarding tables of InfiniBand's switches,
/// which are found by their guids, for hosts, by their lids. Entries for switches, and for a host's lids
/// beyond its first, are left out. @param network  as ibnetdiscover found it
/// @param ports_have_numbers  the platform keeps the file's port numbers. Else hosts have a switch's first
/// ports, and cables the others in their order
/// @return entries of network.route-table
/// @throws Error naming file and line; also for a host without a lid, a lid that no host has, and a way from
/// a switch with hosts to a host that ends or leads round
std::vector<std::string> read_forwarding_tables(std::string_view text, const std::string& name,
                                                const NetworkFile& network, bool ports_have_numbers);

/// SimGrid's platform XML with one <cluster>, FLAT, FAT_TREE, TORUS or DRAGONFLY; links have its bandwidth
/// and latency. Source: SimGrid's documentation, "<cluster>", and its zones of these names.
/// @throws Error naming file, line and element for what is not understood
NetworkFile read_simgrid_cluster(std::string_view text, const std::string& name);

/// Any of them, as the text looks. It may begin with a byte order mark of UTF-8. @throws Error for UTF-16
NetworkFile read_network_file(std::string_view text, const std::string& name);

}  // namespace morgana::topology
