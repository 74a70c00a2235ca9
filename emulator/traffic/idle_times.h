#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/network/network.h"
#include "emulator/traffic/network_traffic.h"

namespace morgana {

class QuietNetwork;

/// What messages take in a network that carries nothing else and in which nothing fails: what slowdowns are
/// measured against. A message is cut into packets, which its host hands over together; each message of its
/// own size is sent so, alone, in NetworkUnderTest::quiet. Of a long one only as many packets are sent as it
/// takes until arrivals repeat: it takes whole periods more. Where chance or load decides on ways, it is the
/// least of NetworkUnderTest::draws messages and of all quiet networks.
class IdleTimes {
 public:
  /// @param packet  payload of a full one, that the network carries
  IdleTimes(const NetworkUnderTest& network, std::uint64_t seed, Bytes packet);
  ~IdleTimes();
  /// From a message's generation to the arrival of its last byte, in ns; 0 if it does not arrive.
  double of(std::uint32_t from, std::uint32_t to, Bytes size);

 private:
  std::vector<std::unique_ptr<QuietNetwork>> networks_;
  unsigned draws_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, double> times_;
};

}  // namespace morgana
