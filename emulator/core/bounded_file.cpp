#include "emulator/core/bounded_file.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "emulator/core/error.h"

namespace morgana {

std::string read_at_most(const std::filesystem::path& file, std::size_t most, const std::string& named_by) {
  constexpr std::size_t mebi = 1024 * 1024;
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  std::array<char, 64 * 1024> part;
  while (stream && text.size() <= most) {
    stream.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), most + 1 - text.size())));
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  std::string name = named_by;
  name += named_by.empty() ? "" : ": ";
  name += file.string();
  if (text.size() > most)
    throw Error(name + " has more than " + std::to_string(most / mebi) +
                " MiB, the most that is read; name another file");
  if (!stream.eof()) throw Error(name + " can't be read; check that it is there, and its permissions");
  return text;
}

}  // namespace morgana
