#include "cli/common/progress_bar.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "emulator/core/standard_error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana::cli {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t bar_width = 40;
constexpr auto between_lines = 10s;

}  // namespace

ProgressBar::ProgressBar(bool quiet, Elsewhere elsewhere)
    : enabled_(!quiet && ::isatty(STDERR_FILENO) != 0),
      by_lines_(!quiet && !enabled_ && elsewhere == Elsewhere::lines),
      next_(std::chrono::steady_clock::now() + (by_lines_ ? between_lines : 1s)) {}

ProgressBar::~ProgressBar() {
  if (shown_) print_error("\r\033[K");
  wipe_line_when_interrupted(false);
}

void ProgressBar::begin(const std::string& what, double share) {
  next_ = {};
  show(what, share);
}

void ProgressBar::show(const std::string& what, double share) {
  const auto now = std::chrono::steady_clock::now();
  if ((!enabled_ && !by_lines_) || now < next_) return;
  if (by_lines_) {
    next_ = now + between_lines;
    return print_error(fmt::format("morgana: {}: {:.0f} %\n", what, 100 * std::clamp(share, 0.0, 1.0)));
  }
  next_ = now + 100ms;
  shown_ = true;
  wipe_line_when_interrupted(true);
  const double part = std::clamp(share, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(part * bar_width);
  print_error(fmt::format("\r{} [{}{}] {:3.0f} %\033[K", what, std::string(full, '#'),
                          std::string(bar_width - full, ' '), 100 * part));
}

}  // namespace morgana::cli
