#pragma once

#include <cstddef>
#include <string>

#include "pvmshim/channel/anonymous_file.h"

namespace morgana {

/// Memory for the table of business cards that every rank's MPICH makes while it starts: a page for each
/// rank, written to once, read once and thrown away. As all ranks write the same, those of an emulated run
/// share one table. It lies in the system's large pages as far as the system has them (Linux 6.1 on), so that
/// a rank meets a page fault for 512 others instead of one for each.
class CardTable {
 public:
  /// Where the ranks find it, in their environment.
  static constexpr const char* path_variable = "MORGANA_CARD_TABLE";

  /// What MPICH keeps for a card (MPID_MAX_BC_SIZE).
  static constexpr std::size_t card_room = 4096;
  /// In bytes: all cards, and space for what MPICH adds to align them.
  static constexpr std::size_t size(std::size_t ranks) { return (ranks + 1) * card_room; }
  /// Whether MPICH means the table when it asks for so much memory.
  static constexpr bool is_size_asked(std::size_t asked, std::size_t ranks) {
    return asked >= ranks * card_room && asked <= size(ranks);
  }

  /// @throws Error if there is no memory to be shared
  explicit CardTable(std::size_t ranks);

  std::string path() const { return file_.path(); }

 private:
  AnonymousFile file_;
};

/// A rank's view of it.
/// @param size  CardTable::size of all ranks
/// @return null if the system has no space for it
void* map_card_table(const std::string& path, std::size_t size);
void unmap_card_table(void* table, std::size_t size);

}  // namespace morgana
