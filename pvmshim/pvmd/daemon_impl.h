#pragma once

#include <list>
#include <map>
#include <set>

#include "pvmshim/pvmd/asker.h"
#include "pvmshim/pvmd/daemon.h"
#include "pvmshim/pvmd/groups.h"
#include "pvmshim/pvmd/hosts.h"
#include "pvmshim/pvmd/mailboxes.h"
#include "pvmshim/pvmd/notifications.h"
#include "pvmshim/pvmd/tasks.h"

namespace morgana::pvm {

/// Joins the parts: what a request asks is done with them, and what follows is collected as actions.
class Daemon::Impl {
 public:
  Impl(std::vector<VirtualHost> hosts, std::uint32_t task_limit, TaskLauncher& launcher)
      : hosts_(std::move(hosts)), tasks_(task_limit), launcher_(launcher) {}

  void first_task(Rank rank, std::int32_t process, const std::string& program);
  std::vector<Action> handle(Rank from, std::span<const std::byte> bytes, SimTime now);
  std::vector<Action> task_died(Rank rank);
  std::size_t tasks() const { return tasks_.all().size(); }
  const std::vector<SpawnShortfall>& shortfalls() const { return shortfalls_; }

 private:
  /// No reply: it comes later, or the task does not wait for one.
  using MaybeReply = std::optional<Reply>;
  MaybeReply answer(TaskEntry& task, const Request& request, SimTime now);
  void start_group_server(std::vector<AddressedReply>& answers);
  Reply enrol_anew(Rank from);
  MaybeReply answer_group(const TaskEntry& task, const Request& request);
  MaybeReply answer_mailbox(const TaskEntry& task, const Request& request);

  Reply spawn(TaskEntry& parent, const Request& request);
  std::vector<bool> allowed_hosts(std::int32_t flags, const std::string& where, std::uint32_t own) const;
  std::int32_t start(TaskEntry& parent, std::uint32_t host, TaskStart start);

  Reply list_tasks(const Request& request) const;
  Reply config() const;
  Reply add_hosts(const Request& request);
  Reply delete_hosts(const TaskEntry& task, const Request& request);
  Reply notify(const TaskEntry& task, const Request& request);
  MaybeReply kill(const TaskEntry& task, const Request& request);
  Reply signal(const Request& request);
  void catch_output(TaskEntry& task, std::int32_t descriptor);
  MaybeReply wait_children_output(const TaskEntry& task, const Request& request);
  void halt();

  /// The task is ended by the machine.
  void end(Rank rank);
  /// It has left or ended: notifies the tasks concerned.
  void gone(Rank rank, bool left);
  bool has_caught_children(Rank rank) const;

  void send(SendMessage message);
  void reply(Asker to, const Reply& reply);
  void reply_all(const std::vector<AddressedReply>& answers);

  std::int32_t new_context(std::uint32_t host);

  Hosts hosts_;
  SpawnPlacement placement_;
  Tasks tasks_;
  Groups groups_;
  Mailboxes mailboxes_;
  Notifications notifications_;
  TaskLauncher& launcher_;
  std::list<Asker> output_waits_;
  std::set<std::int32_t> contexts_;                     ///< in use
  std::map<std::uint32_t, std::int32_t> last_context_;  ///< by host
  std::vector<Action> actions_;
  std::vector<SpawnShortfall> shortfalls_;
  bool has_group_server_ = false;
};

/// The request's `at`th number or text. @throws Error if it has none
std::int32_t number(const Request& request, std::size_t at);
const std::string& text(const Request& request, std::size_t at);

}  // namespace morgana::pvm
