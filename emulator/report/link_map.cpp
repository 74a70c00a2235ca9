#include "emulator/report/link_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/gnuplot.h"

namespace morgana {

std::string gnuplot_script(const LinkMap& map, const std::string& file) {
  constexpr std::size_t width = 820;
  constexpr double percent = 100;
  double highest = percent * map.darkest;
  for (const LinkMap::Line& line : map.lines) highest = std::max(highest, percent * line.share);
  std::string script =
      fmt::format("set terminal {}\nset output {}\n", gnuplot::terminal(file, width), gnuplot::quoted(file));
  script += fmt::format("set title {}\nunset border\nunset tics\nunset key\n", gnuplot::quoted(map.title));
  script += "set size ratio -1\nset offsets graph 0.04, graph 0.04, graph 0.04, graph 0.04\n";
  // Light to dark, so that it can be read without colours.
  script += "set palette defined (0 '#DDE6EE', 0.35 '#77AADD', 0.7 '#EE8866', 1 '#882222')\n";
  script += fmt::format("set cblabel 'utilisation (%)'\nset colorbox\nset cbtics\nset cbrange [0:{}]\n",
                        highest > 0 ? highest : 1);
  script += "$lines << END_OF_DATA\n";
  for (const LinkMap::Line& line : map.lines) {
    for (const MapPoint& point : line.points)
      script += fmt::format("{} {} {}\n", point.x, point.y, percent * line.share);
    script += '\n';
  }
  script += "END_OF_DATA\n$places << END_OF_DATA\n";
  for (const LinkMap::Place& place : map.places) {
    std::string name = place.name;
    std::replace(name.begin(), name.end(), '"', '\'');  // a quoted field has no way to hold its own quote
    script += fmt::format("{} {} \"{}\"\n", place.at.x, place.at.y, name);
  }
  script += "END_OF_DATA\n";
  script += "plot $lines using 1:2:3 with lines lw 2.5 lc palette, ";
  script += "$places using 1:2 with points pt 7 ps 1.9 lc rgb '#FFFFFF', ";
  script += "$places using 1:2 with points pt 6 ps 1.9 lc rgb '#666666', ";
  return script + "$places using 1:2:3 with labels font ',8'\n";
}

void draw(const LinkMap& map, const std::string& file) {
  gnuplot::run(gnuplot_script(map, file), file);
}

}  // namespace morgana
