#include "emulator/report/pictures/gnuplot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "emulator/report/output_file.h"
#include "emulator/report/pictures/drawing_program.h"

namespace morgana::gnuplot {

std::string colour_of(std::string_view name, std::size_t place) {
  static constexpr std::pair<std::string_view, const char*> named[] = {{"computing", "#cfd8e0"},
                                                                       {"compute", "#cfd8e0"},
                                                                       {"computing alone", "#cfd8e0"},
                                                                       {"exposed communication", "#2f7fd1"},
                                                                       {"communication", "#2f7fd1"},
                                                                       {"in calls", "#2f7fd1"},
                                                                       {"host", "#5b8c2a"},
                                                                       {"protocol", "#8e5bb5"},
                                                                       {"network", "#2f7fd1"},
                                                                       {"retransmission", "#b3261e"},
                                                                       {"waiting", "#e09b1f"}};
  for (const auto& [known, colour] : named)
    if (name == known) return colour;
  return colours[place % colours.size()];
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + '\'';
}

std::string terminal(const std::string& file, std::size_t width, std::size_t height) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".svg") {
    return fmt::format("svg size {},{} font 'Helvetica,14' background '#ffffff' noenhanced", width, height);
  }
  if (ending == ".png") return fmt::format("pngcairo size {},{} font 'Sans,11' noenhanced", width, height);
  throw Error(fmt::format("cannot draw {}: a plot's name must end in .svg or .png", file));
}

void check(const std::string& file) {
  terminal(file, 1);
  check_output_name(file);
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  const std::filesystem::path folder = std::filesystem::absolute(output_target(file)).parent_path();
  if (!is_folder && ::access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw Error(fmt::format("cannot draw {}: {}; name a file in a folder that you may write to", file,
                          std::strerror(is_folder ? EISDIR : errno)));
}

namespace {

/// gnuplot does not notice that its output can't be written.
bool is_whole(std::string_view picture, const std::string& file) {
  if (std::filesystem::path(file).extension() == ".png") return picture.ends_with("IEND\xAE\x42\x60\x82");
  return picture.substr(0, picture.find_last_not_of(" \n") + 1).ends_with("</svg>");
}

}  // namespace

void run(const std::string& script, const std::string& file) {
  check(file);
  const TemporaryFile commands(script), drawn("");
  run_drawing_program("gnuplot", {"-e", "picture = " + quoted(drawn.name()), commands.name()}, "gnuplot-nox");
  const std::string picture = drawn.read();
  if (!is_whole(picture, file))
    throw Error(
        fmt::format("cannot draw {}: {} has no room for it; make some, or name another folder by TMPDIR",
                    file, std::filesystem::path(drawn.name()).parent_path().string()));
  write_output(file, picture);
}

}  // namespace morgana::gnuplot
