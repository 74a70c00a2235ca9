#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace morgana {

/// Bytes that are written once, in order, and then read anywhere: a file without a name in the folder for
/// temporary files, mapped into memory, of which the system keeps as much in memory as there is space for. It
/// is gone with this process, however that ends. Where no such file can be made, it lies in memory.
class ScratchStream {
 public:
  /// @throws Error if neither can be made
  ScratchStream();
  ~ScratchStream();
  ScratchStream(const ScratchStream&) = delete;
  ScratchStream& operator=(const ScratchStream&) = delete;

  /// To be filled; what is in it goes to the file by flush().
  std::vector<std::uint8_t>& buffer() { return buffer_; }
  /// Bytes so far, those in the buffer included.
  std::uint64_t size() const { return written_ + buffer_.size(); }
  /// Writes the buffer if it is large enough for that to be cheap. @throws Error if there is no space left
  void flush_if_full() {
    if (buffer_.size() >= full) flush();
  }
  /// Ends the writing. @throws Error
  void map();
  /// What map() has mapped.
  std::span<const std::uint8_t> bytes() const { return {mapped_, static_cast<std::size_t>(written_)}; }

 private:
  static constexpr std::size_t full = std::size_t{1} << 20;
  void flush();

  int file_ = -1;
  std::uint64_t written_ = 0;
  std::vector<std::uint8_t> buffer_;
  const std::uint8_t* mapped_ = nullptr;
};

}  // namespace morgana
