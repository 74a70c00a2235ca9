#include "emulator/report/pictures/link_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "emulator/report/pictures/gnuplot.h"

namespace morgana {
namespace {

constexpr std::size_t scale_of_colours = 130;  // pixels beside the map

/// What a picture shows, and how large.
struct Frame {
  double left = 0, right = 0, bottom = 0, top = 0;
  double scale = 0;  ///< pixels for a distance of 1
  std::size_t width = 0, height = 0;
};

Frame frame_of(const LinkMap& map) {
  constexpr double margin = 0.25, usual = 90, largest = 1500, least_width = 480, least_height = 330,
                   largest_scale = 130;
  constexpr double above_and_below = 110;
  Frame frame;
  auto take_in = [&, first = true](MapPoint at) mutable {
    if (std::exchange(first, false)) frame = {at.x, at.x, at.y, at.y};
    frame.left = std::min(frame.left, at.x);
    frame.right = std::max(frame.right, at.x);
    frame.bottom = std::min(frame.bottom, at.y);
    frame.top = std::max(frame.top, at.y);
  };
  for (const LinkMap::Place& place : map.places) take_in(place.at);
  for (const LinkMap::Host& host : map.hosts) take_in(host.at);
  for (const LinkMap::Line& line : map.lines)
    for (const MapPoint& point : line.points) take_in(point);
  frame.left -= margin;
  frame.right += margin;
  frame.bottom -= margin;
  frame.top += margin;
  const auto widen = [](double& low, double& high, double least) {
    const double missing = std::max(0.0, least - (high - low));
    low -= missing / 2;
    high += missing / 2;
  };
  widen(frame.left, frame.right, least_width / largest_scale);
  widen(frame.bottom, frame.top, least_height / largest_scale);
  const double wide = frame.right - frame.left, high = frame.top - frame.bottom;
  frame.scale = std::min(usual, largest / std::max(wide, high));
  frame.scale = std::max(frame.scale, std::min(least_width / wide, least_height / high));
  frame.width = static_cast<std::size_t>(std::max(least_width, frame.scale * wide) + scale_of_colours);
  frame.height = static_cast<std::size_t>(std::max(least_height, frame.scale * high) + above_and_below);
  return frame;
}

/// A text over as many lines as it takes to fit into the picture.
std::string wrapped(const std::string& text, std::size_t width) {
  constexpr std::size_t pixels_of_a_letter = 9;
  const std::size_t most = std::max<std::size_t>(width / pixels_of_a_letter, 1);
  std::string result, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word != "%" && !line.empty() && line.size() + 1 + word.size() > most) {
      result += gnuplot::quoted(line) + ".\"\\n\".";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + gnuplot::quoted(line);
}

/// A line's colour goes from light to dark, so that it can be read without colours.
std::string colours(const LinkMap& map) {
  constexpr double percent = 100;
  double highest = percent * map.darkest;
  for (const LinkMap::Line& line : map.lines) highest = std::max(highest, percent * line.share);
  return fmt::format(
      "set palette defined (0 '#DDE6EE', 0.35 '#77AADD', 0.7 '#EE8866', 1 '#882222')\n"
      "set cblabel 'utilisation (%)'\nset colorbox\nset cbtics\nset cbrange [0:{}]\n",
      highest > 0 ? highest : 1);
}

std::string lines_of(const LinkMap& map, bool thin) {
  constexpr double percent = 100;
  std::string text;
  for (const LinkMap::Line& line : map.lines) {
    if (line.thin != thin) continue;
    for (const MapPoint& point : line.points)
      text += fmt::format("{} {} {}\n", point.x, point.y, percent * line.share);
    text += '\n';
  }
  return text;
}

std::string place_line(MapPoint at, std::string name) {
  std::replace(name.begin(), name.end(), '"', '\'');  // a quoted field has no way to hold its own quote
  return fmt::format("{} {} \"{}\"\n", at.x, at.y, name);
}

}  // namespace

std::string gnuplot_script(const LinkMap& map, const std::string& file) {
  // Pixels that a switch must have for its name, and a host for its own.
  constexpr double switch_room = 45, most_named_hosts = 64, most_scale = 100;
  const Frame frame = frame_of(map);
  std::string script = fmt::format("set terminal {}\nset output picture\n",
                                   gnuplot::terminal(file, frame.width, frame.height));
  script += fmt::format("set title {}\nunset border\nunset tics\nunset key\n",
                        wrapped(map.title, frame.width - scale_of_colours));
  if (!map.caption.empty())
    script += fmt::format("set xlabel {}\n", wrapped(map.caption, frame.width - scale_of_colours));
  script += fmt::format("set size ratio -1\nset xrange [{}:{}]\nset yrange [{}:{}]\n", frame.left,
                        frame.right, frame.bottom, frame.top);
  script += map.coloured ? colours(map) : "unset colorbox\n";
  const std::string colour = map.coloured ? "palette" : "rgb '#4477AA'";
  std::string plots;
  const auto plot = [&](const std::string& block, const std::string& data, const std::string& how) {
    if (data.empty()) return;
    if (script.find(fmt::format("${} <<", block)) == std::string::npos)
      script += fmt::format("${} << END_OF_DATA\n{}END_OF_DATA\n", block, data);
    plots += fmt::format("{}${} using {}", plots.empty() ? "" : ", ", block, how);
  };
  plot("host_lines", lines_of(map, true), fmt::format("1:2:3 with lines lw 1.5 lc {}", colour));
  plot("lines", lines_of(map, false), fmt::format("1:2:3 with lines lw 2.5 lc {}", colour));
  const bool named = frame.scale >= switch_room;
  // Of a switch; what gnuplot calls a size of 1 is so many pixels.
  const double radius = named ? 0.13 * std::min(frame.scale, most_scale) : 0.13 * frame.scale;
  const double size = radius / (file.ends_with(".svg") ? 4.5 : 3.2);
  std::string places, hosts, host_names;
  for (const LinkMap::Place& place : map.places) places += place_line(place.at, place.name);
  for (const LinkMap::Host& host : map.hosts) {
    hosts += fmt::format("{} {}\n", host.at.x, host.at.y);
    host_names += place_line(host.name_at, host.name);
  }
  const bool name_hosts = named && static_cast<double>(map.hosts.size()) <= most_named_hosts;
  plot("hosts", hosts, fmt::format("1:2 with points pt 7 ps {:.2f} lc rgb '#444444'", 0.2 * size));
  plot("places", places, fmt::format("1:2 with points pt 7 ps {:.2f} lc rgb '#FFFFFF'", size));
  plot("places", places, fmt::format("1:2 with points pt 6 ps {:.2f} lc rgb '#666666'", size));
  if (name_hosts) plot("host_names", host_names, "1:2:3 with labels font ',7'");
  if (named) plot("places", places, "1:2:3 with labels font ',8'");
  return script + "plot " + plots + '\n';
}

void draw(const LinkMap& map, const std::string& file) {
  gnuplot::run(gnuplot_script(map, file), file);
}

}  // namespace morgana
