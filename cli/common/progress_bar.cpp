#include "cli/common/progress_bar.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "emulator/core/standard_error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana::cli {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t bar_width = 40;
constexpr auto between_lines = 10s;

}  // namespace

std::string time_left_text(double elapsed, double share) {
  constexpr double least_elapsed = 5, least_share = 0.02, minute = 60;
  if (elapsed < least_elapsed || share < least_share || share >= 1) return "";
  const double left = elapsed * (1 - share) / share;
  return left < minute ? fmt::format(", about {:.0f} s left", std::ceil(left / 10) * 10)
                       : fmt::format(", about {:.0f} min left", std::ceil(left / minute));
}

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
  if (what != what_ || share < share_) {
    what_ = what;
    begun_ = now;
    begun_at_ = share;
  }
  share_ = share;
  const double elapsed = std::chrono::duration<double>(now - begun_).count();
  const std::string left =
      begun_at_ < 1 ? time_left_text(elapsed, (share - begun_at_) / (1 - begun_at_)) : std::string();
  if (by_lines_) {
    next_ = now + between_lines;
    return print_error(
        fmt::format("morgana: {}: {:.0f} %{}\n", what, 100 * std::clamp(share, 0.0, 1.0), left));
  }
  next_ = now + 100ms;
  shown_ = true;
  wipe_line_when_interrupted(true);
  const double part = std::clamp(share, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(part * bar_width);
  print_error(fmt::format("\r{} [{}{}] {:3.0f} %{}\033[K", what, std::string(full, '#'),
                          std::string(bar_width - full, ' '), 100 * part, left));
}

}  // namespace morgana::cli
