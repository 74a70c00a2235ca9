#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace morgana::testing {

// Protocol buffers written by hand, so that the reader is checked against the format and not against itself:
// a field is its number and kind, then a varint or a length and bytes.

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7F));
  return bytes += static_cast<char>(value);
}
inline std::string number_field(std::uint32_t field, std::uint64_t value) {
  std::string bytes = varint(std::uint64_t{field} << 3);
  return bytes += varint(value);
}
inline std::string bytes_field(std::uint32_t field, std::string_view content) {
  std::string bytes = varint(std::uint64_t{field} << 3 | 2);
  bytes += varint(content.size());
  return bytes += content;
}
/// A message behind its length.
inline std::string framed(std::string_view message) {
  std::string bytes = varint(message.size());
  return bytes += message;
}

/// A node of an execution trace; the numbers of fields are those of et_def.proto.
class ChakraNode {
 public:
  enum Type { metadata = 1, memory_load, memory_store, compute, send, receive, collective };

  ChakraNode(std::uint64_t id, int type) {
    message_ = number_field(1, id);
    message_ += bytes_field(2, "n" + std::to_string(id));
    message_ += number_field(3, static_cast<std::uint64_t>(type));
  }
  ChakraNode& after(const std::vector<std::uint64_t>& ids) { return packed(5, ids); }
  ChakraNode& ctrl(const std::vector<std::uint64_t>& ids) { return packed(4, ids); }
  ChakraNode& lasts(std::uint64_t microseconds) { return add(number_field(7, microseconds)); }
  ChakraNode& values(std::string_view text) { return add(bytes_field(8, bytes_field(1, text))); }
  /// As int64, which the field 9 is.
  ChakraNode& with(std::string_view name, std::int64_t value, std::uint32_t kind = 9) {
    std::string attribute = bytes_field(1, name);
    return add(bytes_field(10, attribute += number_field(kind, static_cast<std::uint64_t>(value))));
  }
  ChakraNode& flag(std::string_view name, bool value) { return with(name, value ? 1 : 0, 27); }
  ChakraNode& text(std::string_view name, std::string_view value) {
    std::string attribute = bytes_field(1, name);
    return add(bytes_field(10, attribute += bytes_field(29, value)));
  }
  const std::string& message() const { return message_; }

 private:
  ChakraNode& add(const std::string& field) {
    message_ += field;
    return *this;
  }
  ChakraNode& packed(std::uint32_t field, const std::vector<std::uint64_t>& ids) {
    std::string list;
    for (const std::uint64_t id : ids) list += varint(id);
    return add(bytes_field(field, list));
  }
  std::string message_;
};

inline ChakraNode chakra_compute(std::uint64_t id, std::uint64_t microseconds) {
  return ChakraNode(id, ChakraNode::compute).lasts(microseconds);
}
inline ChakraNode chakra_send(std::uint64_t id, int to, std::int64_t bytes, int tag = 0) {
  return ChakraNode(id, ChakraNode::send)
      .with("comm_dst", to, 7)
      .with("comm_size", bytes)
      .with("comm_tag", tag, 7);
}
inline ChakraNode chakra_receive(std::uint64_t id, int from, std::int64_t bytes, int tag = 0) {
  return ChakraNode(id, ChakraNode::receive)
      .with("comm_src", from, 7)
      .with("comm_size", bytes)
      .with("comm_tag", tag, 7);
}
/// @param type  0 all-reduce, 1 reduce, 2 all-gather, 3 gather, 4 scatter, 5 broadcast, 6 all-to-all, 7 and 8
/// reduce-scatter, 9 barrier
inline ChakraNode chakra_collective(std::uint64_t id, int type, std::int64_t bytes) {
  return ChakraNode(id, ChakraNode::collective)
      .flag("is_cpu_op", false)
      .with("comm_type", type)
      .with("comm_size", bytes);
}

/// A rank's file.
inline std::string chakra_file(const std::vector<ChakraNode>& nodes) {
  std::string bytes = framed(bytes_field(1, "0.0.4"));
  for (const ChakraNode& node : nodes) bytes += framed(node.message());
  return bytes;
}

}  // namespace morgana::testing
