#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "pvmshim/pvmd/daemon.h"
#include "pvmshim/pvmd/message.h"

namespace {

using namespace morgana;
using namespace morgana::pvm;

void require(bool condition) {
  if (!condition) std::abort();
}

class NoLauncher : public TaskLauncher {
 public:
  std::int32_t start(const TaskStart& task) override { return task.file == "no" ? -7 : 1; }
  bool signal(Rank, int) override { return true; }
  void catch_output(Rank, int) override {}
};

/// What the daemon sends must be something that the tasks can read.
void check(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    const auto* message = std::get_if<SendMessage>(&action);
    if (message == nullptr) continue;
    if (message->context == service_context)
      decode_reply(message->block);
    else
      view_message(message->block);
  }
}

}  // namespace

/// The bytes are read as a message and as a reply; and as requests, each with the rank that asks and its size
/// in front, to a machine of three hosts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> bytes(first, first + size);  // aligned like a block
  try {
    const MessageView view = view_message(bytes);
    require(view.data.size() == view.header.size);
  } catch (const Error&) {
  }
  try {
    const Reply reply = decode_reply(bytes);
    require(encode(reply) == bytes);
  } catch (const Error&) {
  }

  NoLauncher launcher;
  Daemon daemon({{"h0", 1}, {"h1", 1}, {"h2", 1}}, 20, launcher);
  daemon.first_task(Rank{1}, 1, "fuzz");
  for (std::size_t at = 0; at + 2 <= size;) {
    const Rank from{data[at] % 24};
    const std::size_t length = std::min<std::size_t>(data[at + 1], size - at - 2);
    const std::span<const std::byte> request(bytes.data() + at + 2, length);
    at += 2 + length;
    try {
      const Request decoded = decode_request(request);
      require(decode_request(encode(decoded)) == decoded);
      check(daemon.handle(from, request, SimTime()));
    } catch (const Error&) {
    }
    if (length % 16 == 15) check(daemon.task_died(from, SimTime()));
  }
  return 0;
}
