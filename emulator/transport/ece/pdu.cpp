#include "emulator/transport/ece/pdu.h"

#include <cassert>

#include "emulator/transport/pcaal/cell_fields.h"

namespace morgana::ece {
namespace {

using pcaal::Cell;

constexpr std::size_t sd_stamp_at = pcaal::common_fields_at - 3, stamp_at = pcaal::common_fields_at - 4;
constexpr std::size_t since_at = 25;
enum Type : std::uint8_t { stat_type = 11, lme_type = 13, lstat_type = 14, clock_type = 15 };
constexpr unsigned high_flag = 8;
constexpr auto packing = pcaal::Packing::several;

// The common fields once more, as something before them has changed.
Cell closed_again(Cell cell, std::uint8_t type, unsigned more_flags = 0) {
  pcaal::close(cell, type, pcaal::flags_of(cell) | more_flags, pcaal::number_of(cell));
  return cell;
}

Cell stamped(Cell cell, std::uint8_t type, Stamp sent) {
  pcaal::put(cell, stamp_at, sent, 4);
  return closed_again(cell, type);
}

unsigned flag_of(LatencyMode mode) {
  return mode == LatencyMode::high ? high_flag : 0;
}

// Of a cell of which the flags, the type or the stamp are ECE's: what PC-AAL knows of it.
std::optional<pcaal::Pdu> inner(Cell cell, std::uint8_t type, unsigned flags) {
  pcaal::close(cell, type, flags, pcaal::number_of(cell));
  return pcaal::decode(cell, packing);
}

std::optional<Pdu> decode_status(const Cell& cell) {
  const unsigned flags = pcaal::flags_of(cell);
  const auto status = inner(cell, stat_type, flags & ~high_flag);
  if (!status) return std::nullopt;
  const auto& stat = std::get<pcaal::Stat>(*status);
  const LatencyMode mode = (flags & high_flag) != 0 ? LatencyMode::high : LatencyMode::low;
  if (pcaal::type_of(cell) == stat_type) return Stat{stat, mode};
  if (stat.list.size() > longest_lstat) return std::nullopt;
  return Lstat{stat, mode, pcaal::get(cell, since_at, 4)};
}

}  // namespace

Cell encode(const Pdu& pdu, std::span<const std::uint8_t> data) {
  if (const Sd* sd = std::get_if<Sd>(&pdu)) {
    assert(data.size() <= room_for_data);
    Cell cell = pcaal::encode(sd->data, packing, data);
    pcaal::put(cell, sd_stamp_at, sd->sent, 3);
    return closed_again(cell, pcaal::type_of(cell));
  }
  if (const Poll* poll = std::get_if<Poll>(&pdu)) {
    const Cell cell = pcaal::encode(poll->poll, packing);
    return stamped(cell, pcaal::type_of(cell), poll->sent);
  }
  if (const Stat* stat = std::get_if<Stat>(&pdu))
    return closed_again(pcaal::encode(stat->status, packing), stat_type, flag_of(stat->mode));
  if (const Lstat* lstat = std::get_if<Lstat>(&pdu)) {
    assert(lstat->status.list.size() <= longest_lstat);
    Cell cell = pcaal::encode(lstat->status, packing);
    pcaal::put(cell, since_at, lstat->since, 4);
    return closed_again(cell, lstat_type, flag_of(lstat->mode));
  }
  if (const Ustat* ustat = std::get_if<Ustat>(&pdu)) return pcaal::encode(*ustat, packing);
  if (const Lme* lme = std::get_if<Lme>(&pdu)) return stamped({}, lme_type, lme->sent);
  return stamped({}, clock_type, std::get<Clock>(pdu).sent);
}

std::optional<Pdu> decode(const Cell& cell) {
  if (!pcaal::is_intact(cell)) return std::nullopt;
  const Stamp stamp = pcaal::get(cell, stamp_at, 4);
  switch (pcaal::type_of(cell)) {
    case lme_type:
      return Lme{stamp};
    case clock_type:
      return Clock{stamp};
    case stat_type:
    case lstat_type:
      return decode_status(cell);
    default:
      break;
  }
  const auto known = pcaal::decode(cell, packing);
  if (!known) return std::nullopt;
  if (const auto* sd = std::get_if<pcaal::Sd>(&*known)) return Sd{*sd, pcaal::get(cell, sd_stamp_at, 3)};
  if (const auto* poll = std::get_if<pcaal::Poll>(&*known)) return Poll{*poll, stamp};
  return std::get<Ustat>(*known);
}

}  // namespace morgana::ece
