#pragma once

#include <vector>

#include "pvmshim/pvm/inbox.h"

namespace morgana::pvm {

/// The program's message handlers (pvm_addmhf): who gets messages of some source, tag and context as soon as
/// they come to the task's notice, instead of its receives. Their numbers are given out as by the real
/// library: the one freed last first.
class Handlers {
 public:
  using Function = int (*)(int message);

  bool any() const { return active_ > 0; }
  /// @return the handler's number, or PvmExists: it would compete with another one
  int add(const Pattern& pattern, Function function);
  int remove(int number);
  void clear();

  /// Runs the message's handler, if it has one, and ends the message.
  bool handle(OpenCall& call, Message& message);

  void print(const char* who, const char* text, int task) const;

 private:
  struct Handler {
    Pattern pattern;
    Function function = nullptr;  ///< null: free
    int next_free = -1;
  };
  std::vector<Handler> handlers_;
  int free_ = -1;
  int active_ = 0;
};

Handlers& handlers();

}  // namespace morgana::pvm
