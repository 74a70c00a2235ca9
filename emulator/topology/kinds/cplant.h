#pragma once

#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// The network of the Computational Plant at Sandia National Laboratories: 50 switches of 16 ports with 8
/// hosts each. Source: Riesen et al., "CPLANT", 1999, as described in Flich, López, Malumbres and Duato,
/// "Boosting the Performance of Myrinet Networks", 2002, 5.1.
///
/// Switches 8g .. 8g+7 are group g of six. Within a group a switch is joined to those whose number in the
/// group differs in one bit, and to the farthest one (all three bits differ). Switches of the same number in
/// different groups are joined likewise, by the groups' numbers; switches 48 and 49 are numbers 0 and 1 of
/// group 6.
///
/// The paper leaves open where the two additional switches go and which ports between groups stay open.
/// Chosen: the six groups stand at positions 0 to 5 of a cube of which 7 is empty, and the additional group
/// at 6, so that one rule makes all cables. A switch then has three cables to other groups (groups 1, 2 and
/// 4: numbers 0 and 1 have four); the paper's fourth port leads to positions where nothing stands.
SwitchGraph cplant();

}  // namespace morgana::topology
