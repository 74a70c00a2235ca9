#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace morgana::test {

/// A copy of a program in which every `from` is `to`, which is not longer: another library's name, for one.
inline void write_changed(const std::string& copy, const std::string& program, const std::string& from,
                          std::string to) {
  std::ifstream file(program, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  to.resize(from.size());
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, to.size(), to);
  std::ofstream(copy, std::ios::binary) << text;
  std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
}

}  // namespace morgana::test
