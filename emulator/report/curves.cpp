#include "emulator/report/curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/gnuplot.h"

namespace morgana {
namespace {

constexpr std::size_t width = 760;

/// gnuplot finds no range for an axis on which everything is 0, and complains.
bool is_flat_zero(const Curves& curves) {
  return std::all_of(curves.curves.begin(), curves.curves.end(), [](const Curve& curve) {
    return std::all_of(curve.points.begin(), curve.points.end(),
                       [](const CurvePoint& point) { return point.y == 0 && point.radius == 0; });
  });
}

bool goes_below_zero(const Curves& curves) {
  return std::any_of(curves.curves.begin(), curves.curves.end(), [](const Curve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [](const CurvePoint& point) { return point.y < 0; });
  });
}

std::string axes(const Curves& curves) {
  std::string script = "set autoscale xfix\n";
  if (curves.logarithmic_x) script += "set logscale x\n";
  if (curves.logarithmic_y) script += "set logscale y\n";
  if (!curves.places.empty()) {
    script += "set xtics (";
    for (std::size_t i = 0; i < curves.places.size(); ++i)
      script += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot::quoted(curves.places[i]), i);
    script += fmt::format(")\nset xrange [-0.5:{}]\n", static_cast<double>(curves.places.size()) - 0.5);
  }
  // An axis that begins at 0 doesn't make small differences look large.
  if (!curves.logarithmic_y)
    script += fmt::format("set yrange [{}:{}]\n", goes_below_zero(curves) ? "*" : "0",
                          is_flat_zero(curves) ? "1" : "*");
  return script;
}

bool has_intervals(const Curve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const CurvePoint& point) { return point.radius > 0; });
}

/// So many points would hide their curve.
bool is_dense(const Curve& curve) {
  constexpr std::size_t most_marked = 30;
  return curve.points.size() > most_marked;
}

}  // namespace

std::string gnuplot_script(const Curves& curves, const std::string& file) {
  std::string script =
      fmt::format("set terminal {}\nset output {}\n", gnuplot::terminal(file, width), gnuplot::quoted(file));
  script += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n", gnuplot::quoted(curves.title),
                        gnuplot::quoted(curves.x_name), gnuplot::quoted(curves.y_name));
  script += "set grid lt 1 lw 1 lc rgb '#dddddd'\nset border 3\nset tics nomirror out scale 0.5\n";
  script += "set key outside right top\nset offsets graph 0.02, graph 0.02, graph 0.05, 0\n";
  script += axes(curves);
  for (std::size_t i = 0; i < curves.curves.size(); ++i) {
    script += fmt::format("$curve{} << END_OF_DATA\n", i);
    for (const CurvePoint& point : curves.curves[i].points)
      script += fmt::format("{} {} {}\n", point.x, point.y, point.radius);
    script += "END_OF_DATA\n";
  }
  script += "plot";
  for (std::size_t i = 0; i < curves.curves.size(); ++i) {
    const char* colour = gnuplot::colours[i % gnuplot::colours.size()];
    // Beyond the colours, other points tell curves apart.
    const std::size_t shape = 5 + 2 * (i / gnuplot::colours.size());
    const std::string marks = is_dense(curves.curves[i]) ? "" : fmt::format(" pt {}", shape);
    script += fmt::format("{} $curve{} using 1:2 with {} lc rgb '{}' lw 2{} title {}", i == 0 ? "" : ",", i,
                          marks.empty() ? "lines" : "linespoints", colour, marks,
                          gnuplot::quoted(curves.curves[i].name));
    if (has_intervals(curves.curves[i]))
      script += fmt::format(", $curve{} using 1:2:3 with yerrorbars lc rgb '{}' ps 0 notitle", i, colour);
  }
  return script + '\n';
}

void draw(const Curves& curves, const std::string& file) {
  gnuplot::run(gnuplot_script(curves, file), file);
}

}  // namespace morgana
