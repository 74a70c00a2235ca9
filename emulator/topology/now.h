#pragma once

#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// Berkeley's Network of Workstations: 100 hosts and 40 switches of eight ports, like a fat tree, in three
/// subclusters joined by two switches with 11 cables. Source: Chun, Mainwaring and Culler, "Virtual Network
/// Transport Protocols for Myrinet", 1998, figure 3.
///
/// The figure shows no port numbers. Chosen, so that all counts come out: 20 leaf switches with 5 hosts and
/// three cables upwards, 7, 7 and 6 of them a subcluster; in each subcluster four middle switches (leaf i is
/// joined to all but the middle switch (i + 3) mod 4) and two top switches, each with one cable to every
/// middle switch; two joining switches, to which the top switches of the first two subclusters have two
/// cables each, one to either, and those of the third two and one.
///
/// Numbering: per subcluster leaves, middle and top switches, then the joining switches 38 and 39; hosts leaf
/// by leaf. The root for up*/down* orientation is best a joining switch.
SwitchGraph now();

}  // namespace morgana::topology
