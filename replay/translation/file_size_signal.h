#pragma once

#include <signal.h>

namespace morgana {

/// As long as it lives, a write beyond the limit on the size of files (ulimit -f) fails instead of ending the
/// process. Programs that are started inherit what is ignored, so it doesn't stay that way.
class FileSizeSignalIgnored {
 public:
  FileSizeSignalIgnored() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGXFSZ, &ignored, &before_);
  }
  ~FileSizeSignalIgnored() { ::sigaction(SIGXFSZ, &before_, nullptr); }
  FileSizeSignalIgnored(const FileSizeSignalIgnored&) = delete;
  FileSizeSignalIgnored& operator=(const FileSizeSignalIgnored&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace morgana
