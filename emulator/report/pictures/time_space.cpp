#include "emulator/report/pictures/time_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/pictures/gnuplot.h"

namespace morgana {
namespace {

constexpr std::size_t chart_width = 900, row_height = 50, around_rows = 130;
constexpr double half_height = 0.375;  // of a box, in rows

double last_end(const TimeSpace& picture) {
  double end = 0;
  for (const TimeSpace::Box& box : picture.boxes) end = std::max(end, box.end);
  return end > 0 ? end : 1;
}

/// Whether a label of so many letters is readable in the box.
bool has_room(const TimeSpace::Box& box, double end) {
  constexpr double letter = 9, drawn = 700;  // pixels of a letter; of the whole time
  return static_cast<double>(box.label.size()) * letter < (box.end - box.begin) / end * drawn;
}

}  // namespace

std::string gnuplot_script(const TimeSpace& picture, const std::string& file) {
  const double end = last_end(picture);
  std::string script =
      fmt::format("set terminal {}\nset output picture\n",
                  gnuplot::terminal(file, chart_width, around_rows + row_height * picture.rows.size()));
  script += fmt::format("set title {}\nset xlabel {}\nunset key\nset border 3\n",
                        gnuplot::quoted(picture.title), gnuplot::quoted(picture.time_name));
  script += "set grid xtics lt 1 lw 1 lc rgb '#dddddd'\nset tics nomirror out scale 0.5\n";
  script += fmt::format("set xrange [0:{}]\nset yrange [{}:-0.5]\nset ytics (", end,
                        static_cast<double>(picture.rows.size()) - 0.5);
  for (std::size_t row = 0; row < picture.rows.size(); ++row)
    script += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot::quoted(picture.rows[row]), row);
  script += ")\n";
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const TimeSpace::Box& box = picture.boxes[i];
    const auto row = static_cast<double>(box.row);
    script += fmt::format(
        "set object {} rectangle from {},{} to {},{} fc rgb '{}' fs solid 0.75 border lc rgb "
        "'#333333' lw 0.5\n",
        i + 1, box.begin, row - half_height, box.end, row + half_height,
        gnuplot::colours[box.colour % gnuplot::colours.size()]);
    if (!box.label.empty() && has_room(box, end))
      script += fmt::format("set label {} at {},{} center front\n", gnuplot::quoted(box.label),
                            (box.begin + box.end) / 2, row);
  }
  return script + "plot NaN notitle\n";
}

void draw(const TimeSpace& picture, const std::string& file) {
  gnuplot::run(gnuplot_script(picture, file), file);
}

}  // namespace morgana
