#pragma once

#include <chrono>
#include <string>

namespace morgana::cli {

/// ", about 4 min left", by how long the share done has taken; empty while that says too little.
/// @param elapsed  seconds  @param share  0 to 1
std::string time_left_text(double elapsed, double share);

/// Says on standard error how far something has come, if that is a terminal and it takes longer than a
/// second. The line is gone when the bar is.
class ProgressBar {
 public:
  /// Where standard error is no terminal.
  enum class Elsewhere {
    nothing,
    lines,  ///< after ten seconds, and then every ten: "morgana: WHAT: 12 %"
  };
  /// @param quiet  never show anything
  explicit ProgressBar(bool quiet, Elsewhere elsewhere = Elsewhere::nothing);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool enabled() const { return enabled_; }
  /// Shows at once what begins now.
  /// @param share  0 to 1
  void begin(const std::string& what, double share);
  /// @param share  0 to 1
  void show(const std::string& what, double share);

 private:
  bool enabled_;
  bool by_lines_;
  bool shown_ = false;
  std::string what_;
  double share_ = 0, begun_at_ = 0;  ///< of what_, last and first
  std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point next_;
};

/// Seconds of real time since it was made.
class StopWatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace morgana::cli
