#include "emulator/transport/sscop/pdu.h"

#include <cassert>

namespace morgana::sscop {
namespace {

enum Type : std::uint8_t { sd = 8, poll = 10, stat = 11, ustat = 12 };
constexpr std::size_t word = 4;

void put(std::vector<std::uint8_t>& octets, std::uint8_t upper, Number number) {
  octets.push_back(upper);
  for (const int shift : {16, 8, 0}) octets.push_back(static_cast<std::uint8_t>(number >> shift & 0xff));
}

Number number_at(std::span<const std::uint8_t> octets, std::size_t at) {
  return static_cast<Number>(octets[at + 1]) << 16 | static_cast<Number>(octets[at + 2]) << 8 |
         octets[at + 3];
}

std::size_t padding_of(std::size_t octets) {
  return (word - octets % word) % word;
}

}  // namespace

std::size_t size_of(const Pdu& pdu) {
  if (const Sd* data = std::get_if<Sd>(&pdu)) return data->octets + padding_of(data->octets) + word;
  if (std::holds_alternative<Poll>(pdu)) return 2 * word;
  if (const Stat* status = std::get_if<Stat>(&pdu)) return (status->list.size() + 3) * word;
  return 4 * word;
}

std::vector<std::uint8_t> encode(const Pdu& pdu, std::span<const std::uint8_t> information) {
  std::vector<std::uint8_t> octets;
  if (const Sd* data = std::get_if<Sd>(&pdu)) {
    assert(information.size() == data->octets && data->octets <= largest_information);
    const std::size_t padding = padding_of(information.size());
    octets.assign(information.begin(), information.end());
    octets.resize(octets.size() + padding);
    put(octets, static_cast<std::uint8_t>(padding << 6 | sd), data->ns);
  } else if (const Poll* question = std::get_if<Poll>(&pdu)) {
    put(octets, 0, question->nps);
    put(octets, poll, question->ns);
  } else if (const Stat* status = std::get_if<Stat>(&pdu)) {
    for (const Number element : status->list) put(octets, 0, element);
    put(octets, 0, status->nps);
    put(octets, 0, status->nmr);
    put(octets, stat, status->nr);
  } else {
    const Ustat& gap = std::get<Ustat>(pdu);
    put(octets, 0, gap.first);
    put(octets, 0, gap.end);
    put(octets, 0, gap.nmr);
    put(octets, ustat, gap.nr);
  }
  return octets;
}

std::optional<Pdu> decode(std::span<const std::uint8_t> octets) {
  if (octets.size() < word || octets.size() % word != 0) return std::nullopt;
  const std::size_t trailer = octets.size() - word;
  const Number last = number_at(octets, trailer);
  switch (octets[trailer] & 0xf) {
    case sd: {
      const std::size_t padding = octets[trailer] >> 6;
      if (padding > trailer || trailer - padding > largest_information) return std::nullopt;
      return Sd{static_cast<std::uint32_t>(trailer - padding), last};
    }
    case poll:
      if (octets.size() != 2 * word) return std::nullopt;
      return Poll{number_at(octets, 0), last};
    case stat: {
      if (octets.size() < 3 * word) return std::nullopt;
      Stat status{{}, number_at(octets, trailer - 2 * word), number_at(octets, trailer - word), last};
      for (std::size_t at = 0; at + 2 * word < trailer; at += word)
        status.list.push_back(number_at(octets, at));
      return status;
    }
    case ustat:
      if (octets.size() != 4 * word) return std::nullopt;
      return Ustat{number_at(octets, 0), number_at(octets, word), number_at(octets, 2 * word), last};
    default:
      return std::nullopt;
  }
}

}  // namespace morgana::sscop
