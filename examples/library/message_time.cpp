// How long a message takes from one host's interface to another's, on any modelled platform.
#include <cstdio>
#include <exception>
#include <string>

#include "emulator/platform/platform.h"

using namespace morgana;

namespace {

class Printer : public ShipmentListener {
 public:
  explicit Printer(const EventQueue& events) : events_(events) {}
  void shipment_departed(MessageId) override { say("has left its host"); }
  void shipment_delivered(MessageId) override { say("is at the other host"); }
  void shipment_lost(MessageId) override { say("is lost"); }
  void shipment_returned(MessageId, Outcome) override { say("comes back"); }

 private:
  void say(const char* what) const {
    std::printf("%12.3f us: the message %s\n", static_cast<double>(events_.now().ps()) / 1e6, what);
  }
  const EventQueue& events_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: message_time PLATFORM BYTES\n");
    return 2;
  }
  try {
    Machine machine = Platform::load(argv[1]).build(2, {Placement::Kind::spread, {}, {}}, 1);
    Printer printer(*machine.events);
    machine.transport->send(
        {{1, &printer}, machine.host_of[0], machine.host_of[1], Bytes(std::stoll(argv[2]))});
    while (!machine.events->idle()) machine.events->handle_next();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "message_time: %s\n", error.what());
    return 1;
  }
}
