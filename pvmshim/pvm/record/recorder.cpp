#include "pvmshim/pvm/record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>

#include "pvmshim/pvm/record/real_pvm.h"
#include "pvmshim/pvmd/message.h"

namespace morgana::pvm::captured {
namespace {

TaskRecorder* current = nullptr;
bool disabled = false;  // in a forked child
int unrecorded = 0;

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

std::int64_t origin() {
  const char* text = getenv(CaptureLogWriter::origin_variable);
  return text == nullptr ? 0 : strtoll(text, nullptr, 10);
}

/// What is recorded is the program, not PVM's own servers.
bool is_to_be_recorded() {
  return getenv(CaptureLogWriter::folder_variable) != nullptr &&
         std::ranges::none_of(
             std::initializer_list<const char*>{"pvm", "pvmd", "pvmd3", "pvmgs"},
             [](const char* own) { return strcmp(program_invocation_short_name, own) == 0; });
}

[[noreturn]] void fail(const char* what) {
  fprintf(stderr, "morgana: %s\n", what);
  _exit(2);
}

/// A program that ends without pvm_exit leaves all the same.
struct AtEnd {
  ~AtEnd() { end_recording(); }
} at_end;

void begin_recording(int task) {
  static const int watching = pthread_atfork(nullptr, nullptr, [] { disabled = true; });
  static_cast<void>(watching);
  try {
    current = new TaskRecorder(getenv(CaptureLogWriter::folder_variable), task);
    Operation enrolment;
    enrolment.call = Call::pvm_mytid;
    const SimTime now = current->now();
    current->write(enrolment, now, now, {});
  } catch (const Error& error) {
    fail(error.what());
  }
}

}  // namespace

Rank name_of_task(int task) {
  return Rank{task > 0 ? task : 0};
}

TaskRecorder::TaskRecorder(const std::string& folder, int task)
    : log_(folder, name_of_task(task)), origin_ns_(origin()) {}

SimTime TaskRecorder::now() const {
  return SimTime::from_ps((monotonic_ns() - origin_ns_) * 1000);
}

void TaskRecorder::write(const Operation& operation, SimTime begin, SimTime end,
                         std::span<const Completed> completed) {
  constexpr SimTime close_by = SimTime::from_ps(2'000'000);  // more is computing that a replay must repeat
  try {
    if (operation.kind != OperationKind::test_probe) {
      write_polls();
      log_.write(operation, begin, end, completed);
    } else if (polls_ && polls_->operation == operation && begin - polls_->end <= close_by) {
      polls_->end = end;
    } else {
      write_polls();
      polls_ = {operation, begin, end};
    }
  } catch (const Error& error) {
    fail(error.what());
  }
}

void TaskRecorder::write_polls() {
  if (polls_) log_.write(polls_->operation, polls_->begin, polls_->end, {});
  polls_.reset();
}

void TaskRecorder::close() {
  Operation exit;
  exit.kind = OperationKind::exit;
  exit.call = Call::pvm_exit;
  const SimTime end = now();
  write(exit, end, end, {});
  try {
    log_.close();
  } catch (const Error& error) {
    fail(error.what());
  }
}

TaskRecorder* recorder() {
  static const bool wanted = is_to_be_recorded();
  if (!wanted || disabled || unrecorded > 0) return nullptr;
  if (current == nullptr) {
    const Unrecorded enrolling;
    const int task = MORGANA_REAL(pvm_mytid)();
    if (task > 0) begin_recording(task);
  }
  return current;
}

Unrecorded::Unrecorded() {
  ++unrecorded;
}
Unrecorded::~Unrecorded() {
  --unrecorded;
}

void end_recording() {
  if (current == nullptr || disabled) return;
  current->close();
  delete current;
  current = nullptr;
}

}  // namespace morgana::pvm::captured
