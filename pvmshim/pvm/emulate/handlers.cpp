#include "pvmshim/pvm/emulate/handlers.h"

#include <stdio.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "pvmshim/pvm/emulate/errors.h"
#include "pvmshim/pvm/emulate/message_table.h"

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
  for (std::size_t place = 0; place < active_; ++place) {
    const Pattern& other = handlers_[place].pattern;
    if (overlap(other.tag, pattern.tag) && overlap(other.context, pattern.context) &&
        overlap(other.source, pattern.source))
      return PvmExists;
  }
  if (free_ == -1) {
    free_ = static_cast<int>(numbers_.size());
    numbers_.push_back({-1, handlers_.size()});
    handlers_.emplace_back();
  }
  const int number = free_;
  Number& taken = numbers_[static_cast<std::size_t>(number)];
  free_ = std::exchange(taken.next_free, number);
  handlers_[taken.place] = {number, pattern, function};
  ++active_;
  return number;
}

void Handlers::add_own() {
  constexpr int context = 0x7ffff;
  constexpr std::array tags{0x80030001U, 0x80030002U, 0x80030003U, 0x80030004U, 0x80030006U,
                            0x80030008U, 0x80030009U, 0x80030007U, 0x8003000cU};
  for (const unsigned tag : tags) add({-1, static_cast<int>(tag), context}, nullptr);
  own_ = tags.size();
}

int Handlers::remove(int number) {
  if (number < 0) return PvmBadParam;
  if (static_cast<std::size_t>(number) >= numbers_.size()) return PvmNotFound;
  Number& freed = numbers_[static_cast<std::size_t>(number)];
  if (freed.place >= active_) return PvmNotFound;
  if (handlers_[freed.place].function == nullptr) return PvmNotFound;  // the library's own stay
  --active_;
  if (freed.place != active_) {
    handlers_[freed.place] = handlers_[active_];
    numbers_[static_cast<std::size_t>(handlers_[freed.place].number)].place = freed.place;
    freed.place = active_;
  }
  freed.next_free = std::exchange(free_, number);
  return PvmOk;
}

void Handlers::clear() {
  // The real library deletes them number by number, and complains of those that the program has deleted.
  for (std::size_t freed = active_; freed < numbers_.size(); ++freed) lpvmerr("pvm_delmhf", PvmNotFound);
  *this = Handlers();
}

bool Handlers::handle(OpenCall& call, Message& message) {
  const auto in_use = std::span(handlers_).first(active_);
  const auto found = std::ranges::find_if(in_use, [&](const Handler& handler) {
    return handler.function != nullptr && fits(handler.pattern.tag, message.tag) &&
           fits(handler.pattern.context, message.context) && fits(handler.pattern.source, message.source);
  });
  if (found == in_use.end()) return false;
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
  const auto id = static_cast<unsigned>(task);
  printf("\n%s t%x: Display Message Handler Information: ", who, id);
  printf("ndhandles = %zu\tnhandles = %zu\tfl_dhandles = %d", numbers_.size(), active_, free_);
  printf("\n%s: free list.  head <-", "pvmdisplaymhfinfo");
  for (int number = free_; number != -1; number = numbers_[static_cast<std::size_t>(number)].next_free)
    printf(" %d", number);
  printf(" -< tail");
  printf("\n%s t%x: %s\n", who, id, text);
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const Handler& handler = handlers_[i];
    printf("%s t%x: dhandles[%2zu].mhid = %2d  .handle = %2zu     ", who, id, i, numbers_[i].next_free,
           numbers_[i].place);
    printf("handles[%2zu].mhid = %2d  .header.src = t%-8x  ", i, handler.number,
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
