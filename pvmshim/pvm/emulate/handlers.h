#pragma once

#include <vector>

#include "pvmshim/pvm/emulate/inbox.h"

namespace morgana::pvm {

/// The program's message handlers (pvm_addmhf): who gets messages of some source, tag and context as soon as
/// they come to the task's notice, instead of its receives. Their numbers are given out as by the real
/// library: the one freed last first.
class Handlers {
 public:
  using Function = int (*)(int message);

  /// Whether the program has any.
  bool any() const { return active_ > own_; }
  /// What the real library has from enrolment on for its internal messages, which do not exist here. They
  /// only take the first numbers.
  void add_own();
  /// @return the handler's number, or PvmExists: it would compete with another one
  int add(const Pattern& pattern, Function function);
  int remove(int number);
  void clear();

  /// Runs the message's handler, if it has one, and ends the message.
  bool handle(OpenCall& call, Message& message);

  void print(const char* who, const char* text, int task) const;

 private:
  struct Handler {
    int number;
    Pattern pattern;
    Function function;
  };
  struct Number {
    int next_free;      ///< the number itself while it is in use
    std::size_t place;  ///< of its handler
  };
  // As in the real library, whose insides pvmdisplaymhfinfo prints: handlers in use come first, and the last
  // one moves to where one was deleted.
  std::vector<Handler> handlers_;
  std::vector<Number> numbers_;
  int free_ = -1;
  std::size_t active_ = 0, own_ = 0;
};

Handlers& handlers();

}  // namespace morgana::pvm
