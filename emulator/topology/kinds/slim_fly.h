#pragma once

#include "emulator/topology/switch_plan.h"

namespace morgana::topology {

/// A Slim Fly: the graph of McKay, Miller and Siran for q = 4 w + d, a power of a prime, with d in {-1, 0,
/// 1}: 2 q^2 switches of (3 q - d) / 2 trunks each, any two of them at most two trunks apart. Source: Besta
/// and Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network Topology", SC 2014, 2.2; the sets of d = 0
/// and d = -1 from Hafner, "Geometric realisation of the graphs of McKay-Miller-Siran", Journal of
/// Combinatorial Theory B 90, 2004.
///
/// Switch (0, x, y) is x q + y, switch (1, m, c) is q^2 + m q + c; hosts on all of them. (0, x, y) is joined
/// to (0, x, y') if y - y' is in the first set, (1, m, c) to (1, m, c') if c - c' is in the second, and (0,
/// x, y) to (1, m, c) if y = m x + c. @param q  3 .. 90. @throws Error for a q of another form
SwitchPlan slim_fly(unsigned q);

}  // namespace morgana::topology
