#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace morgana {

/// What a file below /proc holds; empty if the process has gone, even in the middle of it.
inline std::string read_proc_file(const std::string& path) {
  std::string text;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return text;
  char part[4096];
  ssize_t length = 0;
  while ((length = read(descriptor, part, sizeof part)) > 0)
    text.append(part, static_cast<std::size_t>(length));
  close(descriptor);
  return length == 0 ? text : std::string();
}

}  // namespace morgana
