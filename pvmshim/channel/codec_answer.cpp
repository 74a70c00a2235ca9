#include "pvmshim/channel/codec.h"
#include "pvmshim/channel/word_stream.h"

namespace morgana {
namespace {

// Of each Completed: flags and above them the outcome:32 deposits:32, request, source:32 tag:32, bytes,
// payload, what is coming (where anything is), the deposits.
constexpr std::size_t words_of_completed = 5;
constexpr std::uint32_t flag_cancelled = 1, flag_coming = 2;
constexpr unsigned outcome_shift = 2;

// Doesn't compile when a field is added: then this file has to carry it.
[[maybe_unused]] void all_fields_of(const Answer& answer, const Completed& one) {
  [[maybe_unused]] const auto& [clock, completed, quiet_until, quiet_but_for_computing, computing, news] =
      answer;
  [[maybe_unused]] const auto& [request, source, tag, bytes, payload, cancelled, outcome, coming, deposits] =
      one;
}

void put(RecordWriter& record, std::span<const Completed> completed) {
  for (const Completed& one : completed) {
    const bool coming = one.coming > Bytes();
    const std::uint32_t flags = (one.cancelled ? flag_cancelled : 0U) | (coming ? flag_coming : 0U) |
                                static_cast<std::uint32_t>(one.outcome) << outcome_shift;
    record.put(pair_of(flags, static_cast<std::uint32_t>(one.deposits.size())));
    record.put(static_cast<Word>(one.request));
    record.put(pair_of(static_cast<std::uint32_t>(one.source), static_cast<std::uint32_t>(one.tag)));
    record.put_signed(one.bytes.count());
    record.put(one.payload);
    if (coming) record.put_signed(one.coming.count());
    for (const std::uint64_t deposit : one.deposits) record.put(deposit);
  }
}

void get(RecordReader& record, std::size_t count, std::vector<Completed>& completed) {
  record.checked_count(count * words_of_completed);
  completed.resize(count);
  for (Completed& one : completed) {
    const Word first = record.get();
    const std::uint32_t outcome = low_half(first) >> outcome_shift;
    RecordReader::require(outcome <= static_cast<std::uint32_t>(last_outcome),
                          "an unknown outcome of a completion");
    one.outcome = static_cast<Outcome>(outcome);
    one.cancelled = (low_half(first) & flag_cancelled) != 0;
    one.request = RequestId{record.get()};
    const Word both = record.get();
    one.source = Rank{RecordReader::half_at_least(low_half(both), -1, "a source out of range")};
    one.tag = Tag{RecordReader::half_at_least(high_half(both), -1, "a tag out of range")};
    one.bytes = Bytes(record.get_between(0, largest_size, "a size out of range"));
    one.payload = record.get();
    one.coming = Bytes();
    if ((low_half(first) & flag_coming) != 0)
      one.coming = Bytes(record.get_between(1, one.bytes.count(), "more coming than there is"));
    one.deposits.resize(record.checked_count(high_half(first)));
    for (std::uint64_t& deposit : one.deposits) deposit = record.get();
  }
}

}  // namespace

// Answer: length:32 number of completions:32, clock, quiet_until, number of computing ranks:32 news:32, the
// completions;
// if there are computing ranks: quiet_but_for_computing, and of each rank:32 0:32, said.
void encode(const Answer& answer, std::vector<Word>& words) {
  RecordWriter record(words);
  record.put(pair_of(0, static_cast<std::uint32_t>(answer.completed.size())));
  record.put_signed(answer.clock.ps());
  record.put_signed(answer.quiet_until.ps());
  record.put(pair_of(static_cast<std::uint32_t>(answer.computing.size()), answer.news));
  put(record, answer.completed);
  if (!answer.computing.empty()) record.put_signed(answer.quiet_but_for_computing.ps());
  for (const ComputingRank& one : answer.computing) {
    record.put(pair_of(static_cast<std::uint32_t>(one.rank), 0));
    record.put(one.said);
  }
  record.finish();
}

void decode(std::span<const Word> words, Answer& answer) {
  RecordReader record(words);
  const std::size_t count = high_half(record.get());
  answer.clock = SimTime::from_ps(record.get_between(0, SimTime::max().ps(), "a clock out of range"));
  answer.quiet_until = SimTime::from_ps(record.get_between(0, SimTime::max().ps(), "a time out of range"));
  const Word both = record.get();
  const std::size_t computing = low_half(both);
  answer.news = high_half(both);
  get(record, count, answer.completed);
  answer.quiet_but_for_computing = SimTime();
  answer.computing.resize(record.checked_count(computing));
  if (computing > 0)
    answer.quiet_but_for_computing =
        SimTime::from_ps(record.get_between(0, SimTime::max().ps(), "a time out of range"));
  for (ComputingRank& one : answer.computing) {
    one.rank = Rank{RecordReader::half_at_least(low_half(record.get()), 0, "a rank out of range")};
    one.said = record.get();
  }
  record.finish();
}

// Completions alone: length:32 number:32, the completions.
void encode(std::span<const Completed> completed, std::vector<Word>& words) {
  RecordWriter record(words);
  record.put(pair_of(0, static_cast<std::uint32_t>(completed.size())));
  put(record, completed);
  record.finish();
}

void decode(std::span<const Word> words, std::vector<Completed>& completed) {
  RecordReader record(words);
  get(record, high_half(record.get()), completed);
  record.finish();
}

}  // namespace morgana
