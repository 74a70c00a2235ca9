#pragma once

#include <cstdint>
#include <string>

#include "emulator/core/error.h"

namespace morgana {

/// Shared memory that has no name: it is gone with the last process that maps it. Sealed: no process can
/// change its size, so that none takes away memory that others read.
class AnonymousFile {
 public:
  /// @param size  in bytes; begins as zeros, and takes memory only as far as it is touched
  /// @throws Error if there is no such memory to be had
  explicit AnonymousFile(std::uint64_t size);
  ~AnonymousFile();
  AnonymousFile(const AnonymousFile&) = delete;
  AnonymousFile& operator=(const AnonymousFile&) = delete;

  /// Under which other processes of the user can open it while this object lives.
  std::string path() const;

 private:
  int descriptor_;
};

}  // namespace morgana
