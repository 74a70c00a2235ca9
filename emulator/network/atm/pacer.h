#pragma once

#include <cstdint>
#include <optional>

#include "emulator/network/atm/resource_cell.h"

namespace morgana::atm {

/// When the cells of one connection may go, one by one. Times in picoseconds; they never go back.
class Pacer {
 public:
  virtual ~Pacer() = default;
  /// The earliest time of the next cell, as things stand.
  virtual std::int64_t next() const = 0;
  /// A cell goes at `now`, not before next(), while data are waiting or has_more().
  /// @return the resource management cell that it is; nothing if it is a cell of data
  virtual std::optional<ResourceCell> send(std::int64_t now) = 0;
  /// The cell of data that went last was its packet's last.
  virtual void packet_ended() {}
  /// Whether a resource management cell is to go though no data may wait.
  virtual bool has_more() const { return false; }
  /// A resource management cell came back.
  virtual void take(const ResourceCell& /*backward*/) {}
  /// In cells a second; that of the contract where nothing changes it.
  virtual double allowed_rate() const = 0;
};

}  // namespace morgana::atm
