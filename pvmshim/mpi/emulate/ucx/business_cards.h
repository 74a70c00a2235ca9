#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace morgana::mpi::emulated {

/// What a rank's MPICH gives the others so that they reach it: all follow from the rank.
using BusinessCard = std::array<unsigned char, 8>;

BusinessCard business_card(int rank);
int rank_on(const BusinessCard& card);

/// What mpiexec would answer to MPICH about business cards, in the lines of PMI's first version. All follow
/// from how this rank puts its own: the others spell theirs alike. Everything else is mpiexec's to answer.
class CardAnswers {
 public:
  explicit CardAnswers(int own_rank);

  /// @param question  a line of MPICH's. @return the line that answers it; nothing if mpiexec must
  std::optional<std::string> answer(std::string_view question);

 private:
  std::optional<std::string> answer_to_put(std::string_view question);
  std::optional<std::string> answer_to_get(std::string_view question) const;

  int own_rank_;
  std::string key_;             ///< up to the rank; empty until the own card has been put
  std::string before_, after_;  ///< of a card in its value
};

/// MPICH exchanges these cards through mpiexec: each rank asks for that of every other, which makes starting
/// quadratic, with mpiexec's one proxy between them. From now on these questions are answered in this
/// process, and all others go to mpiexec as before; and the memory that MPICH reads the cards into is the one
/// that all ranks share (CardTable), where the run has one. Does nothing where MPICH does not talk to mpiexec
/// this way (PMI_FD), or its calls cannot be replaced: then mpiexec exchanges the cards.
void answer_for_business_cards(int own_rank);

}  // namespace morgana::mpi::emulated
