#include "emulator/interface/am2/parameters.h"

#include "emulator/core/error.h"

namespace morgana::am2 {

void Parameters::check() const {
  const auto refuse = [](bool wrong, const char* sentence) {
    if (wrong) throw Error(sentence);
  };
  lanai.check();
  refuse(dispatch < 1, "a dispatch must take at least one cycle of the processor");
  refuse(message < 0 || completion < 0 || control < 0 || transfer < 0 || scan < 0,
         "cycles of a handler must not be negative");
  refuse(channels < 1, "an interface must have at least one logical channel for each peer");
  refuse(loiter < 1, "a visit must be allowed at least one message");
  refuse(frames < 1, "an interface must have at least one frame for endpoints");
  refuse(receive_queue < 1, "a receive queue must have at least one entry");
  refuse(receive_buffers < 1, "an interface must have at least one receive buffer");
  refuse(send_buffers < 1, "an interface must have at least one send buffer");
  refuse(short_message.count() < 0, "the longest short message must not be negative");
  refuse(largest_payload.count() < 1, "a packet must have room for at least one byte");
  refuse(header.count() < 0 || control_size.count() < 0, "a header must not be negative");
  refuse(quantum <= SimTime(), "scans must have some time between them");
  refuse(evict_every < SimTime(), "the time between evictions must not be negative");
  refuse(residence < SimTime(), "an endpoint must not keep its frame for a negative time");
  refuse(load <= SimTime(), "an endpoint takes some time to be loaded");
  refuse(tries < 1, "a message must be sent again at least once");
}

}  // namespace morgana::am2
