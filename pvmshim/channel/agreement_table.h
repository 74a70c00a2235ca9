#pragma once

#include <array>
#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/futex.h"

namespace morgana {

/// Where ranks of an emulated run agree on words, in its shared memory and without the emulator: each member
/// of a group gives its own, and all get those bits that all have set. It takes a member one sleep, however
/// many there are.
///
/// One member is the last that others need: it may ask for what all others have given before it gives its
/// own. All of them join, give once, and leave. A rank's view may be used by several threads.
class AgreementTable {
 public:
  using Words =
      std::array<std::uint32_t, 65>;  ///< what MPICH agrees on: its mask of contexts, and a word more

  /// What identifies an agreement: where its members meet, and how many they have had there.
  struct Key {
    Context context;
    std::uint64_t number;
  };
  /// An agreement's number in the table, from join() to leave().
  using Place = std::size_t;

  /// What it takes of the shared memory, in whole pages.
  static std::size_t size(std::size_t ranks);
  /// Once, before any rank is there. @param begin  as much as size() says, all zeros
  static void initialise(std::byte* begin);

  /// @param channel  the path that ranks attach to. @throws Error if there is no channel
  explicit AgreementTable(const std::string& channel);

  /// @param members  how many will join it
  Place join(const Key& key, std::uint32_t members);
  /// @param is_last  of this member others need nothing more than that it has given
  void give(Place place, const Words& words, bool is_last);
  bool all_have_given(Place place) const;
  /// All but the last one.
  bool others_have_given(Place place) const;
  /// Sleeps until they have. If the emulator ends before that, this process does.
  void await_all(Place place) const;
  void await_others(Place place) const;
  /// The bits that all have set who have given theirs.
  Words result(Place place) const;
  void leave(Place place);

 private:
  struct Entry;
  struct Shared;

  static void begin(Entry& fresh, const Key& key, std::uint32_t members);
  /// @return none if the table is full
  std::optional<Place> find_or_begin(const Key& key, std::uint32_t members);
  static void tell(FutexWord& word);
  void await(FutexWord& word) const;
  Entry& entry(Place place) const;

  boost::interprocess::mapped_region header_region_, region_;
  Shared& shared_;
  std::size_t room_;
};

}  // namespace morgana
