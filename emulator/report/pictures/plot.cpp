#include "emulator/report/pictures/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "emulator/report/pictures/gnuplot.h"

namespace morgana {
namespace {

struct Unit {
  double per_second;
  const char* name;
};

Unit unit_for(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e3, "ms"};
  return {1e6, "us"};
}

double height(const std::vector<double>& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

/// Where bars differ so much, the short ones could not be seen beside the long ones.
bool lie_far_apart(const StackedBars& bars) {
  constexpr double far = 50;
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (const auto& bar : bars.seconds) {
    least = std::min(least, height(bar));
    greatest = std::max(greatest, height(bar));
  }
  return least > 0 && least < std::numeric_limits<double>::infinity() && greatest >= far * least;
}

double least_part(const StackedBars& bars) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& bar : bars.seconds)
    for (const double part : bar)
      if (part > 0) least = std::min(least, part);
  return least;
}

/// About the width of a label's letter in pixels.
constexpr std::size_t letter = 9;
constexpr std::size_t widest_plot = 1600;

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t length = 0;
  for (const std::string& text : texts) length = std::max(length, text.size());
  return length;
}

/// What the bars take if their names are to stand side by side.
std::size_t wished_width(const StackedBars& bars) {
  const std::size_t bar = std::max<std::size_t>(90, (longest(bars.categories) + 3) * letter);
  return std::max<std::size_t>(110 + bar * bars.categories.size(), 560);
}

}  // namespace

void StackedBars::add_run(const std::string& category, double total, double compute, double communication,
                          const std::string& note) {
  constexpr double visible = 0.001;
  if (parts.empty()) parts = {"compute", "communication"};
  const double rest = std::max(0.0, total - compute - communication);
  if (rest > visible * total && parts.size() == 2) parts.emplace_back("ended before the last rank");
  categories.push_back(category);
  seconds.push_back({compute, communication, rest});
  notes.push_back(note);
  for (std::vector<double>& bar : seconds) bar.resize(parts.size());
}

std::string gnuplot_script(const StackedBars& bars, const std::string& file) {
  assert(bars.seconds.size() == bars.categories.size());
  double highest = 0;
  for (const auto& bar : bars.seconds) highest = std::max(highest, height(bar));
  const Unit unit = unit_for(highest);

  const std::size_t width = wished_width(bars);
  std::string script = fmt::format("set terminal {}\nset output picture\n",
                                   gnuplot::terminal(file, std::min(width, widest_plot)));
  script += fmt::format("set title {}\nset ylabel 'time ({})'\n", gnuplot::quoted(bars.title), unit.name);
  // A stack has no meaning on a logarithmic axis: there its parts stand side by side.
  const bool apart = lie_far_apart(bars);
  script +=
      fmt::format("set style data histograms\nset style histogram {}\nset style fill solid 0.9 noborder\n",
                  apart ? "clustered gap 1" : "rowstacked");
  if (apart) script += "set logscale y\nset format y '%g'\n";
  script += fmt::format("set boxwidth {}\nset grid ytics lt 1 lw 1 lc rgb '#dddddd'\nset grid back\n",
                        apart ? 0.9 : 0.6);
  script += "set border 3\nset tics nomirror out scale 0.5\nset key below horizontal center\n";
  const double low = apart ? least_part(bars) * unit.per_second / 2 : 0;
  const double high = highest > 0 ? highest * unit.per_second * (apart ? 2 : 1.12) : 1.0;
  script += fmt::format("set xrange [-0.6:{}]\nset yrange [{}:{}]\nset xtics rotate by {}\n",
                        static_cast<double>(bars.categories.size()) - 0.4, low, high,
                        width <= widest_plot ? 0 : -30);
  script += "$bars << END_OF_DATA\n";
  for (std::size_t i = 0; i < bars.categories.size(); ++i) {
    std::string name = bars.categories[i];
    std::replace(name.begin(), name.end(), '"', '\'');  // a quoted field has no way to hold its own quote
    script += '"' + name + '"';
    for (const double part : bars.seconds[i])
      script += apart && part == 0 ? " NaN" : fmt::format(" {}", part * unit.per_second);
    script += '\n';
  }
  script += "END_OF_DATA\n";
  for (std::size_t i = 0; i < bars.notes.size(); ++i) {
    script += fmt::format(
        "set label {} at first {},{} center offset 0,0.6\n", gnuplot::quoted(bars.notes[i]), i,
        (apart ? *std::ranges::max_element(bars.seconds[i]) : height(bars.seconds[i])) * unit.per_second);
  }
  script += "plot";
  for (std::size_t part = 0; part < bars.parts.size(); ++part) {
    script += fmt::format("{} $bars using {}{} title {} lc rgb '{}'", part == 0 ? "" : ",", part + 2,
                          part == 0 ? ":xtic(1)" : "", gnuplot::quoted(bars.parts[part]),
                          gnuplot::colour_of(bars.parts[part], part));
  }
  return script + '\n';
}

void draw(const StackedBars& bars, const std::string& file) {
  gnuplot::run(gnuplot_script(bars, file), file);
}

}  // namespace morgana
