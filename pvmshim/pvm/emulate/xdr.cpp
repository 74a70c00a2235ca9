#include "pvmshim/pvm/emulate/xdr.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pvmshim/pvm/element.h"

namespace morgana::pvm {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint32_t swapped(std::uint32_t word) {
  return __builtin_bswap32(word);
}
std::uint64_t swapped(std::uint64_t word) {
  return __builtin_bswap64(word);
}

// A value in memory <-> its word in XDR.
template <typename Value>
auto to_word(Value value) {
  if constexpr (std::is_same_v<Value, double>)
    return std::bit_cast<std::uint64_t>(value);
  else if constexpr (std::is_same_v<Value, float>)
    return std::bit_cast<std::uint32_t>(value);
  else
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

template <typename Value, typename Word>
Value from_word(Word word) {
  if constexpr (std::is_floating_point_v<Value>)
    return std::bit_cast<Value>(word);
  else
    return static_cast<Value>(word);
}

std::ptrdiff_t place(int element, int stride, std::size_t words) {
  return std::ptrdiff_t{element} * stride * static_cast<std::ptrdiff_t>(words);
}

template <typename Value>
void append(std::vector<std::byte>& data, const void* from, int count, int stride, std::size_t words) {
  using Word = decltype(to_word(Value{}));
  const auto* values = static_cast<const char*>(from);
  const std::size_t begin = data.size();
  data.resize(begin + static_cast<std::size_t>(count) * words * sizeof(Word));
  std::byte* out = data.data() + begin;
  for (int i = 0; i < count; ++i) {
    for (std::size_t w = 0; w < words; ++w, out += sizeof(Word)) {
      Value value;
      const auto index = place(i, stride, words) + static_cast<std::ptrdiff_t>(w);
      std::memcpy(&value, values + index * static_cast<std::ptrdiff_t>(sizeof value), sizeof value);
      const Word word = swapped(to_word(value));
      std::memcpy(out, &word, sizeof word);
    }
  }
}

template <typename Value>
int take(std::span<const std::byte> data, void* to, int count, int stride, std::size_t words) {
  using Word = decltype(to_word(Value{}));
  auto* values = static_cast<char*>(to);
  for (int i = 0; i < count; ++i) {
    if (data.size() < words * sizeof(Word)) return i;
    for (std::size_t w = 0; w < words; ++w, data = data.subspan(sizeof(Word))) {
      Word word;
      std::memcpy(&word, data.data(), sizeof word);
      const auto value = from_word<Value>(swapped(word));
      const auto index = place(i, stride, words) + static_cast<std::ptrdiff_t>(w);
      std::memcpy(values + index * static_cast<std::ptrdiff_t>(sizeof value), &value, sizeof value);
    }
  }
  return count;
}

void append_bytes(std::vector<std::byte>& data, const void* from, int count, int stride) {
  const auto* bytes = static_cast<const std::byte*>(from);
  const std::size_t end = data.size() + in_xdr_units(static_cast<std::size_t>(count));
  if (stride == 1)
    data.insert(data.end(), bytes, bytes + count);
  else
    for (int i = 0; i < count; ++i) data.push_back(bytes[place(i, stride, 1)]);
  data.resize(end);
}

int take_bytes(std::span<const std::byte> data, void* to, int count, int stride) {
  auto* bytes = static_cast<std::byte*>(to);
  if (stride == 1) {
    const std::size_t taken = std::min(data.size(), static_cast<std::size_t>(count));
    if (taken > 0) std::memcpy(bytes, data.data(), taken);
    return static_cast<int>(taken);
  }
  int i = 0;
  for (; i < count && static_cast<std::size_t>(i) < data.size(); ++i)
    bytes[place(i, stride, 1)] = data[static_cast<std::size_t>(i)];
  return i;
}

/// Calls `action` with a value of the type that one word of such an element is.
template <typename Action>
auto with_word_of(int type, const Action& action) {
  switch (type) {
    case PVM_SHORT:
      return action(short{});
    case PVM_USHORT:
      return action(static_cast<unsigned short>(0));
    case PVM_INT:
      return action(int{});
    case PVM_UINT:
      return action(0U);
    case PVM_LONG:
    case PVM_ULONG:
      return action(0UL);
    case PVM_FLOAT:
    case PVM_CPLX:
      return action(float{});
    default:
      return action(double{});
  }
}

}  // namespace

void append_xdr(std::vector<std::byte>& data, int type, const void* from, int count, int stride) {
  if (type == PVM_BYTE) return append_bytes(data, from, count, stride);
  const std::size_t words = element_of(type)->words;
  with_word_of(type, [&](auto value) { append<decltype(value)>(data, from, count, stride, words); });
}

int take_xdr(std::span<const std::byte> data, int type, void* to, int count, int stride) {
  if (type == PVM_BYTE) return take_bytes(data, to, count, stride);
  const std::size_t words = element_of(type)->words;
  return with_word_of(type,
                      [&](auto value) { return take<decltype(value)>(data, to, count, stride, words); });
}

}  // namespace morgana::pvm
