#include "pvmshim/channel/anonymous_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace morgana {

AnonymousFile::AnonymousFile(std::uint64_t size)
    : descriptor_(memfd_create("morgana", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (descriptor_ >= 0 && fchmod(descriptor_, S_IRUSR | S_IWUSR) == 0 &&
      ftruncate(descriptor_, static_cast<off_t>(size)) == 0 &&
      fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return;
  const int why = errno;
  if (descriptor_ >= 0) close(descriptor_);
  throw Error(fmt::format("can't make {} bytes of shared memory for the ranks: {}", size, strerror(why)));
}

AnonymousFile::~AnonymousFile() {
  close(descriptor_);
}

std::string AnonymousFile::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);
}

}  // namespace morgana
