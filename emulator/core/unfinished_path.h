#pragma once

#include <signal.h>

#include <string>

namespace morgana {

/// A file or folder that is being made and must not be left behind half done. It is not removed by this
/// object, whose owner does so or finishes it, but by remove_unfinished_paths() if that comes first.
class UnfinishedPath {
 public:
  explicit UnfinishedPath(const std::string& path);
  ~UnfinishedPath();
  UnfinishedPath(const UnfinishedPath&) = delete;
  UnfinishedPath& operator=(const UnfinishedPath&) = delete;

 private:
  int place_;
};

/// Removes them all, with what is in them. For a process that ends in the middle of its work:
/// async-signal-safe.
void remove_unfinished_paths();

/// As long as it lives no signal handler runs on this thread: for steps that must not be parted.
class Undisturbed {
 public:
  Undisturbed();
  ~Undisturbed();
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  sigset_t before_;
};

}  // namespace morgana
