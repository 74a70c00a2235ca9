#pragma once

#include <bit>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace morgana {

// Numbers in a page's data: base64 (RFC 4648) of their bytes.

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

inline std::string base64(std::string_view bytes) {
  using namespace boost::archive::iterators;
  using Encoder = base64_from_binary<transform_width<const char*, 6, 8>>;
  std::string text(Encoder(bytes.data()), Encoder(bytes.data() + bytes.size()));
  text.append((3 - bytes.size() % 3) % 3, '=');
  return text;
}

template <typename Number>
std::string base64(const std::vector<Number>& numbers) {
  return base64(
      std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)));
}

/// base64 of a number of each element.
template <typename Number, typename Element, typename Of>
std::string packed(const std::vector<Element>& elements, const Of& of) {
  std::vector<Number> numbers;
  numbers.reserve(elements.size());
  for (const Element& element : elements) numbers.push_back(static_cast<Number>(of(element)));
  return base64(numbers);
}

}  // namespace morgana
