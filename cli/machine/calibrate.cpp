#include <fmt/core.h>

#include "cli/common/calibration.h"
#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/ep_measurement.h"
#include "emulator/core/error.h"
#include "emulator/platform/platform.h"

namespace morgana::cli {
namespace {

struct CalibrateArguments {
  int runs = 5;
  bool show = false;
};

void print_scales(const Calibration& calibration) {
  for (const std::string& name : Platform::names()) {
    const Platform platform = Platform::load(name);
    const std::optional<double> there = platform.ep_seconds_per_pair();
    if (!there || !platform.compute_scale_is_open()) continue;
    fmt::print("  {:<20} compute x {:.4g}\n", name, *there / calibration.ep_seconds_per_pair);
  }
}

void print(const Calibration& calibration) {
  fmt::print("EP takes {:.4g} ns a pair of random numbers on this machine ({})\n",
             calibration.ep_seconds_per_pair * 1e9,
             calibration.processor.empty() ? "unknown processor" : calibration.processor);
  print_scales(calibration);
}

int show() {
  const std::filesystem::path file = calibration_file();
  const std::optional<Calibration> calibration = read_calibration(file);
  if (!calibration) throw Error("this machine is not calibrated; run `morgana calibrate` once");
  print(*calibration);
  fmt::print("remembered in {}\n", file.string());
  return 0;
}

int calibrate(const CalibrateArguments& options) {
  if (options.show) return show();
  const std::filesystem::path file = calibration_file();
  const Calibration calibration{measure_ep(options.runs).seconds_per_pair(), this_processor()};
  write_calibration(file, calibration);
  print(calibration);
  fmt::print("remembered in {}\n", file.string());
  return 0;
}

}  // namespace

void add_calibrate(Commands& commands) {
  auto options = std::make_shared<CalibrateArguments>();
  Command& command =
      commands.add("calibrate", "Measure this machine's processor, to scale compute times to a platform's");
  command.add("--runs", &options->runs, "Runs of EP; the shortest time counts")
      ->type_name("NUMBER")
      ->check(whole_number(1, 1000))
      ->show_default();
  command.add("--show", &options->show, "Show the stored calibration, measure nothing");
  command.footer = R"(
Runs the kernel EP (NAS Parallel Benchmarks, class S) on one processor, checks its result and stores the
time in ~/.config/morgana/calibration.toml (or below $XDG_CONFIG_HOME, or in the file that $MORGANA_CALIBRATION
names). From then on compute times on platforms that name the speed of their processors (hosts.ep-time) are
multiplied by their EP time over this machine's; before, by 1. Calibrate while nothing else runs.
hosts.compute-scale, in a platform file or by --set, overrides it.

Examples:
  morgana calibrate
  morgana calibrate --show
  morgana replay cg.otf2 --platform ibm-sp2
  morgana replay cg.otf2 --platform ibm-sp2 --set hosts.compute-scale=1)";
  command.action = [options] { return calibrate(*options); };
}

}  // namespace morgana::cli
