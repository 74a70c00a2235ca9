#include "pvmshim/launch/pvm/daemon_rank.h"

#include <algorithm>
#include <utility>

#include "pvmshim/pvmd/message.h"

namespace morgana {
namespace {

constexpr std::int64_t longest_request = std::int64_t{1} << 40;
/// Of a farewell: no task's own; the greatest that a trace can hold.
constexpr RequestId farewell_request{~std::uint64_t{0} >> 1};

Operation daemon_operation(OperationKind kind) {
  Operation operation;
  operation.kind = kind;
  operation.call = Call::pvmd;
  operation.part = CallPart::whole;
  operation.context = service_context;
  return operation;
}

}  // namespace

DaemonRank::DaemonRank(const std::string& channel, std::vector<pvm::VirtualHost> hosts,
                       std::uint32_t task_limit, pvm::TaskLauncher& launcher, DaemonClient& client)
    : client_(client), own_end_(channel, pvm::daemon_rank), daemon_(std::move(hosts), task_limit, launcher) {}

void DaemonRank::first_task(Rank rank, std::int32_t process, const std::string& program) {
  daemon_.first_task(rank, process, program);
  listen();
}

bool DaemonRank::next(Operation& operation) {
  if (operations_.empty()) return false;
  operation = std::move(operations_.front());
  operations_.pop_front();
  return true;
}

void DaemonRank::listen() {
  Operation receive = daemon_operation(OperationKind::receive);
  receive.request = RequestId{++requests_};
  receive.bytes = Bytes(longest_request);
  Operation wait = daemon_operation(OperationKind::wait);
  wait.requests = sends_;
  wait.requests.push_back(receive.request);
  wait.wants_answer = true;
  sends_.clear();
  operations_.push_back(std::move(receive));
  operations_.push_back(std::move(wait));
}

/// To the oldest of its operations that want one: those that end ranks come before its wait.
void DaemonRank::answer(const Answer& answer) {
  if (ending_.empty()) return serve(answer);
  client_.is_ended(ending_.front());
  ending_.pop_front();
}

void DaemonRank::serve(const Answer& answer) {
  for (const Completed& completed : answer.completed) {
    if (completed.source == any_rank) continue;     // a send of its own
    if (completed.outcome != Outcome::delivered) {  // a long request that this host could not ask for
      own_end_.release(completed.payload);
      continue;
    }
    const std::span<const std::byte> block = own_end_.data(completed.payload);
    const std::vector<std::byte> request(block.begin(), block.end());
    own_end_.release(completed.payload);
    carry_out(daemon_.handle(completed.source, request, answer.clock));
    for (const Rank task : client_.ended_by_signals()) {
      carry_out(pvm::EndRank{task});
      carry_out(daemon_.task_died(task, answer.clock));
    }
  }
  listen();
}

void DaemonRank::carry_out(const std::vector<pvm::Action>& actions) {
  for (const pvm::Action& action : actions) std::visit([this](const auto& one) { carry_out(one); }, action);
}

void DaemonRank::carry_out(const pvm::SendMessage& message) {
  Operation send = daemon_operation(OperationKind::send);
  send.mode = SendMode::buffered;
  send.context = message.context;
  send.peer = message.to;
  send.tag = Tag{message.tag};
  send.bytes = Bytes(message.bytes);
  send.request = RequestId{++requests_};
  send.payload = put_block(message.block);
  sends_.push_back(send.request);
  operations_.push_back(std::move(send));
}

void DaemonRank::carry_out(const pvm::StartRank& start) {
  client_.begins(start);
  Operation spawn = daemon_operation(OperationKind::spawn);
  spawn.peer = start.rank;
  spawn.host = static_cast<std::int32_t>(start.host);
  operations_.push_back(std::move(spawn));
}

void DaemonRank::carry_out(const pvm::EndRank& end) {
  client_.is_being_ended(end.rank);
  Operation kill = daemon_operation(OperationKind::kill);
  kill.peer = end.rank;
  kill.wants_answer = true;
  ending_.push_back(end);
  operations_.push_back(std::move(kill));
}

void DaemonRank::carry_out(const pvm::ContinueRank& goes_on) {
  client_.goes_on(goes_on);
}

std::uint64_t DaemonRank::put_block(const std::vector<std::byte>& block) {
  const std::uint64_t handle = own_end_.allocate(Bytes(static_cast<std::int64_t>(block.size())), 1);
  std::ranges::copy(block, own_end_.data(handle).begin());
  return handle;
}

Operation DaemonRank::farewell() {
  pvm::Request leave;
  leave.ask = pvm::Ask::leave;
  const std::vector<std::byte> bytes = pvm::encode(leave);
  Operation send = daemon_operation(OperationKind::send);
  send.call = Call::unknown;  // the task's, which has not made any
  send.mode = SendMode::buffered;
  send.peer = pvm::daemon_rank;
  send.tag = Tag{0};
  send.bytes = Bytes(static_cast<std::int64_t>(bytes.size()));
  send.request = farewell_request;
  send.payload = put_block(bytes);
  return send;
}

}  // namespace morgana
