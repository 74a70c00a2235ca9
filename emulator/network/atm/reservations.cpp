#include "emulator/network/atm/reservations.h"

namespace morgana::atm {
namespace {

// Of the capacity: rates in 16 bits and their sums are no more exact than this.
constexpr double tolerance = 1e-9;

}  // namespace

bool Reservations::take(std::uint32_t connection, double rate, std::uint32_t request) {
  release(connection);
  if (promised() + rate > capacity_ * (1 + tolerance)) return false;
  blocks_.push_back({connection, rate, request});
  return true;
}

void Reservations::release(std::uint32_t connection) {
  std::erase_if(blocks_, [=](const Block& block) { return block.connection == connection; });
}

void Reservations::give_back(std::uint32_t connection, std::uint32_t request) {
  std::erase_if(blocks_, [=](const Block& block) {
    return block.connection == connection && block.request == request;
  });
}

double Reservations::promised() const {
  double sum = committed_;
  for (const Block& block : blocks_) sum += block.rate;
  return sum;
}

}  // namespace morgana::atm
