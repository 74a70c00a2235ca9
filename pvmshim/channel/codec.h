#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// What rings and logs are made of.
using Word = std::uint64_t;
/// A record is its length in words (the low 32 bits of its first word) and what follows.
constexpr std::size_t record_length(Word first) {
  return first & 0xffff'ffffU;
}
/// No record is longer, in words (128 MiB): space for a wait for 16 million requests.
constexpr std::size_t longest_record = std::size_t{1} << 24;
/// No size in a record is larger, in bytes (256 TiB), and no span of time longer, in ps (53 days).
constexpr std::int64_t largest_size = std::int64_t{1} << 48;
constexpr std::int64_t longest_time = std::int64_t{1} << 62;

/// A record that no encoder has written: its length, an enumerator, a count or a value is out of range.
class MalformedRecord : public Error {
 public:
  using Error::Error;
};

/// Appends one record. @throws Error if it would be longer than longest_record
void encode(const Operation& operation, std::vector<Word>& words);
void encode(const Answer& answer, std::vector<Word>& words);
void encode(std::span<const Completed> completed, std::vector<Word>& words);

/// The inverse: `record` is one whole record, not trusted at all. Every field is set; vectors keep their
/// storage. @throws MalformedRecord
void decode(std::span<const Word> record, Operation& operation);
void decode(std::span<const Word> record, Answer& answer);
void decode(std::span<const Word> record, std::vector<Completed>& completed);

}  // namespace morgana
