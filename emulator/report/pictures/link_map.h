#pragma once

#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

struct MapPoint {
  double x = 0, y = 0;
};

/// A drawn network: switches as places, hosts as dots, cables as lines whose colour tells how much they are
/// used.
struct LinkMap {
  struct Place {
    MapPoint at;
    std::string name;
  };
  struct Host {
    MapPoint at;
    MapPoint name_at;
    std::string name;
  };
  struct Line {
    std::vector<MapPoint> points;  ///< two or more
    double share = 0;              ///< 0 .. 1
    bool thin = false;             ///< a host's
  };
  std::string title;
  std::vector<Place> places;
  std::vector<Line> lines;
  std::vector<Host> hosts = {};
  std::string caption = {};  ///< below; may be empty
  bool coloured = true;      ///< else all lines look the same, whatever their share
  double darkest = 0;        ///< the share drawn darkest, the same in maps to be compared; 0: the largest
};

/// The commands that make gnuplot draw the map into `file`; its ending says as what: .svg or .png. The
/// picture grows with the network; names are left out where they would not be readable.
/// @throws Error for another ending
std::string gnuplot_script(const LinkMap& map, const std::string& file);

/// Draws the map. @throws Error if gnuplot is missing or fails, or for another ending
void draw(const LinkMap& map, const std::string& file);

}  // namespace morgana
