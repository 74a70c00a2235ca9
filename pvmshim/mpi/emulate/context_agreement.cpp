#include "pvmshim/mpi/emulate/context_agreement.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "emulator/core/error.h"
#include "pvmshim/channel/agreement_table.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/mpi/communicators.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/told.h"

namespace morgana::mpi::emulated {
namespace {

using Words = AgreementTable::Words;

AgreementTable& view_of_table() {
  try {
    return *new AgreementTable(told(RankChannel::path_variable));
  } catch (const Error& failure) {
    fail(failure.what());  // MPICH's frames are no place to throw through
  }
}

AgreementTable& table() {
  static AgreementTable& of_run = view_of_table();  // for as long as the process lives
  return of_run;
}

/// What is the same in the tags of all messages of an Allreduce: MPICH's context in the upper 16 bits, and
/// the collective's number in the lower ones. The sender is between them, and so are flags.
std::uint64_t without_sender(std::uint64_t tag) {
  constexpr std::uint64_t context_bits = std::uint64_t{0xffff} << 48, number_bits = 0xfffff;
  return tag & (context_bits | number_bits);
}

/// One that this process takes part in.
struct Agreement {
  std::uint64_t tag;
  AgreementTable::Place place;
  bool is_root;
  bool has_given = false;
  std::vector<std::uint64_t> expected = {};  ///< tags of messages that MPICH waits for

  bool is_known() const {
    return is_root && !has_given ? table().others_have_given(place) : table().all_have_given(place);
  }
};

/// The context that MPICH chooses of what all have free, without the bits that tell its uses apart: the
/// highest bit of the first word with any. Nothing if there is none, and MPICH tries again.
std::optional<std::uint64_t> chosen_of(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] != 0) return i * 32 + static_cast<std::uint64_t>(std::bit_width(words[i]) - 1);
  return std::nullopt;
}

/// Those of all threads: MPICH lets any thread carry on what another one has begun. MPICH's own lock does not
/// guard them, since an agreement is left outside of MPICH.
std::list<Agreement>& agreements() {
  static std::list<Agreement> under_way;
  return under_way;
}
std::recursive_mutex& guard_of_agreements() {
  static std::recursive_mutex guard;
  return guard;
}
using Guarded = std::lock_guard<std::recursive_mutex>;

/// This thread's.
thread_local Agreement* own = nullptr;
/// Tags of messages with a number that this thread's MPICH waits for.
thread_local std::vector<std::uint64_t> expected_numbers;

/// Whether a message is of those by which the first member of a new communicator tells the others its number
/// of communicators. MPICH takes it to choose one of several UCX workers, where it has them.
bool is_number(std::uint64_t tag, std::size_t length) {
  constexpr std::uint64_t tag_of_broadcasts = 2, collective_bits = 0xfffff;
  constexpr int context_shift = 52;  // over the bits that tell a context's uses apart
  if (own == nullptr || length != sizeof(int) || (tag & collective_bits) != tag_of_broadcasts) return false;
  return table().all_have_given(own->place) && chosen_of(table().result(own->place)) == tag >> context_shift;
}

/// How many a communicator's members have had.
std::uint64_t next_number(Context context) {
  static std::unordered_map<Context, std::uint64_t> numbers;
  return numbers[context]++;
}

/// Whether MPICH's Allreduce goes to the first member and back, as the launcher has told it, and it has one
/// UCX worker only: a program may have told it otherwise before it began.
bool is_as_launched() {
  const auto is = [](const char* variable, std::string_view value) {
    const char* const set = std::getenv(variable);
    return set != nullptr && set == value;
  };
  static const bool decided = is("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "nb") &&
                              is("MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM", "sched_naive") &&
                              std::getenv("MPIR_CVAR_CH4_NUM_VCIS") == nullptr;
  return decided;
}

/// That of a message: it may be the first of one that this thread begins.
Agreement* agreement_of(std::uint64_t tag, std::size_t length) {
  if (length != sizeof(Words) || !is_as_launched()) return nullptr;
  const std::uint64_t common = without_sender(tag);
  const auto found = std::ranges::find(agreements(), common, &Agreement::tag);
  if (found != agreements().end()) return &*found;
  const std::shared_ptr<const Communicator> comm = begin_agreement();
  if (comm == nullptr) return nullptr;
  const AgreementTable::Key key{comm->context(), next_number(comm->context())};
  const AgreementTable::Place place = table().join(key, static_cast<std::uint32_t>(comm->size()));
  own = &agreements().emplace_back(Agreement{common, place, comm->me() == 0});
  return own;
}

std::vector<std::byte> bytes_of(const Words& words) {
  std::vector<std::byte> bytes(sizeof words);
  std::memcpy(bytes.data(), words.data(), sizeof words);
  return bytes;
}

/// What a member receives that has not sent, and is not the root.
Words all_free() {
  Words words;
  words.fill(~std::uint32_t{0});
  return words;
}

}  // namespace

void note_how_mpich_was_launched() {
  is_as_launched();
}

bool is_agreements(std::uint64_t tag, std::span<const std::byte> data) {
  const Guarded guarded(guard_of_agreements());
  if (is_number(tag, data.size())) return true;
  Agreement* const agreement = agreement_of(tag, data.size());
  if (agreement == nullptr) return false;
  if (std::exchange(agreement->has_given, true)) return true;
  Words words;
  std::memcpy(words.data(), data.data(), sizeof words);
  table().give(agreement->place, words, agreement->is_root);
  return true;
}

void expect_agreements(std::uint64_t tag, std::size_t length) {
  const Guarded guarded(guard_of_agreements());
  if (is_number(tag, length))
    expected_numbers.push_back(tag);
  else if (Agreement* const agreement = agreement_of(tag, length))
    agreement->expected.push_back(tag);
}

std::vector<AgreedMessage> agreed_messages() {
  const Guarded guarded(guard_of_agreements());
  std::vector<AgreedMessage> messages;
  for (const std::uint64_t tag : std::exchange(expected_numbers, {}))
    messages.push_back({tag, std::vector<std::byte>(sizeof(int))});
  for (Agreement& one : agreements()) {
    if (one.expected.empty()) continue;
    const bool is_early = !one.has_given && !one.is_root;
    if (!is_early && !one.is_known()) continue;
    const std::vector<std::byte> said = bytes_of(is_early ? all_free() : table().result(one.place));
    for (const std::uint64_t tag : std::exchange(one.expected, {})) messages.push_back({tag, said});
  }
  return messages;
}

bool awaits_agreement() {
  const Guarded guarded(guard_of_agreements());
  return std::ranges::any_of(agreements(), [](const Agreement& one) { return !one.expected.empty(); });
}

// Only where no other thread calls.
void await_agreement() {
  for (const Agreement& one : agreements())
    if (!one.expected.empty())
      return one.is_root && !one.has_given ? table().await_others(one.place) : table().await_all(one.place);
}

void leave_agreement() {
  if (own == nullptr) return;
  const Guarded guarded(guard_of_agreements());
  table().leave(own->place);
  agreements().remove_if([](const Agreement& one) { return &one == own; });
  own = nullptr;
}

}  // namespace morgana::mpi::emulated
