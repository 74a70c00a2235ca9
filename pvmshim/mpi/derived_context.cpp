#include "pvmshim/mpi/derived_context.h"

namespace morgana::mpi {

Context derived_context(Derived purpose, Context parent, std::span<const Rank> members,
                        std::uint64_t number) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&hash](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (value >> (8 * byte) & 0xff)) * prime;
  };
  add(static_cast<std::uint64_t>(parent));
  for (const Rank member : members) add(static_cast<std::uint64_t>(member));
  add(number);
  return Context{hash >> 6 | static_cast<std::uint64_t>(purpose)};
}

}  // namespace morgana::mpi
