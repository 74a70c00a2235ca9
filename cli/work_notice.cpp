#include "cli/work_notice.h"

#include <fmt/core.h>

#include <chrono>
#include <string_view>

#include "emulator/core/long_work.h"
#include "emulator/core/standard_error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto before_the_first = 3s, between_two = 10s;

struct Work {
  std::string_view what;
  Clock::time_point next;  ///< when it is worth a word
};

void hear(const char* what, double share) {
  static Work work;
  throw_if_interrupted();
  const auto now = Clock::now();
  if (share == 0 || work.what != what) work = {what, now + before_the_first};
  if (now < work.next) return;
  work.next = now + between_two;
  print_error(fmt::format("morgana: {}: {:.0f} %\n", what, 100 * share));
}

}  // namespace

void announce_long_work() {
  tell_work_to(hear);
}

}  // namespace morgana::cli
