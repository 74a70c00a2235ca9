#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pvmshim/pvmd/codes.h"
#include "pvmshim/pvmd/daemon.h"
#include "pvmshim/pvmd/message.h"

namespace morgana::pvm {

/// Starts nothing and remembers what it was asked.
class RecordingLauncher : public TaskLauncher {
 public:
  std::int32_t start(const TaskStart& task) override {
    if (failing.contains(task.host)) return failing.at(task.host);
    started.push_back(task);
    return 1000 + static_cast<std::int32_t>(task.rank);
  }
  bool signal(Rank rank, int signal) override {
    signals.emplace_back(rank, signal);
    return true;
  }
  void catch_output(Rank parent, int descriptor) override { caught.emplace_back(parent, descriptor); }

  std::map<std::uint32_t, std::int32_t> failing;  ///< hosts that can start nothing, and why
  std::vector<TaskStart> started;
  std::vector<std::pair<Rank, int>> signals;
  std::vector<std::pair<Rank, int>> caught;
};

/// A notification as its receiver sees it.
struct Notice {
  Rank to{};
  std::int32_t context = 0, tag = 0;
  std::vector<std::int32_t> words;
  bool operator==(const Notice&) const = default;
};

/// A virtual machine of hosts "h0", "h1", ... in which the first task runs on h0 as rank 1, and what its
/// daemon has done in answer to the last request.
class Machine {
 public:
  explicit Machine(std::uint32_t hosts = 1, std::uint32_t task_limit = 100)
      : daemon(names(hosts), task_limit, launcher) {
    daemon.first_task(first, 999, "master");
  }

  /// The task asks; what it and others get is in `replies` and `notices`.
  void ask(Rank from, Ask what, std::vector<std::int32_t> numbers = {}, std::vector<std::string> texts = {},
           std::vector<std::byte> data = {}) {
    const Request request{what, ++serial, std::move(numbers), std::move(texts), std::move(data)};
    take(daemon.handle(from, encode(request), now));
  }
  /// The same, and its reply, which must have come.
  Reply answer(Rank from, Ask what, std::vector<std::int32_t> numbers = {},
               std::vector<std::string> texts = {}, std::vector<std::byte> data = {}) {
    ask(from, what, std::move(numbers), std::move(texts), std::move(data));
    EXPECT_EQ(replies.count(from), 1U) << "no reply";
    return replies[from];
  }
  std::int32_t status(Rank from, Ask what, std::vector<std::int32_t> numbers = {},
                      std::vector<std::string> texts = {}, std::vector<std::byte> data = {}) {
    return answer(from, what, std::move(numbers), std::move(texts), std::move(data)).status;
  }
  void die(Rank rank) { take(daemon.task_died(rank, now)); }

  /// Starts `count` tasks from the first one. @return what pvm_spawn puts into its list
  std::vector<std::int64_t> spawn(std::int32_t count, std::int32_t flags = 0, const std::string& where = "",
                                  Rank parent = Rank{1}) {
    return answer(parent, Ask::spawn, {flags, count, 0}, {"slave", where}).numbers;
  }

  const Rank first{1};
  RecordingLauncher launcher;
  Daemon daemon;
  SimTime now;
  std::int32_t serial = 0;
  std::map<Rank, Reply> replies;
  std::vector<Notice> notices;
  std::vector<Rank> begun, ended;
  std::map<Rank, Rank> successors;

 private:
  static std::vector<VirtualHost> names(std::uint32_t hosts) {
    std::vector<VirtualHost> all;
    for (std::uint32_t host = 0; host < hosts; ++host) all.push_back({"h" + std::to_string(host), 1000});
    return all;
  }
  void take(const std::vector<Action>& actions) {
    replies.clear();
    notices.clear();
    begun.clear();
    ended.clear();
    successors.clear();
    for (const Action& action : actions) {
      if (const auto* start = std::get_if<StartRank>(&action))
        begun.push_back(start->rank);
      else if (const auto* end = std::get_if<EndRank>(&action))
        ended.push_back(end->rank);
      else if (const auto* goes_on = std::get_if<ContinueRank>(&action))
        successors[goes_on->from] = goes_on->to;
      else
        take(std::get<SendMessage>(action));
    }
  }
  void take(const SendMessage& message) {
    if (message.context == service_context) {
      EXPECT_EQ(message.bytes, static_cast<std::int64_t>(message.block.size()));
      replies[message.to] = decode_reply(message.block);
      return;
    }
    const MessageView view = view_message(message.block);
    EXPECT_EQ(view.header.source, daemon_source);
    EXPECT_EQ(view.header.tag, message.tag);
    EXPECT_EQ(engine_context(view.header.context), message.context);
    EXPECT_EQ(view.header.encoding, static_cast<std::uint32_t>(Encoding::xdr));
    EXPECT_EQ(message.bytes, static_cast<std::int64_t>(view.data.size()));
    EXPECT_EQ(view.parts.size() * 4, view.data.size());
    Notice notice{message.to, view.header.context, message.tag, {}};
    for (std::size_t at = 0; at + 4 <= view.data.size(); at += 4) {
      std::uint32_t word = 0;
      for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<std::uint32_t>(view.data[at + i]);
      notice.words.push_back(static_cast<std::int32_t>(word));
    }
    notices.push_back(std::move(notice));
  }
};

constexpr Rank rank(int number) {
  return Rank{number};
}

/// A whole message that holds one byte, for mailboxes.
inline std::vector<std::byte> a_message(int byte) {
  std::vector<std::byte> block(block_size(1, 1));
  const Part part{1, 1, 1};
  begin_message(block, {message_magic, task_id(0, Rank{1}), 0, 5, 0, 1, 1}, {&part, 1})[0] =
      static_cast<std::byte>(byte);
  return block;
}

}  // namespace morgana::pvm
