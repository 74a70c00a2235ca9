#include "emulator/report/pictures/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/quantity.h"
#include "emulator/report/pictures/gnuplot.h"
#include "emulator/report/size_text.h"

namespace morgana {
namespace {

constexpr std::size_t width = 760, plot_height = 440, of_a_line = 22;

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

double greatest_of(const Curves& curves) {
  double greatest = 0;
  for (const Curve& curve : curves.curves)
    for (const CurvePoint& point : curve.points) greatest = std::max(greatest, point.y);
  return greatest;
}

double least_of(const Curves& curves) {
  double least = std::numeric_limits<double>::infinity();
  for (const Curve& curve : curves.curves)
    for (const CurvePoint& point : curve.points) least = std::min(least, point.y);
  return least;
}

/// How many lines the names of the curves take below the picture.
std::size_t key_lines(const Curves& curves) {
  constexpr std::size_t of_a_letter = 8, of_a_sample = 70;
  std::size_t longest = 0;
  for (const Curve& curve : curves.curves) longest = std::max(longest, curve.name.size());
  const std::size_t in_a_line = std::max<std::size_t>(width / (longest * of_a_letter + of_a_sample), 1);
  return (curves.curves.size() + in_a_line - 1) / in_a_line;
}

/// A title that is wider than the picture is set smaller, and its end is left out if that does not help.
std::string title(const std::string& text) {
  constexpr std::size_t most = 80, most_small = 115;
  if (text.size() <= most) return gnuplot::quoted(text);
  const std::string small = text.size() <= most_small ? text : text.substr(0, most_small - 3) + "...";
  return gnuplot::quoted(small) + " font ',10'";
}

/// A mark on the x axis.
struct XMark {
  double place;
  bool labelled;
};

/// Where all curves' points lie, labelled as far as the labels would not touch each other; nothing where they
/// are so many that most would have none.
std::vector<XMark> marks_at_points(const Curves& curves) {
  std::set<double> places;
  for (const Curve& curve : curves.curves)
    for (const CurvePoint& point : curve.points) places.insert(point.x);
  const std::size_t most_marks = curves.x_is_size ? 64 : 16;  // powers of ten name no sizes
  if (places.size() < (curves.x_is_size ? 1 : 2) || places.size() > most_marks) return {};
  const auto along = [&](double x) { return curves.logarithmic_x ? std::log(x) : x; };
  const double least_share = curves.x_is_size ? 0.09 : 0.06;  // of the axis; "512 KiB" is wide
  const double last = along(*places.rbegin()), least = least_share * (last - along(*places.begin()));
  std::vector<XMark> marks;
  double labelled = 0;
  for (const double place : places) {
    const bool is_last = place == *places.rbegin();
    const bool room =
        marks.empty() || is_last || (along(place) - labelled >= least && last - along(place) >= least);
    if (room) labelled = along(place);
    marks.push_back({place, room});
  }
  return marks;
}

/// Where all points lie, if that is one place.
std::optional<double> only_place(const Curves& curves) {
  std::optional<double> place;
  for (const Curve& curve : curves.curves)
    for (const CurvePoint& point : curve.points) {
      if (place && *place != point.x) return std::nullopt;
      place = point.x;
    }
  return place;
}

/// A mark there, for gnuplot: measured places need no more digits than a reader.
std::string mark_at(XMark mark, bool is_size) {
  const double place = mark.place;
  if (!mark.labelled) return fmt::format("'' {}", place);
  if (is_size) return fmt::format("'{}' {:.17g}", size_text(Bytes(std::llround(place))), place);
  // Those of a million and more would be written as 8.38861e+06.
  constexpr double million = 1e6;
  return std::floor(place) == place && place < million ? fmt::format("{}", place)
                                                       : fmt::format("'{:.3g}' {}", place, place);
}

std::string axes(const Curves& curves) {
  std::string script = "set autoscale xfix\n";
  // A single place has no range, which gnuplot would make up with a warning.
  if (const std::optional<double> place = only_place(curves); place && curves.places.empty()) {
    const double around = *place == 0 ? 1 : std::abs(*place) / 2;
    script += fmt::format("set xrange [{:.17g}:{:.17g}]\n", *place - around, *place + around);
  }
  if (curves.logarithmic_x) script += "set logscale x\nset format x '%g'\n";
  if (curves.x_is_size) script += "set rmargin 5\n";  // half of the last mark's label
  if (const std::vector<XMark> marks = marks_at_points(curves); curves.places.empty() && !marks.empty()) {
    script += "set xtics (";
    for (const XMark& mark : marks)
      script += (&mark == marks.data() ? "" : ", ") + mark_at(mark, curves.x_is_size);
    script += ")\n";
  }
  if (curves.logarithmic_y) {
    // Two powers of ten are too few marks.
    constexpr double far = 100;
    script += greatest_of(curves) < far * least_of(curves) ? "set logscale y 2\n" : "set logscale y\n";
    // Else 100000 would stand beside 1e+06, or 1.00000 beside 0.10000.
    script += fmt::format("set format y '{}'\n", least_of(curves) >= 1 ? "%.0f" : "%g");
    if (const double only = least_of(curves); only > 0 && only == greatest_of(curves))
      script += fmt::format("set yrange [{}:{}]\n", only / 2, only * 2);
  }
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

/// With words on its x axis a picture has nothing between its points.
const char* drawn_with(const Curve& curve, bool has_words) {
  if (curve.style == Curve::Style::line) return "lines";
  if (curve.style == Curve::Style::marks || has_words) return "points";
  return is_dense(curve) ? "lines" : "linespoints";
}

}  // namespace

std::string gnuplot_script(const Curves& curves, const std::string& file) {
  std::string script =
      fmt::format("set terminal {}\nset output picture\n",
                  gnuplot::terminal(file, width, plot_height + key_lines(curves) * of_a_line));
  script += fmt::format("set title {}\nset xlabel {} offset 0,0.7\nset ylabel {}\n", title(curves.title),
                        gnuplot::quoted(curves.x_name), gnuplot::quoted(curves.y_name));
  script += "set grid lt 1 lw 1 lc rgb '#dddddd'\nset border 3\nset tics nomirror out scale 0.5\n";
  script += fmt::format("set key below\nset offsets graph 0.02, graph 0.02, {}, 0\n",
                        curves.logarithmic_y ? "0" : "graph 0.05");
  script += axes(curves);
  for (std::size_t i = 0; i < curves.curves.size(); ++i) {
    script += fmt::format("$curve{} << END_OF_DATA\n", i);
    for (const CurvePoint& point : curves.curves[i].points)
      script += fmt::format("{} {} {}\n", point.x, point.y, point.radius);
    script += "END_OF_DATA\n";
  }
  // Of curves that lie on one another both are seen: the later one has gaps.
  constexpr std::array dashes{1, 2, 4, 5, 3};
  // Filled square, circle, two triangles and diamond. What has the same colour has another shape.
  constexpr std::array shapes{5, 7, 9, 11, 13};
  script += "plot";
  for (std::size_t i = 0; i < curves.curves.size(); ++i) {
    const std::string colour = gnuplot::colour_of(curves.curves[i].name, i);
    const int shape = shapes[(i + i / gnuplot::colours.size()) % shapes.size()];
    const std::string_view style = drawn_with(curves.curves[i], !curves.places.empty());
    const std::string marks = style == "lines" ? "" : fmt::format(" pt {}", shape);
    const std::string line =
        style == "points" ? " ps 1.4" : fmt::format(" lw 2 dt {}", dashes[i % dashes.size()]);
    if (i > 0) script += ',';
    // Below the curve, as gnuplot clears the place of a bar's own point, which is a dot here: a point of size
    // 0 is one that other readers of SVG refuse.
    if (has_intervals(curves.curves[i]))
      script += fmt::format(" $curve{} using 1:2:3 with yerrorbars lc rgb '{}' pt 0 notitle,", i, colour);
    script += fmt::format(" $curve{} using 1:2 with {} lc rgb '{}'{}{} title {}", i, style, colour, line,
                          marks, gnuplot::quoted(curves.curves[i].name));
  }
  return script + '\n';
}

void draw(const Curves& curves, const std::string& file) {
  gnuplot::run(gnuplot_script(curves, file), file);
}

}  // namespace morgana
