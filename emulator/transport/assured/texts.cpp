#include "emulator/transport/assured/texts.h"

#include <fmt/format.h>

namespace morgana::assured {

std::string sent_too_often(const char* unit, std::uint32_t tries) {
  return fmt::format("unstable: a {} was sent again {} times without success (transport.tries)", unit, tries);
}

std::string not_answered(SimTime no_response, const char* unit, const std::string& last_loss) {
  std::string text = "given up, the peer answered no POLL for " + std::to_string(no_response.seconds()) +
                     " s (transport.no-response)";
  if (!last_loss.empty()) text += fmt::format("; the last {} to be lost: {}", unit, last_loss);
  return text;
}

std::string how_to_lose_less(const char* protocol, const char* unit) {
  return fmt::format(
      "transport.no-response says how long {} waits for an answer, transport.tries how often it repeats a "
      "{}; a larger network.buffer or a lower network.background.load loses less",
      protocol, unit);
}

}  // namespace morgana::assured
