#pragma once

#include <cstdint>
#include <vector>

namespace morgana::atm {

/// What an output has promised of its link: for good to CBR and VBR connections, from a block's request to
/// its end to ABT's. Rates in cells a second.
class Reservations {
 public:
  /// @param capacity  that may be promised
  explicit Reservations(double capacity = 0) : capacity_(capacity) {}
  /// For good, whether or not there is enough bandwidth: connections are set up before blocks come.
  void commit(double rate) { committed_ += rate; }
  /// For a connection's block, in place of what the connection had.
  /// @param request  the number by which it can be given back @return whether there is enough bandwidth; else
  /// nothing is promised to the connection
  bool take(std::uint32_t connection, double rate, std::uint32_t request);
  /// The connection's block has ended.
  void release(std::uint32_t connection);
  /// Another switch has refused this request; a later one of the same connection is left alone.
  void give_back(std::uint32_t connection, std::uint32_t request);
  double promised() const;

 private:
  struct Block {
    std::uint32_t connection;
    double rate;
    std::uint32_t request;
  };
  double capacity_, committed_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace morgana::atm
