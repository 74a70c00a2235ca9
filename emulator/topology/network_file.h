#pragma once

#include <optional>
#include <string>
#include <string_view>
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
  };
  std::vector<std::string> switches;  ///< names, by number
  std::vector<Cable> cables;          ///< between switches
  std::vector<Host> hosts;            ///< by number; none: the file names switches only
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

/// Either of them, whichever the text looks like.
NetworkFile read_network_file(std::string_view text, const std::string& name);

}  // namespace morgana::topology
