#pragma once

#include <string>

namespace morgana {

/// How the ranks (or PVM tasks) of this machine have been between the last look and this one.
struct RanksAtRest {
  bool all = true;          ///< none goes on unless ranks elsewhere or the emulator do something
  std::string out_of_room;  ///< what to say if nobody reads what a resting rank has sent; empty: none
};

}  // namespace morgana
