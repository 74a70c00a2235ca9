#include "pvmshim/mpi/emulate/ucx/business_cards.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "pvmshim/channel/card_table.h"
#include "pvmshim/mpi/emulate/ucx/link_table.h"
#include "pvmshim/mpi/told.h"

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
  std::string answer = {};
};
PmiLine* pmi = nullptr;

// MPICH writes a question whole, and reads its answer before it asks the next.
ssize_t write_for_mpich(int descriptor, const void* data, std::size_t size) {
  if (descriptor != pmi->descriptor) return ::write(descriptor, data, size);
  auto answer = pmi->cards.answer(std::string_view(static_cast<const char*>(data), size));
  if (!answer) return ::write(descriptor, data, size);
  pmi->answer += *answer;
  return static_cast<ssize_t>(size);
}

ssize_t read_for_mpich(int descriptor, void* data, std::size_t size) {
  if (descriptor != pmi->descriptor || pmi->answer.empty()) return ::read(descriptor, data, size);
  const std::size_t given = pmi->answer.copy(static_cast<char*>(data), size);
  pmi->answer.erase(0, given);
  return static_cast<ssize_t>(given);
}

/// The table that MPICH reads all cards into.
struct SharedTable {
  std::string path;
  std::size_t ranks;
  void* memory = nullptr;  ///< from when MPICH asks for it to when it gives it back
};
SharedTable* shared_table = nullptr;

void* malloc_for_mpich(std::size_t size) {
  if (shared_table->memory != nullptr || !CardTable::is_size_asked(size, shared_table->ranks))
    return std::malloc(size);
  shared_table->memory = map_card_table(shared_table->path, CardTable::size(shared_table->ranks));
  return shared_table->memory != nullptr ? shared_table->memory : std::malloc(size);
}

void free_for_mpich(void* memory) {
  if (memory == nullptr || memory != shared_table->memory) return std::free(memory);
  unmap_card_table(memory, CardTable::size(shared_table->ranks));
  shared_table->memory = nullptr;
  replace_calls_of("libmpich.so", {{"malloc", reinterpret_cast<void*>(&std::malloc)},
                                   {"free", reinterpret_cast<void*>(&std::free)}});
}

/// Does nothing where the run has no table to share.
void share_the_table() {
  const char *table = told(CardTable::path_variable), *ranks = std::getenv("PMI_SIZE");
  if (table == nullptr || ranks == nullptr) return;
  shared_table = new SharedTable{table, static_cast<std::size_t>(std::atol(ranks))};
  replace_calls_of("libmpich.so", {{"malloc", reinterpret_cast<void*>(&malloc_for_mpich)},
                                   {"free", reinterpret_cast<void*>(&free_for_mpich)}});
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

void answer_for_business_cards(int own_rank) {
  const char* descriptor = std::getenv("PMI_FD");
  if (descriptor == nullptr || pmi != nullptr) return;
  pmi = new PmiLine{std::atoi(descriptor), CardAnswers(own_rank)};  // for as long as the process lives
  if (replace_calls_of("libmpich.so", {{"write", reinterpret_cast<void*>(&write_for_mpich)},
                                       {"read", reinterpret_cast<void*>(&read_for_mpich)}}))
    share_the_table();
}

}  // namespace morgana::mpi::emulated
