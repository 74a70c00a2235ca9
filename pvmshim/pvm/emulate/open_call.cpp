#include "pvmshim/pvm/emulate/open_call.h"

#include <stdio.h>
#include <stdio_ext.h>

#include <atomic>

namespace morgana::pvm {
namespace {

std::atomic<bool> asleep{false};

/// For as long as it lives.
class Asleep {
 public:
  Asleep() { asleep.store(true); }
  ~Asleep() { asleep.store(false); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;
};

/// Before a wait that may never end: what the task has printed would be lost with its process.
void write_out_printed() {
  if (__fpending(stdout) > 0) fflush(stdout);
}

}  // namespace

bool is_asleep() {
  return asleep.load();
}

void OpenCall::mark(Operation& operation, Last last) {
  if (!visit_) visit_.emplace(me().live);
  operation.call = call_;
  const bool ends = last == Last::yes;
  operation.part =
      begun_ ? (ends ? CallPart::last : CallPart::middle) : (ends ? CallPart::whole : CallPart::first);
  begun_ = !ends;
}

void OpenCall::post(Operation& operation, Last last) {
  mark(operation, last);
  me().live.post(operation);
}

const Answer& OpenCall::ask(Operation& operation, Last last) {
  mark(operation, last);
  write_out_printed();
  const Asleep sleeping;
  return me().live.ask(operation);
}

const Answer& OpenCall::poll(Operation& operation) {
  if (polls_within_) return ask(operation);
  if (begun_) end();
  mark(operation, Last::yes);
  const Asleep sleeping;
  return me().live.poll(operation);
}

void OpenCall::end() {
  if (begun_) {
    Operation nothing;
    post(nothing, Last::yes);
  }
  visit_.reset();
}

}  // namespace morgana::pvm
