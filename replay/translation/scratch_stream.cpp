#include "replay/translation/scratch_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "emulator/core/error.h"
#include "replay/translation/file_size_signal.h"

namespace morgana {
namespace {

[[noreturn]] void fail(const char* doing) {
  throw Error(fmt::format("can't {} the translated trace: {}; TMPDIR names the folder that it is put in",
                          doing, std::strerror(errno)));
}

}  // namespace

ScratchStream::ScratchStream() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (!error) file_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file_ < 0) file_ = ::memfd_create("morgana-translated-trace", MFD_CLOEXEC);
  if (file_ < 0) fail("make a file for");
}

ScratchStream::~ScratchStream() {
  if (mapped_ != nullptr) ::munmap(const_cast<std::uint8_t*>(mapped_), static_cast<std::size_t>(written_));
  if (file_ >= 0) ::close(file_);
}

void ScratchStream::flush() {
  const FileSizeSignalIgnored ignored;
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t count = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write");
    done += static_cast<std::size_t>(count);
  }
  written_ += buffer_.size();
  buffer_.clear();
}

void ScratchStream::map() {
  flush();
  buffer_.shrink_to_fit();
  if (written_ > 0) {
    void* mapped = ::mmap(nullptr, static_cast<std::size_t>(written_), PROT_READ, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) fail("map");
    mapped_ = static_cast<const std::uint8_t*>(mapped);
  }
  ::close(file_);
  file_ = -1;
}

}  // namespace morgana
