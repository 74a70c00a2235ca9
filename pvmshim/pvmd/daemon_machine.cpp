#include <algorithm>
#include <csignal>
#include <set>

#include "pvmshim/pvmd/codes.h"
#include "pvmshim/pvmd/daemon_impl.h"

namespace morgana::pvm {
namespace {

bool is_task(TaskId id) {
  return id > number_mask && rank_of(id) != daemon_rank;
}

}  // namespace

Reply Daemon::Impl::list_tasks(const Request& request) const {
  const TaskId where = number(request, 0);
  Reply reply;
  if (where != 0 && !hosts_.of(where)) return {no_host, {}, {}, {}};
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    for (const Rank rank : tasks_.on(host)) {
      const TaskEntry& task = tasks_.all().at(rank);
      if (where != 0 && where != host_id(host) && where != task.id) continue;
      const std::int32_t flag = task_connected | (task.spawned ? task_spawned : 0);
      reply.numbers.insert(reply.numbers.end(), {task.id, task.parent, host_id(host), flag, task.process});
      // The daemon does not know the program of a task that it has not started.
      reply.texts.push_back(task.spawned ? task.program : "");
    }
  }
  return reply;
}

Reply Daemon::Impl::config() const {
  Reply reply{pvm_ok, {1}, {}, {}};
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    if (!hosts_.present(host)) continue;
    reply.numbers.insert(reply.numbers.end(), {host_id(host), hosts_[host].speed, data_signature});
    reply.texts.insert(reply.texts.end(), {hosts_[host].name, architecture});
  }
  return reply;
}

Reply Daemon::Impl::add_hosts(const Request& request) {
  Reply reply;
  std::vector<TaskId> added;
  for (const std::string& name : request.texts) {
    const std::int32_t id = hosts_.add(name);
    reply.numbers.push_back(id);
    if (id > 0) added.push_back(id);
  }
  reply.status = static_cast<std::int32_t>(added.size());
  // The real daemon lists them from the highest one downwards.
  std::sort(added.rbegin(), added.rend());
  if (!added.empty())
    for (SendMessage& message : notifications_.added(added)) send(std::move(message));
  return reply;
}

Reply Daemon::Impl::delete_hosts(const TaskEntry& task, const Request& request) {
  Reply reply;
  std::set<std::uint32_t> doomed;
  for (const std::string& name : request.texts) {
    const auto host = hosts_.find(name, host_of(task.id));
    std::int32_t status = pvm_ok;
    if (!host)
      status = no_host;
    else if (*host == 0)
      status = bad_parameter;  // the master's
    else if (!doomed.insert(*host).second)
      status = duplicate_host;
    reply.numbers.push_back(status);
  }
  reply.status = static_cast<std::int32_t>(doomed.size());
  for (const std::uint32_t host : doomed) hosts_.remove(host);
  for (const std::uint32_t host : doomed) {
    for (const Rank rank : tasks_.on(host)) end(rank);
    for (SendMessage& message : notifications_.gone(host_id(host))) send(std::move(message));
  }
  return reply;
}

Reply Daemon::Impl::notify(const TaskEntry& task, const Request& request) {
  const std::int32_t what = number(request, 0) & ~notify_cancel;
  const bool cancel = (number(request, 0) & notify_cancel) != 0;
  const std::int32_t context = number(request, 1), tag = number(request, 2), count = number(request, 3);
  if (what == host_add) {
    notifications_.watch_additions(task.rank, context, tag, cancel ? 0 : count);
    return {};
  }
  if ((what != task_exit && what != host_delete) || count < 1) return {bad_parameter, {}, {}, {}};
  if (static_cast<std::size_t>(count) + 4 != request.numbers.size())
    throw Error("pvm_notify asks for " + std::to_string(count) + " ids, but does not name them");
  const std::vector<TaskId> ids(request.numbers.begin() + 4, request.numbers.end());
  if (what == task_exit && !std::all_of(ids.begin(), ids.end(), is_task)) return {bad_parameter, {}, {}, {}};

  for (const TaskId id : ids) {
    const auto host = hosts_.of(id);
    const TaskId watched = what == task_exit ? id : host ? host_id(*host) : 0;
    const bool there = what == task_exit ? tasks_.find(id) != nullptr : host.has_value();
    if (cancel) {
      if (auto message = notifications_.cancel(task.rank, watched, context, tag)) send(std::move(*message));
    } else if (there) {
      notifications_.watch(task.rank, watched, context, tag, id);
    } else {
      send(notification(task.rank, context, tag, {id}));
    }
  }
  return {};
}

Daemon::Impl::MaybeReply Daemon::Impl::kill(const TaskEntry& task, const Request& request) {
  const TaskId id = number(request, 0);
  if (!is_task(id)) return Reply{bad_parameter, {}, {}, {}};
  const bool self = id == task.id;
  // Of one that has ended already PVM says nothing.
  if (const TaskEntry* victim = tasks_.find(id)) end(victim->rank);
  return self ? MaybeReply() : Reply{};
}

Reply Daemon::Impl::signal(const Request& request) {
  const TaskId id = number(request, 0);
  if (!is_task(id)) return {bad_parameter, {}, {}, {}};
  if (const TaskEntry* task = tasks_.find(id)) {
    if (number(request, 1) == SIGKILL)
      end(task->rank);  // nothing else can come of it
    else
      launcher_.signal(task->rank, number(request, 1));
  }
  return {};
}

void Daemon::Impl::halt() {
  while (!tasks_.all().empty()) {
    const Rank rank = tasks_.all().begin()->first;
    actions_.push_back(EndRank{rank, true});
    tasks_.remove(rank, false);
  }
}

void Daemon::Impl::end(Rank rank) {
  actions_.push_back(EndRank{rank});
  gone(rank, false);
}

void Daemon::Impl::gone(Rank rank, bool left) {
  const TaskEntry* task = tasks_.find(rank);
  if (task == nullptr) return;
  const TaskId id = task->id;
  const std::optional<Rank> output = task->output;
  tasks_.remove(rank, left);

  notifications_.forget(rank);
  for (SendMessage& message : notifications_.gone(id)) send(std::move(message));
  mailboxes_.tidy(id);
  std::vector<AddressedReply> answers;
  groups_.leave_all(id, answers);
  reply_all(answers);
  output_waits_.remove_if([rank](const Asker& asker) { return asker.rank == rank; });
  if (!output || has_caught_children(*output)) return;
  for (const Asker& asker : output_waits_)
    if (asker.rank == *output) reply(asker, {});
  output_waits_.remove_if([&](const Asker& asker) { return asker.rank == *output; });
}

}  // namespace morgana::pvm
