#include "pvmshim/am/message.h"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace morgana::am {
namespace {

constexpr std::size_t header = 10;

std::size_t start_of_data(MessageForm form, std::size_t words) {
  return header + words * sizeof(int) + (form == MessageForm::bulk ? sizeof(std::uint64_t) : 0);
}

}  // namespace

std::vector<std::byte> encode(const Message& message, std::span<const std::byte> data) {
  const std::size_t words = message.count * sizeof(int), start = start_of_data(message.form, message.count);
  std::vector<std::byte> bytes(start + data.size());
  std::memcpy(bytes.data(), &message.protection, sizeof message.protection);
  const auto what =
      static_cast<std::uint8_t>((message.refused ? 1U : 0U) | static_cast<unsigned>(message.form) << 2 |
                                static_cast<unsigned>(message.count) << 4);
  const std::array<std::uint8_t, 2> rest{what, message.handler};
  std::memcpy(bytes.data() + sizeof message.protection, rest.data(), rest.size());
  std::memcpy(bytes.data() + header, message.words.data(), words);
  if (message.form == MessageForm::bulk)
    std::memcpy(bytes.data() + header + words, &message.offset, sizeof message.offset);
  if (!data.empty()) std::memcpy(bytes.data() + start, data.data(), data.size());
  return bytes;
}

ActiveArrival decode(int source, int tag, std::vector<std::byte> bytes) {
  const auto refuse = [] { throw std::runtime_error("a message that is not one of Active Messages'"); };
  if (bytes.size() < header) refuse();
  ActiveArrival arrival;
  arrival.source = source;
  Message& message = arrival.message;
  message.way = EndpointTag::unpacked(tag);
  std::array<std::uint8_t, 2> rest{};
  std::memcpy(&message.protection, bytes.data(), sizeof message.protection);
  std::memcpy(rest.data(), bytes.data() + sizeof message.protection, rest.size());
  const auto form = static_cast<std::uint8_t>(rest[0] >> 2 & 3);
  message.refused = (rest[0] & 1) != 0;
  message.count = rest[0] >> 4;
  if (form > static_cast<std::uint8_t>(MessageForm::bulk) || message.count > AM_MAX_SHORT) refuse();
  message.form = static_cast<MessageForm>(form);
  message.handler = rest[1];
  arrival.data = start_of_data(message.form, message.count);
  if (bytes.size() < arrival.data) refuse();
  const std::size_t words = message.count * sizeof(int);
  std::memcpy(message.words.data(), bytes.data() + header, words);
  if (message.form == MessageForm::bulk)
    std::memcpy(&message.offset, bytes.data() + header + words, sizeof message.offset);
  arrival.bytes = std::move(bytes);
  return arrival;
}

}  // namespace morgana::am
