#include "emulator/report/plot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace morgana {
namespace {

// Told apart also by those who don't see red and green as most do (P. Tol, Colour Schemes, 2021).
constexpr const char* colours[] = {"#4477AA", "#EE6677", "#CCBB44", "#228833"};

/// A gnuplot string: single quotes, in which only the quote itself is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + '\'';
}

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

std::string terminal(const std::string& file, std::size_t width) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".svg") {
    return fmt::format("svg size {},480 font 'Helvetica,14' background '#ffffff' noenhanced", width);
  }
  if (ending == ".png") return fmt::format("pngcairo size {},480 font 'Sans,11' noenhanced", width);
  throw Error(fmt::format("cannot draw {}: a plot's name must end in .svg or .png", file));
}

void run_gnuplot(const std::string& script_file) {
  std::string program = "gnuplot", argument = script_file;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = -1;
  const int failed = posix_spawnp(&child, "gnuplot", nullptr, nullptr, arguments, environ);
  if (failed != 0) {
    throw Error(
        fmt::format("cannot start gnuplot: {}; plots need the package gnuplot-nox", std::strerror(failed)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error("gnuplot could not draw the plot; its own message stands above");
  }
}

/// A file in the temporary folder, gone when this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : name_((std::filesystem::temp_directory_path() / "morgana-plot-XXXXXX").string()) {
    const int fd = ::mkstemp(name_.data());
    if (fd < 0) throw Error(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
    const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    if (!written) {
      ::unlink(name_.c_str());
      throw Error(fmt::format("cannot write {}: the disk is full", name_));
    }
  }
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

std::string gnuplot_script(const StackedBars& bars, const std::string& file) {
  assert(bars.seconds.size() == bars.categories.size());
  assert(bars.parts.size() <= std::size(colours));
  double highest = 0;
  for (const auto& bar : bars.seconds) highest = std::max(highest, height(bar));
  const Unit unit = unit_for(highest);

  const std::size_t width = wished_width(bars);
  std::string script = fmt::format("set terminal {}\nset output {}\n",
                                   terminal(file, std::min(width, widest_plot)), quoted(file));
  script += fmt::format("set title {}\nset ylabel 'time ({})'\n", quoted(bars.title), unit.name);
  script += "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.9 noborder\n";
  script += "set boxwidth 0.6\nset grid ytics lt 1 lw 1 lc rgb '#dddddd'\nset grid back\n";
  script += "set border 3\nset tics nomirror out scale 0.5\nset key above horizontal right\n";
  script += fmt::format("set xrange [-0.6:{}]\nset yrange [0:{}]\nset xtics rotate by {}\n",
                        static_cast<double>(bars.categories.size()) - 0.4,
                        highest > 0 ? highest * unit.per_second * 1.12 : 1.0, width <= widest_plot ? 0 : -30);
  script += "$bars << END_OF_DATA\n";
  for (std::size_t i = 0; i < bars.categories.size(); ++i) {
    std::string name = bars.categories[i];
    std::replace(name.begin(), name.end(), '"', '\'');  // a quoted field has no way to hold its own quote
    script += '"' + name + '"';
    for (const double part : bars.seconds[i]) script += fmt::format(" {}", part * unit.per_second);
    script += '\n';
  }
  script += "END_OF_DATA\n";
  for (std::size_t i = 0; i < bars.notes.size(); ++i) {
    script += fmt::format("set label {} at first {},{} center offset 0,0.6\n", quoted(bars.notes[i]), i,
                          height(bars.seconds[i]) * unit.per_second);
  }
  script += "plot";
  for (std::size_t part = 0; part < bars.parts.size(); ++part) {
    script += fmt::format("{} $bars using {}{} title {} lc rgb '{}'", part == 0 ? "" : ",", part + 2,
                          part == 0 ? ":xtic(1)" : "", quoted(bars.parts[part]), colours[part]);
  }
  return script + '\n';
}

void draw(const StackedBars& bars, const std::string& file) {
  // gnuplot would create the file before it notices that it can't: name the cause first.
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK) != 0) {
    throw Error(fmt::format("cannot draw {}: {}; name a file in a folder that you may write to", file,
                            std::strerror(errno)));
  }
  const TemporaryFile script(gnuplot_script(bars, file));
  run_gnuplot(script.name());
}

}  // namespace morgana
