#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana::fabric {

/// Who holds how much of a switch's memory, and who may have more. docs/fabric.md, "Shared buffers, pauses,
/// marks".
class SharedBuffer {
 public:
  /// @param headrooms  in bytes, by account; 0 without pauses
  /// @param pool       in bytes, >= 0: what reserves and headrooms leave
  SharedBuffer(const SharedBufferParameters& parameters, const std::vector<std::int64_t>& headrooms,
               std::int64_t pool);

  /// @return whether there is space; it is taken then
  bool admit(std::size_t account, std::int64_t bytes);
  void release(std::size_t account, std::int64_t bytes);
  /// What the account holds asks for a pause.
  bool is_full(std::size_t account) const;
  /// What it holds lets a pause end.
  bool has_room(std::size_t account) const;

 private:
  struct Account {
    std::int64_t held = 0;  // in the reserve and the pool
    std::int64_t in_headroom = 0;
    std::int64_t headroom = 0;
  };
  std::int64_t of_pool(std::int64_t held) const { return held > reserve_ ? held - reserve_ : 0; }
  std::int64_t threshold() const;

  double alpha_;
  std::int64_t reserve_, resume_, pool_;
  std::int64_t used_ = 0;  // of the pool
  std::vector<Account> accounts_;
};

/// What an input at the end of such a cable may get after it has asked for a pause, in bytes.
std::int64_t headroom_for(const Link& cable, const FabricParameters& parameters);

/// A switch's reserves and headrooms.
struct SharedBufferShares {
  std::vector<std::int64_t> headrooms;  ///< by account: port * groups + group; none: no such account
  std::int64_t pool = 0;                ///< below 0 if they take more than there is
};
SharedBufferShares shares_of(const CabledGraph& network, SwitchId at, unsigned groups,
                             const FabricParameters& parameters);

}  // namespace morgana::fabric
