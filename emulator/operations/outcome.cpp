#include "emulator/operations/outcome.h"

namespace morgana {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::delivered:
      return "delivered";
    case Outcome::unreachable:
      return "unreachable";
    case Outcome::refused:
      return "refused";
    case Outcome::given_up:
      return "given up";
    case Outcome::unstable:
      return "unstable";
  }
  return "unknown";
}

}  // namespace morgana
