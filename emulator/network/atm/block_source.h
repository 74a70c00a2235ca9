#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/atm/pacer.h"

namespace morgana::atm {

/// How ATM block transfer (ABT) begins a block.
enum class BlockTransmission : std::uint8_t {
  none,       ///< no blocks: ABT's cells go as CBR's without a contract do
  delayed,    ///< ABT/DT: the source asks for the block's rate and waits for the answer
  immediate,  ///< ABT/IT: the block follows its request at once, and a switch that can't carry it discards it
};

/// What all ABT connections of a network have agreed on.
struct BlockParameters {
  BlockTransmission transmission = BlockTransmission::none;
  BitRate rate{0};        ///< BCR, the block cell rate, of every block; 0: the rate of the host's link
  double reservable = 1;  ///< of each link, what blocks, CBR and VBR may take together; above 0, at most 1
  /// ABT/DT: a source that has not been allowed to send asks again so long after it asked last. More than
  /// a way there and back, or what one switch has kept for it is lost on others in that time.
  SimTime retry = SimTime::from_ps(10'000'000'000);

  /// @throws Error if one is out of range
  void check() const;
};

/// The source of an ABT connection. Each packet is a block: a resource management cell that asks for the
/// block cell rate, the cells of data, and a resource management cell that gives the rate back; all of them
/// at that rate. With delayed transmission the data wait for the network's answer. The rate is rigid: it is
/// granted as asked for or not at all.
///
/// Source: ITU-T I.371, 1996, 5.5.2 (resource management cells of ABT) and 6.6 (ABT capability).
class BlockSource final : public Pacer {
 public:
  /// @param link  the host's, in cells a second @throws Error as BlockParameters::check
  BlockSource(const BlockParameters& parameters, double link);
  std::int64_t next() const override;
  std::optional<ResourceCell> send(std::int64_t now) override;
  void packet_ended() override { state_ = State::closing; }
  bool has_more() const override { return state_ == State::closing; }
  void take(const ResourceCell& backward) override;
  double allowed_rate() const override { return rate_; }

 private:
  enum class State : std::uint8_t {
    idle,     ///< the next block has not begun
    asking,   ///< its data wait for an answer
    sending,  ///< its data go
    closing,  ///< they have gone
  };
  ResourceCell ask();

  bool delayed_;
  double rate_;  ///< as resource management cells encode it
  std::int64_t interval_, retry_;
  State state_ = State::idle;
  std::int64_t last_cell_ = 0, asked_at_ = 0;
  bool sent_any_ = false;
  std::uint32_t sequence_ = 0;        ///< of the last request
  std::uint32_t first_of_block_ = 0;  ///< the first request for the block at hand
};

}  // namespace morgana::atm
