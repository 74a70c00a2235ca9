#include "pvmshim/pvmd/daemon.h"

#include <cassert>
#include <cstdio>
#include <utility>

#include "pvmshim/pvmd/codes.h"
#include "pvmshim/pvmd/daemon_impl.h"
#include "pvmshim/pvmd/message.h"

namespace morgana::pvm {
namespace {

constexpr std::int64_t picoseconds_per_microsecond = 1'000'000;

std::string name_of(const TaskEntry& task) {
  char id[16];
  std::snprintf(id, sizeof id, "t%x", static_cast<unsigned>(task.id));
  return std::string("PVM task ") + id + " (" + task.program + ")";
}

Reply only(std::int32_t status) {
  return {status, {}, {}, {}};
}

}  // namespace

std::int32_t number(const Request& request, std::size_t at) {
  if (at >= request.numbers.size()) throw Error("a PVM request lacks a number");
  return request.numbers[at];
}

const std::string& text(const Request& request, std::size_t at) {
  if (at >= request.texts.size()) throw Error("a PVM request lacks a text");
  return request.texts[at];
}

void Daemon::Impl::first_task(Rank rank, std::int32_t process, const std::string& program) {
  TaskEntry task;
  task.rank = rank;
  task.id = task_id(0, rank);
  task.process = process;
  task.program = program;
  tasks_.add(std::move(task));
}

std::vector<Action> Daemon::Impl::handle(Rank from, std::span<const std::byte> bytes, SimTime now) {
  actions_.clear();
  TaskEntry* task = tasks_.find(from);
  if (task == nullptr && !tasks_.known(from))
    throw Error("rank " + std::to_string(index(from)) + " asks the PVM daemon, but is not a PVM task");
  const std::string name =
      task != nullptr ? name_of(*task) : "PVM task of rank " + std::to_string(index(from));
  try {
    const Request request = decode_request(bytes);
    const Asker asker{from, request.serial};
    if (task != nullptr) {
      if (const MaybeReply answered = answer(*task, request, now)) reply(asker, *answered);
    } else if (tasks_.left(from) && request.ask != Ask::leave) {
      // It has called pvm_exit and speaks on; nobody else would ever answer it.
      const Reply answer = request.ask == Ask::enroll ? enrol_anew(from) : only(system_error);
      const std::vector<std::byte> block = encode(answer);
      const auto size = static_cast<std::int64_t>(block.size());
      actions_.push_back(SendMessage{from, service_context, asker.serial, block, size});
    }
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
  return std::move(actions_);
}

Reply Daemon::Impl::enrol_anew(Rank from) {
  const TaskEntry* task = tasks_.enrol_anew(from);
  if (task == nullptr) return only(out_of_resources);
  actions_.push_back(ContinueRank{from, task->rank, host_of(task->id)});
  return only(task->id);
}

std::vector<Action> Daemon::Impl::task_died(Rank rank) {
  actions_.clear();
  gone(rank, false);
  return std::move(actions_);
}

/// As real daemons: each host gives out numbers of its own, and those that are free again last.
std::int32_t Daemon::Impl::new_context(std::uint32_t host) {
  std::int32_t& last = last_context_.try_emplace(host, 0).first->second;
  for (std::int32_t tries = 0; tries < number_mask; ++tries) {
    last = last % number_mask + 1;
    const std::int32_t context = host_id(host) | last;
    if (contexts_.insert(context).second) return context;
  }
  return out_of_resources;
}

Daemon::Impl::MaybeReply Daemon::Impl::answer(TaskEntry& task, const Request& request, SimTime now) {
  switch (request.ask) {
    case Ask::leave:
      gone(task.rank, true);
      return std::nullopt;
    case Ask::spawn:
      return spawn(task, request);
    case Ask::kill:
      return kill(task, request);
    case Ask::signal:
      return signal(request);
    case Ask::tasks:
      return list_tasks(request);
    case Ask::config:
      return config();
    case Ask::add_hosts:
      return add_hosts(request);
    case Ask::delete_hosts:
      return delete_hosts(task, request);
    case Ask::host_status:
      return only(hosts_.find(text(request, 0), host_of(task.id)) ? pvm_ok : no_host);
    case Ask::task_status:
      return only(tasks_.find(TaskId{number(request, 0)}) != nullptr ? pvm_ok : no_task);
    case Ask::notify:
      return notify(task, request);
    case Ask::clock:
      if (!hosts_.of(number(request, 0))) return only(no_host);
      return Reply{pvm_ok, {now.ps() / picoseconds_per_microsecond}, {}, {}};
    case Ask::put_info:
    case Ask::receive_info:
    case Ask::delete_info:
    case Ask::list_info:
      return answer_mailbox(task, request);
    case Ask::join_group:
    case Ask::leave_group:
    case Ask::group_task:
    case Ask::group_instance:
    case Ask::group_size:
    case Ask::group_members:
    case Ask::group_barrier:
    case Ask::freeze_group:
      return answer_group(task, request);
    case Ask::catch_output:
      catch_output(task, number(request, 0));
      return only(pvm_ok);
    case Ask::wait_children_output:
      return wait_children_output(task, request);
    case Ask::halt:
      halt();
      return std::nullopt;
    case Ask::enroll:
      return only(task.id);
    case Ask::new_context:
      return only(new_context(host_of(task.id)));
    case Ask::free_context:
      return only(contexts_.erase(number(request, 0)) > 0 ? pvm_ok : not_found);
  }
  assert(false && "decode_request lets no other pass");
  return std::nullopt;
}

/// With the first call about groups a real machine gets a group server, which says in a mailbox who it is.
/// Ours is part of the daemon.
void Daemon::Impl::start_group_server(std::vector<AddressedReply>& answers) {
  if (std::exchange(has_group_server_, true)) return;
  const TaskId server = task_id(0, daemon_rank);
  mailboxes_.put(server, "pvmgs", 0, 0, notification(daemon_rank, 0, 0, {server}).block, answers);
}

Daemon::Impl::MaybeReply Daemon::Impl::answer_group(const TaskEntry& task, const Request& request) {
  const std::string& name = text(request, 0);
  const Asker asker{task.rank, request.serial};
  std::vector<AddressedReply> answers;
  std::optional<Reply> own;
  start_group_server(answers);
  switch (request.ask) {
    case Ask::join_group:
      own = only(groups_.join(name, task.id));
      break;
    case Ask::leave_group:
      own = only(groups_.leave(name, task.id, answers));
      break;
    case Ask::group_task:
      own = only(groups_.task(name, number(request, 0)));
      break;
    case Ask::group_instance:
      own = only(groups_.instance(name, number(request, 0)));
      break;
    case Ask::group_size:
      own = only(groups_.size(name));
      break;
    case Ask::group_members:
      own = groups_.members(name, request.numbers.empty() || request.numbers[0] == 0);
      break;
    case Ask::group_barrier:
      groups_.barrier(name, number(request, 0), task.id, asker, answers);
      break;
    default:
      assert(request.ask == Ask::freeze_group);
      groups_.freeze(name, number(request, 0), task.id, asker, answers);
  }
  reply_all(answers);
  return own;
}

Daemon::Impl::MaybeReply Daemon::Impl::answer_mailbox(const TaskEntry& task, const Request& request) {
  const std::string& name = text(request, 0);
  std::vector<AddressedReply> answers;
  std::optional<Reply> own;
  switch (request.ask) {
    case Ask::put_info:
      view_message(request.data);
      own =
          only(mailboxes_.put(task.id, name, number(request, 0), number(request, 1), request.data, answers));
      break;
    case Ask::receive_info:
      mailboxes_.receive(task.id, {task.rank, request.serial}, name, number(request, 0), number(request, 1),
                         answers);
      break;
    case Ask::delete_info:
      own = only(mailboxes_.remove(task.id, name, number(request, 0)));
      break;
    default:
      assert(request.ask == Ask::list_info);
      own = mailboxes_.list(name);
  }
  reply_all(answers);
  return own;
}

void Daemon::Impl::send(SendMessage message) {
  if (tasks_.alive(message.to)) actions_.push_back(std::move(message));
}

void Daemon::Impl::reply(Asker to, const Reply& reply) {
  std::vector<std::byte> block = encode(reply);
  const auto size = static_cast<std::int64_t>(block.size());
  send({to.rank, service_context, to.serial, std::move(block), size});
}

void Daemon::Impl::reply_all(const std::vector<AddressedReply>& answers) {
  for (const AddressedReply& answer : answers) reply(answer.to, answer.reply);
}

Daemon::Daemon(std::vector<VirtualHost> hosts, std::uint32_t task_limit, TaskLauncher& launcher)
    : impl_(std::make_unique<Impl>(std::move(hosts), task_limit, launcher)) {}
Daemon::~Daemon() = default;

void Daemon::first_task(Rank rank, std::int32_t process, const std::string& program) {
  impl_->first_task(rank, process, program);
}
std::vector<Action> Daemon::handle(Rank from, std::span<const std::byte> request, SimTime now) {
  return impl_->handle(from, request, now);
}
std::vector<Action> Daemon::task_died(Rank rank, SimTime) {
  return impl_->task_died(rank);
}
std::size_t Daemon::tasks() const {
  return impl_->tasks();
}
const std::vector<SpawnShortfall>& Daemon::shortfalls() const {
  return impl_->shortfalls();
}

}  // namespace morgana::pvm
