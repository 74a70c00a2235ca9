#pragma once

#include <string>
#include <vector>

namespace morgana {

/// Arguments or an environment as execve(2) takes them, with a null pointer behind the last one; valid as
/// long as the texts are.
inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace morgana
