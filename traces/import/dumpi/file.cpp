#include "traces/import/dumpi/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "emulator/core/error.h"

namespace morgana::dumpi {
namespace {

constexpr std::uint64_t file_magic = 0xffaadd44554d5049;  // ?, ?, ?, "DUMPI"
constexpr std::size_t magic_bytes = 8;
/// The index: the magic again and, from newest to oldest kind, offsets of sizes of types, of addresses, of
/// counters' labels, header, body, footer, keys and values. Older files lack the first ones.
constexpr std::size_t index_offsets = 7, oldest_offsets = 4;

// Bits of a record's mask.
constexpr unsigned with_statuses = 3, with_cpu_time = 1 << 2, with_wall_time = 1 << 3, with_thread = 1 << 6,
                   with_counters = 1 << 7;
constexpr std::int64_t nanoseconds = 1'000'000'000;

/// Sizes on machines of 64 bits, by type's number, for files without a table: error, null, char, signed
/// and unsigned char, byte, wchar, short, unsigned short, int, unsigned, long, unsigned long, float, double,
/// long double, long long int, unsigned long long, long long, packed, LB, UB, and pairs with an int: of
/// float, double, long, short, int, long double.
constexpr std::array<std::int64_t, 28> usual_sizes{0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                   8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

}  // namespace

RankFile::RankFile(const std::filesystem::path& file) : text_(file), bytes_(text_.text()) {
  if (bytes_.size() < magic_bytes || number(8) != file_magic)
    throw Error(fmt::format(
        "{}: not a DUMPI trace: the file must begin with DUMPI's magic number; check its name and format",
        file.string()));
  end_ = bytes_.size();
  std::vector<std::size_t> offsets;
  for (std::size_t count = index_offsets; count >= oldest_offsets && offsets.empty(); --count) {
    const std::size_t size = magic_bytes * (count + 1);
    if (size + magic_bytes > bytes_.size()) continue;
    at_ = bytes_.size() - size;
    if (number(8) != file_magic) continue;
    for (std::size_t i = 0; i < count; ++i) offsets.push_back(number(8));
  }
  if (offsets.empty()) refuse_file("it has no index at its end, so it was cut off; record or copy it again");
  const std::size_t header = offsets[offsets.size() - 4], body = offsets[offsets.size() - 3];
  for (const std::size_t offset : offsets)
    if (offset >= bytes_.size())
      refuse_file(fmt::format("its index names offset {}, but it has {} bytes", offset, bytes_.size()));
  if (header > 0) read_header(header);
  if (offsets.size() == index_offsets && offsets[0] > 0) read_sizes(offsets[0]);
  end_ = header > 0 ? header : offsets[offsets.size() - 2];
  if (body < magic_bytes || end_ < body)
    refuse_file(fmt::format("its records begin at offset {}, which can't be", body));
  at_ = body;
  skip(8);  // the bias of both clocks' seconds, which no difference of times needs
  first_ = at_;
}

void RankFile::read_header(std::size_t header) {
  at_ = header;
  for (int& part : version_) part = static_cast<int>(number(1));
}

void RankFile::read_sizes(std::size_t sizes) {
  at_ = sizes;
  const std::size_t types = count(4);
  for (std::size_t i = 0; i < types; ++i) sizes_.push_back(static_cast<std::int32_t>(number(4)));
}

std::optional<std::int64_t> RankFile::size_of_type(std::int64_t type) const {
  // MPI_LONG_LONG_INT, which is MPI_LONG_LONG, has none in the table.
  if (type >= 0 && static_cast<std::size_t>(type) < sizes_.size() &&
      sizes_[static_cast<std::size_t>(type)] > 0)
    return sizes_[static_cast<std::size_t>(type)];
  // Types of these numbers are null, or one that libdumpi did not know.
  constexpr std::int64_t null_type = 1;
  if (type > null_type && static_cast<std::size_t>(type) < usual_sizes.size())
    return usual_sizes[static_cast<std::size_t>(type)];
  return std::nullopt;
}

bool RankFile::is_at_least(int major, int minor, int patch) const {
  return version_ >= std::array{major, minor, patch};
}

bool RankFile::next(Record& record) {
  record.offset = at_;
  if (end_ - at_ < 2) return false;
  const std::uint64_t function = number(2);
  record.function = static_cast<Function>(function);
  if (record.function == Function::end_of_stream) return false;
  if (function > static_cast<std::uint64_t>(Function::end_of_stream))
    refuse(record, fmt::format("there is no call of number {}; the file is damaged", function));
  const char* layout = layout_of(static_cast<std::uint16_t>(function));
  if (layout == nullptr)
    refuse(record,
           fmt::format("a record of {} can't be read, for its layout is not known; record the program again "
                       "without it (its name and \"off\" in dumpi.conf)",
                       call_form(static_cast<std::uint16_t>(function)).name));
  const auto mask = static_cast<unsigned>(number(1));
  record.thread = (mask & with_thread) != 0 ? static_cast<std::uint16_t>(number(2)) : std::uint16_t{0};
  read_times(record, (mask & with_cpu_time) != 0, (mask & with_wall_time) != 0);
  if ((mask & with_counters) != 0) {
    constexpr std::size_t bytes_of_counter = 16;  // entering and leaving
    skip(number(1) * bytes_of_counter);
  }
  record.numbers.clear();
  record.lists.clear();
  record.statuses.clear();
  read_arguments(record, layout, (mask & with_statuses) != 0);
  return true;
}

/// Some calls were written in other ways before the errors in that were found.
const char* RankFile::layout_of(std::uint16_t function) const {
  switch (static_cast<Function>(function)) {
    case Function::type_struct:
      if (!is_at_least(0, 6, 9)) return "4a4h2";
      break;
    case Function::cart_get:
      if (!is_at_least(0, 6, 8)) return "424aa4";
      break;
    case Function::init:
      if (!is_at_least(0, 6, 2)) return "4v";
      break;
    default:
      break;
  }
  return call_form(function).layout;
}

std::int64_t RankFile::seconds_and_nanoseconds() {
  const auto seconds = static_cast<std::int64_t>(number(2));
  return seconds * nanoseconds + static_cast<std::int64_t>(number(4));
}

/// The wall clock says when calls began and ended; where only the CPU's was recorded, that has to do.
void RankFile::read_times(Record& record, bool cpu, bool wall) {
  record.timed = cpu || wall;
  for (int clocks = cpu + wall; clocks > 0; --clocks) {
    record.enter = seconds_and_nanoseconds();
    record.leave = seconds_and_nanoseconds();
  }
}

void RankFile::read_statuses(Record& record) {
  constexpr std::size_t least_bytes = 10;
  const bool with_tag = is_at_least(0, 6, 3);
  for (std::size_t left = count(least_bytes); left > 0; --left) {
    ReceiveStatus& status = record.statuses.emplace_back();
    status.bytes = static_cast<std::int32_t>(number(4));
    status.source = static_cast<std::int32_t>(number(4));
    status.cancelled = number(1) != 0;
    skip(1);  // the error
    if (with_tag) status.tag = static_cast<std::int32_t>(number(4));
  }
}

void RankFile::read_arguments(Record& record, const char* layout, bool statuses) {
  const auto add_list = [&](int bytes) {
    std::vector<std::int32_t>& list = record.lists.emplace_back();
    const std::size_t length = count(static_cast<std::size_t>(bytes));
    list.reserve(length);
    for (std::size_t i = 0; i < length; ++i) list.push_back(static_cast<std::int32_t>(number(bytes)));
  };
  for (; *layout != '\0'; ++layout) {
    switch (*layout) {
      case '4':
        record.numbers.push_back(static_cast<std::int32_t>(number(4)));
        break;
      case '1':
      case '2':
      case '8':
        record.numbers.push_back(static_cast<std::int64_t>(number(*layout - '0')));
        break;
      case 'a':
        add_list(4);
        break;
      case 'h':
        add_list(2);
        break;
      case 'b':
        add_list(1);
        break;
      case 'r':
        for (std::size_t lists = count(4); lists > 0; --lists) add_list(4);
        break;
      case 's':
        skip(count(1));
        break;
      case 'v':
        for (std::size_t strings = count(4); strings > 0; --strings) skip(count(1));
        break;
      case 'S':
        if (statuses) read_statuses(record);
        break;
      case '{': {
        ++layout;
        const auto root = static_cast<std::size_t>(*layout - '0');
        if (record.numbers.at(0) != record.numbers.at(root))
          while (*layout != '}') ++layout;
        break;
      }
      default:  // }
        break;
    }
  }
}

std::uint64_t RankFile::number(int bytes) {
  if (end_ != 0 && end_ - at_ < static_cast<std::size_t>(bytes))
    refuse_file(
        fmt::format("a record runs into what follows the records, at offset {}; the file is damaged", at_));
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes_[at_++]);
  return value;
}

/// How many elements follow. @param least_bytes  of each
std::size_t RankFile::count(std::size_t least_bytes) {
  const std::size_t at = at_;
  const std::uint64_t length = number(4);
  if (length > (end_ - at_) / least_bytes)
    refuse_file(fmt::format(
        "offset {} announces {} elements, for which there is no space; the file is damaged", at, length));
  return length;
}

void RankFile::skip(std::size_t bytes) {
  if (bytes > end_ - at_)
    refuse_file(
        fmt::format("a record runs into what follows the records, at offset {}; the file is damaged", at_));
  at_ += bytes;
}

void RankFile::refuse(const Record& record, const std::string& what) const {
  throw Error(fmt::format("{}: offset {}: {}", file().string(), record.offset, what));
}

void RankFile::refuse_file(const std::string& what) const {
  throw Error(fmt::format("{}: {}", file().string(), what));
}

bool is_rank_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, magic_bytes> begin{};
  if (!stream.read(begin.data(), begin.size())) return false;
  std::uint64_t value = 0;
  for (const char byte : begin) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value == file_magic;
}

}  // namespace morgana::dumpi
