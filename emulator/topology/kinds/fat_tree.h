#pragma once

#include <vector>

#include "emulator/schema/schema.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// A k-ary n-tree: n levels of k^(n-1) switches with k ports down and k ports up, k^n hosts. Two levels are a
/// Clos network with spines. Source: Petrini and Vanneschi, "k-ary n-trees: High Performance Networks for
/// Massively Parallel Architectures", 1997.
struct FatTreeShape {
  unsigned arity = 2;
  unsigned levels = 2;
};

/// As an extended generalised fat tree: k children and k parents at every level.
XgftShape as_xgft(const FatTreeShape& shape);

/// Level 0, which has the hosts, comes first. Switch w of level l is joined to the switches of level l+1
/// whose numbers to the base k differ from w in digit l only (or not at all). Ports 0 .. k-1 lead down, by
/// the digit, the others up; those of the top level have k ports. @throws Error for an arity or levels below
/// 1, or too many
SwitchGraph fat_tree(const FatTreeShape& shape);

/// network.arity and network.levels, of trees and fat trees.
std::vector<Key> tree_keys();
FatTreeShape tree_shape(const Settings& settings);

}  // namespace morgana::topology
