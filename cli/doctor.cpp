#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/machine_checks.h"

namespace morgana::cli {
namespace {

const char* word_for(Check::State state) {
  switch (state) {
    case Check::State::ok:
      return "ok";
    case Check::State::warning:
      return "warning";
    case Check::State::missing:
      return "missing";
  }
  return "";
}

int doctor() {
  bool ready = true;
  for (const Check& check : check_machine()) {
    fmt::print("{:<8} {:<22}  {}\n", word_for(check.state), check.what, check.detail);
    if (!check.mend.empty()) fmt::print("{:<8} {:<22}  -> {}\n", "", "", check.mend);
    ready = ready && check.state != Check::State::missing;
  }
  fmt::print("{}\n", ready ? "This machine is ready." : "Something is missing: mend the lines marked so.");
  return ready ? 0 : 1;
}

}  // namespace

void add_doctor(Commands& commands) {
  Command& command = commands.add("doctor", "Check whether this machine is ready");
  command.footer = "\nExit code 1 if something is missing.";
  command.action = doctor;
}

}  // namespace morgana::cli
