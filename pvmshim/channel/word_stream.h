#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/channel/codec.h"

namespace morgana {

/// Packs two 32-bit numbers into a word, the first one low.
constexpr Word pair_of(std::uint32_t low, std::uint32_t high) {
  return Word{low} | Word{high} << 32;
}
constexpr std::uint32_t low_half(Word word) {
  return static_cast<std::uint32_t>(word);
}
constexpr std::uint32_t high_half(Word word) {
  return static_cast<std::uint32_t>(word >> 32);
}

/// Appends one record to a vector of words; its length is put into its first word when it is complete.
class RecordWriter {
 public:
  explicit RecordWriter(std::vector<Word>& words) : words_(words), start_(words.size()) {}

  void put(Word word) { words_.push_back(word); }
  void put_signed(std::int64_t value) { words_.push_back(static_cast<Word>(value)); }
  /// Two 32-bit numbers to a word.
  template <typename Numbers>
  void put_halves(const Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      const std::uint32_t second = i + 1 < numbers.size() ? static_cast<std::uint32_t>(numbers[i + 1]) : 0;
      put(pair_of(static_cast<std::uint32_t>(numbers[i]), second));
    }
  }
  /// The first word's low half must have been put as 0.
  void finish() {
    const std::size_t length = words_.size() - start_;
    if (length > longest_record) {
      words_.resize(start_);
      throw Error("one MPI call names more than " + std::to_string(longest_record) +
                  " requests or sizes: split it into smaller ones");
    }
    words_[start_] |= length;
  }

 private:
  std::vector<Word>& words_;
  std::size_t start_;
};

/// Reads a record word by word; nothing in it is believed.
class RecordReader {
 public:
  explicit RecordReader(std::span<const Word> record) : words_(record) {
    require(!record.empty() && record_length(record[0]) == record.size(), "a wrong length");
  }

  Word get() {
    require(at_ < words_.size(), "too short a record");
    return words_[at_++];
  }
  std::int64_t get_between(std::int64_t least, std::int64_t most, const char* what) {
    const auto value = static_cast<std::int64_t>(get());
    require(least <= value && value <= most, what);
    return value;
  }
  /// A count of things of which `per_word` share a word; never more than the record can still hold.
  std::size_t checked_count(std::size_t count, std::size_t per_word = 1) const {
    require(count <= (words_.size() - at_) * per_word, "too large a count");
    return count;
  }
  template <typename Number>
  void get_halves(std::vector<Number>& numbers, std::size_t count, std::int32_t least, const char* what) {
    numbers.clear();
    numbers.reserve(checked_count(count, 2));
    for (std::size_t i = 0; i < count; i += 2) {
      const Word two = get();
      numbers.push_back(static_cast<Number>(half_at_least(low_half(two), least, what)));
      if (i + 1 < count)
        numbers.push_back(static_cast<Number>(half_at_least(high_half(two), least, what)));
      else
        require(high_half(two) == 0, what);
    }
  }
  static std::int32_t half_at_least(std::uint32_t half, std::int32_t least, const char* what) {
    const auto value = std::bit_cast<std::int32_t>(half);
    require(value >= least, what);
    return value;
  }
  void finish() const { require(at_ == words_.size(), "too long a record"); }

  static void require(bool condition, const char* what) {
    if (!condition) throw MalformedRecord(std::string("malformed record: ") + what);
  }

 private:
  std::span<const Word> words_;
  std::size_t at_ = 0;
};

}  // namespace morgana
