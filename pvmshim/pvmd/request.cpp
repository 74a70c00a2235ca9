#include "pvmshim/pvmd/request.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace morgana::pvm {
namespace {

// Request and reply are laid out alike: a header of numbers, the numbers, each text with its length in front,
// the data. In this machine's byte order; they never leave it.

void put(std::vector<std::byte>& bytes, const void* from, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(from);
  bytes.insert(bytes.end(), first, first + size);
}

template <typename Number>
void put_number(std::vector<std::byte>& bytes, Number number) {
  put(bytes, &number, sizeof number);
}

void put_count(std::vector<std::byte>& bytes, std::size_t count) {
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw Error("a PVM request or reply holds more than 4 GB: split the message into smaller ones");
  put_number(bytes, static_cast<std::uint32_t>(count));
}

template <typename Message>
void put_rest(std::vector<std::byte>& bytes, const Message& message) {
  put_count(bytes, message.numbers.size());
  put_count(bytes, message.texts.size());
  put_count(bytes, message.data.size());
  for (const auto number : message.numbers) put_number(bytes, number);
  for (const std::string& text : message.texts) {
    put_count(bytes, text.size());
    put(bytes, text.data(), text.size());
  }
  put(bytes, message.data.data(), message.data.size());
}

/// Takes bytes from the front; none of them is believed.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size()) throw Error("a PVM request or reply is cut short");
    const std::span<const std::byte> taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  /// Of things that take `each` bytes at least: never more than there can be.
  std::size_t count(std::size_t each) {
    const auto value = number<std::uint32_t>();
    if (value > bytes_.size() / each) throw Error("a PVM request or reply is cut short");
    return value;
  }
  template <typename Message>
  void rest(Message& message) {
    using Number = typename decltype(message.numbers)::value_type;
    const std::size_t numbers = count(sizeof(Number));
    const std::size_t texts = count(sizeof(std::uint32_t));
    const std::size_t data = count(1);
    message.numbers.reserve(numbers);
    for (std::size_t i = 0; i < numbers; ++i) message.numbers.push_back(number<Number>());
    message.texts.reserve(std::min(texts, bytes_.size() / sizeof(std::uint32_t)));
    for (std::size_t i = 0; i < texts; ++i) {
      const std::span<const std::byte> text = take(count(1));
      message.texts.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
    }
    const std::span<const std::byte> all = take(data);
    message.data.assign(all.begin(), all.end());
    if (!bytes_.empty()) throw Error("a PVM request or reply is too long");
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> encode(const Request& request) {
  std::vector<std::byte> bytes;
  put_number(bytes, static_cast<std::int32_t>(request.ask));
  put_number(bytes, request.serial);
  put_rest(bytes, request);
  return bytes;
}

std::vector<std::byte> encode(const Reply& reply) {
  std::vector<std::byte> bytes;
  put_number(bytes, reply.status);
  put_rest(bytes, reply);
  return bytes;
}

Request decode_request(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Request request;
  const auto ask = reader.number<std::int32_t>();
  if (ask < 0 || ask > static_cast<std::int32_t>(Ask::free_context))
    throw Error("a PVM request asks for something unknown: " + std::to_string(ask));
  request.ask = static_cast<Ask>(ask);
  request.serial = reader.number<std::int32_t>();
  if (request.serial < 0)
    throw Error("a PVM request has the serial number " + std::to_string(request.serial));
  reader.rest(request);
  return request;
}

Reply decode_reply(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Reply reply;
  reply.status = reader.number<std::int32_t>();
  reader.rest(reply);
  return reply;
}

}  // namespace morgana::pvm
