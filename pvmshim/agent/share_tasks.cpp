// What a Share has to do for the tasks of a PVM program.

#include <fmt/format.h>

#include "pvmshim/agent/share.h"

namespace morgana {

std::unique_ptr<HostedProgram> Share::start() {
  if (!setup_.runs_tasks) return std::make_unique<LiveProgram>(setup_.launch);
  auto tasks = std::make_unique<HostedTasks>(
      setup_.launch,
      [this](FrameKind kind, Rank rank, const ContentWriter& content) {
        emulator_.add(kind, static_cast<std::int32_t>(rank), content.bytes());
      },
      [this](Rank rank) {
        places_.place(static_cast<std::int32_t>(rank), static_cast<std::uint32_t>(setup_.number));
      },
      [this] { return inbox_.is_over(); });
  tasks->take_output_elsewhere([this](Rank taker, const std::string& lines) {
    emulator_.send(FrameKind::caught, static_cast<std::int32_t>(taker), std::as_bytes(std::span(lines)));
  });
  tasks_ = tasks.get();
  return tasks;
}

/// Where tasks are, and what PVM's daemon has sent or read. @return whether it was such a frame
bool Share::take_of_tasks(Frame& frame) {
  if (tasks_ == nullptr) return false;
  switch (frame.kind) {
    case FrameKind::place:
      places_.place(frame.rank, static_cast<std::uint32_t>(ContentReader(frame.content).number()));
      return true;
    case FrameKind::block:
    case FrameKind::released:
      take_from_peer(setup_.agents.size(), frame);
      return true;
    case FrameKind::caught:
      tasks_->caught(places_.checked(frame.rank),
                     {reinterpret_cast<const char*>(frame.content.data()), frame.content.size()});
      return true;
    default:
      return false;
  }
}

/// On the thread of the emulator's stream: that comes before any answer that may follow from it. What is to
/// be done with processes, the acting thread does, and an answer that is behind it waits for that.
bool Share::take_of_tasks_at_once(Frame& frame) {
  const bool waits = frame.kind == FrameKind::caught && acted_ < left_;
  if (frame.kind == FrameKind::task || waits) {
    left_ = inbox_.queued() + 1;
    return false;
  }
  try {
    return take_of_tasks(frame);
  } catch (const std::exception&) {  // the thread that acts says what is wrong
    return false;
  }
}

void Share::carry_out_for_task(std::span<const std::byte> content) {
  if (tasks_ == nullptr) throw MalformedFrame("the program has no PVM tasks");
  const TaskRequest request = decode_task_request(content);
  using What = TaskRequest::What;
  const bool begins = request.what == What::start_first || request.what == What::start;
  const bool goes_on = request.what == What::go_on_as;
  // One that is to begin has its place here when it has begun.
  if (begins && !places_.is_rank(request.rank))
    throw MalformedFrame(fmt::format("there is no rank {}", static_cast<std::int32_t>(request.rank)));
  const Rank rank = begins
                        ? request.rank
                        : places_.checked(goes_on ? request.number : static_cast<std::int32_t>(request.rank));
  if (tasks_->carry_out(request)) own_.push_back(rank);
}

}  // namespace morgana
