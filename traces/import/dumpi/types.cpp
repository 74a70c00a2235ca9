#include "traces/import/dumpi/types.h"

#include <algorithm>
#include <numeric>

namespace morgana::dumpi {
namespace {

/// Above, no message can be, and nothing overflows below.
constexpr std::int64_t most_in_type = std::int64_t{1} << 40;

std::int64_t sum_of(const std::vector<std::int32_t>& list) {
  return std::accumulate(list.begin(), list.end(), std::int64_t{0});
}

}  // namespace

std::optional<std::int64_t> TypeSizes::size(std::int64_t type) const {
  const auto found = made_.find(type);
  return found != made_.end() ? found->second : file_.size_of_type(type);
}

void TypeSizes::make(std::int64_t type, std::int64_t elements, std::int64_t of) {
  made_.erase(type);
  const std::optional<std::int64_t> element = size(of);
  if (!element || elements < 0 || *element < 0 || (*element > 0 && elements > most_in_type / *element))
    return;
  made_[type] = elements * *element;
}

void TypeSizes::make_structure(const Record& record) {
  const std::vector<std::int32_t>&lengths = record.lists.front(), &types = record.lists.back();
  const std::int64_t made = record.numbers.back();
  std::int64_t bytes = 0;
  bool known = lengths.size() == types.size();
  for (std::size_t i = 0; known && i < lengths.size(); ++i) {
    const std::optional<std::int64_t> element = size(types[i]);
    known = element && lengths[i] >= 0 && *element <= most_in_type;
    if (known) bytes += std::min(most_in_type, lengths[i] * *element);
    known = known && bytes <= most_in_type;
  }
  made_.erase(made);
  if (known) made_[made] = bytes;
}

void TypeSizes::see(const Record& record) {
  const auto& numbers = record.numbers;
  const auto& lists = record.lists;
  const auto last = [&](std::size_t from_end) { return numbers[numbers.size() - from_end]; };
  switch (record.function) {
    case Function::type_contiguous:
      return make(last(1), numbers[0], last(2));
    case Function::type_vector:
    case Function::type_hvector:
    case Function::type_create_hvector:
      // Both factors are of 32 bits.
      return make(last(1), numbers[0] * numbers[1], last(2));
    case Function::type_indexed:
    case Function::type_hindexed:
    case Function::type_create_hindexed:
      return make(last(1), sum_of(lists[0]), last(2));
    case Function::type_create_indexed_block:
      return make(last(1), numbers[0] * numbers[1], last(2));
    case Function::type_struct:
    case Function::type_create_struct:
      return make_structure(record);
    case Function::type_create_subarray: {
      std::int64_t elements = 1;
      for (const std::int32_t length : lists[1])
        elements = length < 0 || elements > most_in_type ? -1 : elements * length;
      return make(last(1), elements, last(2));
    }
    case Function::type_create_resized:
      return make(last(1), 1, numbers[0]);
    case Function::type_dup:
      return make(numbers[1], 1, numbers[0]);
    case Function::type_size:
      if (numbers[1] >= 0) made_[numbers[0]] = numbers[1];
      return;
    case Function::type_free:
      made_.erase(numbers[0]);
      return;
    default:
      return;
  }
}

}  // namespace morgana::dumpi
