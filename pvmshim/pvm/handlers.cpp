#include "pvmshim/pvm/handlers.h"

#include <stdio.h>

#include <algorithm>

#include "pvmshim/pvm/errors.h"
#include "pvmshim/pvm/message_table.h"

namespace morgana::pvm {
namespace {

bool fits(int wanted, int given) {
  return wanted == -1 || wanted == given;
}

bool overlap(int one, int other) {
  return one == -1 || other == -1 || one == other;
}

}  // namespace

int Handlers::add(const Pattern& pattern, Function function) {
  for (const Handler& other : handlers_)
    if (other.function != nullptr && overlap(other.pattern.tag, pattern.tag) &&
        overlap(other.pattern.context, pattern.context) && overlap(other.pattern.source, pattern.source))
      return PvmExists;
  ++active_;
  if (free_ == -1) {
    handlers_.push_back({pattern, function});
    return static_cast<int>(handlers_.size()) - 1;
  }
  const int number = free_;
  Handler& handler = handlers_[static_cast<std::size_t>(number)];
  free_ = handler.next_free;
  handler = {pattern, function};
  return number;
}

int Handlers::remove(int number) {
  if (number < 0) return PvmBadParam;
  if (static_cast<std::size_t>(number) >= handlers_.size()) return PvmNotFound;
  Handler& handler = handlers_[static_cast<std::size_t>(number)];
  if (handler.function == nullptr) return PvmNotFound;
  handler.function = nullptr;
  handler.next_free = free_;
  free_ = number;
  --active_;
  return PvmOk;
}

void Handlers::clear() {
  for (int number = static_cast<int>(handlers_.size()); number-- > 0;) remove(number);
}

bool Handlers::handle(OpenCall& call, Message& message) {
  const auto found = std::ranges::find_if(handlers_, [&](const Handler& handler) {
    return handler.function != nullptr && fits(handler.pattern.tag, message.tag) &&
           fits(handler.pattern.context, message.context) && fits(handler.pattern.source, message.source);
  });
  if (found == handlers_.end()) return false;
  const Function function = found->function;
  call.end();
  const int saved_send = pvm_setsbuf(0);
  const int saved_receive = pvm_setrbuf(message.id);
  const int saved_context = pvm_setcontext(message.context);
  function(message.id);
  pvm_setcontext(saved_context);
  pvm_freebuf(pvm_setsbuf(saved_send));
  pvm_freebuf(pvm_setrbuf(saved_receive));
  return true;
}

void Handlers::print(const char* who, const char* text, int task) const {
  printf("\n%s t%x: Display Message Handler Information: ", who, static_cast<unsigned>(task));
  printf("ndhandles = %zu\tnhandles = %d\tfl_dhandles = %d", handlers_.size(), active_, free_);
  printf("\n%s: free list.  head <-", "pvmdisplaymhfinfo");
  for (int number = free_; number != -1; number = handlers_[static_cast<std::size_t>(number)].next_free)
    printf(" %d", number);
  printf(" -< tail");
  printf("\n%s t%x: %s\n", who, static_cast<unsigned>(task), text);
  for (std::size_t i = 0; i < handlers_.size(); ++i) {
    const Handler& handler = handlers_[i];
    const int number = handler.function != nullptr ? static_cast<int>(i) : handler.next_free;
    printf("%s t%x: dhandles[%2zu].mhid = %2d  .handle = %2zu     ", who, static_cast<unsigned>(task), i,
           number, i);
    printf("handles[%2zu].mhid = %2zu  .header.src = t%-8x  ", i, i,
           static_cast<unsigned>(handler.pattern.source));
    printf(".header.ctx = %8d  .header.tag= %8d\n", handler.pattern.context, handler.pattern.tag);
  }
  printf("\n\n");
  fflush(stdout);
}

Handlers& handlers() {
  static Handlers& all = *new Handlers;
  return all;
}

}  // namespace morgana::pvm

using namespace morgana::pvm;

int pvm_addmhf(int source, int tag, int context, int (*function)(int)) {
  return reported("pvm_addmhf", [&] { return handlers().add({source, tag, context}, function); });
}

int pvm_delmhf(int number) {
  return reported("pvm_delmhf", [&] { return handlers().remove(number); });
}

void pvmdisplaymhfinfo(const char* who, const char* text, int task) {
  handlers().print(who, text, task);
}
