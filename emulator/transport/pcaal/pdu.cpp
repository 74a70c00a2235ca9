#include "emulator/transport/pcaal/pdu.h"

#include <algorithm>
#include <cassert>

#include "emulator/transport/pcaal/cell_fields.h"

namespace morgana::pcaal {
namespace {

// Of STAT and USTAT; of POLL, N(PS) stands where STAT has it.
constexpr std::size_t nps_at = 29, laf_at = 33, nmr_at = 37;
enum Type : std::uint8_t { sd_type = 8, poll_type = 10, stat_type = 11, ustat_type = 12 };
constexpr unsigned ends_flag = 1, empty_flag = 2;

}  // namespace

Cell encode(const Pdu& pdu, Packing packing, std::span<const std::uint8_t> data) {
  Cell cell{};
  if (const Sd* sd = std::get_if<Sd>(&pdu)) {
    assert(data.size() <= (packing == Packing::single ? room_for_one : room_for_several));
    put(cell, 0, sd->tag, 2);
    put(cell, 2, sd->offset, 2);
    std::size_t at = 4;
    if (packing == Packing::several) {
      put(cell, 4, sd->offset + std::max<std::uint32_t>(sd->count, 1) - 1, 2);
      at = 6;
    }
    std::copy(data.begin(), data.end(), cell.begin() + static_cast<std::ptrdiff_t>(at));
    close(cell, sd_type, (sd->ends ? ends_flag : 0) | (sd->count == 0 ? empty_flag : 0), sd->ns);
  } else if (const Poll* poll = std::get_if<Poll>(&pdu)) {
    put(cell, nps_at, poll->nps, 4);
    close(cell, poll_type, 0, poll->ns);
  } else if (const Stat* stat = std::get_if<Stat>(&pdu)) {
    assert(stat->list.size() <= longest_list);
    for (std::size_t i = 0; i < stat->list.size(); ++i) put(cell, 4 * i, stat->list[i], 4);
    put(cell, nps_at, stat->nps, 4);
    put(cell, laf_at, stat->laf, 4);
    put(cell, nmr_at, stat->nmr, 4);
    close(cell, stat_type, static_cast<unsigned>(stat->list.size()), stat->nr);
  } else {
    const Ustat& ustat = std::get<Ustat>(pdu);
    put(cell, 0, ustat.first, 4);
    put(cell, 4, ustat.end, 4);
    put(cell, nmr_at, ustat.nmr, 4);
    close(cell, ustat_type, 0, ustat.nr);
  }
  return cell;
}

std::optional<Pdu> decode(const Cell& cell, Packing packing) {
  if (!is_intact(cell)) return std::nullopt;
  const unsigned high = flags_of(cell);
  const Number number = number_of(cell);
  switch (type_of(cell)) {
    case sd_type: {
      const std::uint32_t first = get(cell, 2, 2);
      const std::uint32_t last = packing == Packing::several ? get(cell, 4, 2) : first;
      const auto count = static_cast<std::uint16_t>(high & empty_flag ? 0 : (last - first + 1) & 0xffff);
      return Sd{static_cast<std::uint16_t>(get(cell, 0, 2)), static_cast<std::uint16_t>(first), count, number,
                (high & ends_flag) != 0};
    }
    case poll_type:
      return Poll{get(cell, nps_at, 4), number};
    case stat_type: {
      if (high > longest_list) return std::nullopt;
      Stat stat{{}, get(cell, nps_at, 4), get(cell, nmr_at, 4), number, get(cell, laf_at, 4)};
      for (std::size_t i = 0; i < high; ++i) stat.list.push_back(get(cell, 4 * i, 4));
      return stat;
    }
    case ustat_type:
      return Ustat{get(cell, 0, 4), get(cell, 4, 4), get(cell, nmr_at, 4), number};
    default:
      return std::nullopt;
  }
}

}  // namespace morgana::pcaal
