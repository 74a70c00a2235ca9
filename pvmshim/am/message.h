#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/operations/endpoint_tag.h"
#include "pvmshim/am/am2.h"

namespace morgana::am {

enum class MessageForm : std::uint8_t { brief, medium, bulk };

/// What travels between two endpoints, as an MPI message whose tag is `way`: 8 bytes of `protection`, one of
/// form, count of words and whether it was refused, one of handler, the words, 8 bytes of `offset` if it is
/// bulk, the data. So up to five words are a short message of the interface on `myrinet-am2`, where that has
/// at most 32 bytes.
struct Message {
  EndpointTag way;
  MessageForm form = MessageForm::brief;
  std::uint8_t handler = 0;  ///< 0 of a reply: there is none, the credit alone comes back
  bool refused = false;      ///< of what is returned: by its receiver, else by the interface
  tag_t protection = 0;      ///< of a request: the tag; of what was refused: why
  std::uint8_t count = 0;    ///< of words
  std::array<int, AM_MAX_SHORT> words{};
  std::uint64_t offset = 0;
};

/// A message that has come. Its data are the last bytes of what came.
struct ActiveArrival {
  Message message;
  int source = 0;
  std::vector<std::byte> bytes;
  std::size_t data = 0;  ///< where they begin
};

/// But for the way.
std::vector<std::byte> encode(const Message& message, std::span<const std::byte> data);
/// @throws std::runtime_error if it is no message of this library
ActiveArrival decode(int source, int tag, std::vector<std::byte> bytes);

}  // namespace morgana::am
