#include "pvmshim/mpi/emulate/business_cards.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "pvmshim/mpi/emulate/link_table.h"

namespace morgana::mpi::emulated {
namespace {

constexpr std::string_view card_mark = "mrgn";

std::string hexadecimal(const BusinessCard& card) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  for (const unsigned char byte : card) {
    text += digits[byte >> 4];
    text += digits[byte & 0xf];
  }
  return text;
}

/// What stands behind " NAME=" in a line of PMI's, to the next blank or the line's end.
std::string_view field(std::string_view line, std::string_view name) {
  const std::size_t place = line.find(name);
  if (place == std::string_view::npos) return {};
  const std::string_view rest = line.substr(place + name.size());
  return rest.substr(0, rest.find_first_of(" \n"));
}

/// MPICH's descriptor to mpiexec, and what has been answered and not read yet.
struct PmiLine {
  int descriptor;
  CardAnswers cards;
  void (*before)();
  void (*after)();
  std::string answer = {};
  bool reads = false;  ///< between `before` and `after`
};
PmiLine* pmi = nullptr;

// MPICH writes a question whole, and reads its answer before it asks the next.
ssize_t write_for_mpich(int descriptor, const void* data, std::size_t size) {
  if (descriptor != pmi->descriptor) return ::write(descriptor, data, size);
  const std::string_view line(static_cast<const char*>(data), size);
  if (auto answer = pmi->cards.answer(line)) {
    pmi->answer += *answer;
    if (line.starts_with("cmd=get ") && !std::exchange(pmi->reads, true)) pmi->before();
    return static_cast<ssize_t>(size);
  }
  business_cards_are_read();
  return ::write(descriptor, data, size);
}

ssize_t read_for_mpich(int descriptor, void* data, std::size_t size) {
  if (descriptor != pmi->descriptor || pmi->answer.empty()) return ::read(descriptor, data, size);
  const std::size_t given = pmi->answer.copy(static_cast<char*>(data), size);
  pmi->answer.erase(0, given);
  return static_cast<ssize_t>(given);
}

/// MPICH's table of cards takes a page for each rank, which is written to once and thrown away. A page fault
/// for each of them in each rank is what starting would mostly consist of: the system is asked for all at
/// once, in large pages where it has them.
void* malloc_for_mpich(std::size_t size) {
  constexpr std::uintptr_t page = 4096;
  constexpr std::size_t worth_asking = 16 * page;
  void* const memory = std::malloc(size);
  if (memory == nullptr || size < worth_asking) return memory;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + size) / page * page;
  // Wishes, both: a system that knows neither gives the pages one by one.
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
  return memory;
}

void populate_table(bool does) {
  replace_calls_of("libmpich.so",
                   {{"malloc", reinterpret_cast<void*>(does ? &malloc_for_mpich : &std::malloc)}});
}

}  // namespace

BusinessCard business_card(int rank) {
  BusinessCard card{};
  const auto number = static_cast<std::uint32_t>(rank);
  std::copy(card_mark.begin(), card_mark.end(), card.begin());
  std::memcpy(card.data() + card_mark.size(), &number, sizeof number);
  return card;
}

int rank_on(const BusinessCard& card) {
  std::uint32_t number = 0;
  std::memcpy(&number, card.data() + card_mark.size(), sizeof number);
  return static_cast<int>(number);
}

CardAnswers::CardAnswers(int own_rank) : own_rank_(own_rank) {}

std::optional<std::string> CardAnswers::answer(std::string_view question) {
  if (question.starts_with("cmd=put ")) return answer_to_put(question);
  if (question.starts_with("cmd=get ")) return answer_to_get(question);
  return std::nullopt;
}

std::optional<std::string> CardAnswers::answer_to_put(std::string_view question) {
  const std::string_view key = field(question, " key="), value = field(question, " value=");
  const std::string own = std::to_string(own_rank_), card = hexadecimal(business_card(own_rank_));
  const std::size_t place = value.find(card);
  if (!key.ends_with("-" + own) || place == std::string_view::npos) return std::nullopt;
  key_ = key.substr(0, key.size() - own.size());
  before_ = value.substr(0, place);
  after_ = value.substr(place + card.size());
  return "cmd=put_result rc=0 msg=success\n";
}

std::optional<std::string> CardAnswers::answer_to_get(std::string_view question) const {
  const std::string_view key = field(question, " key=");
  if (key_.empty() || !key.starts_with(key_)) return std::nullopt;
  const std::string_view number = key.substr(key_.size());
  int rank = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
  if (error != std::errc{} || end != number.data() + number.size() || rank < 0) return std::nullopt;
  return "cmd=get_result rc=0 msg=success value=" + before_ + hexadecimal(business_card(rank)) + after_ +
         "\n";
}

void business_cards_are_read() {
  if (pmi == nullptr || !std::exchange(pmi->reads, false)) return;
  populate_table(false);
  pmi->after();
}

void answer_for_business_cards(int own_rank, void (*before)(), void (*after)()) {
  const char* descriptor = std::getenv("PMI_FD");
  if (descriptor == nullptr || pmi != nullptr) return;
  pmi = new PmiLine{std::atoi(descriptor), CardAnswers(own_rank), before,
                    after};  // for as long as the process lives
  replace_calls_of("libmpich.so", {{"write", reinterpret_cast<void*>(&write_for_mpich)},
                                   {"read", reinterpret_cast<void*>(&read_for_mpich)}});
  populate_table(true);
}

}  // namespace morgana::mpi::emulated
