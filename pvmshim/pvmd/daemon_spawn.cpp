#include <algorithm>

#include "pvmshim/pvmd/codes.h"
#include "pvmshim/pvmd/daemon_impl.h"

namespace morgana::pvm {

Reply Daemon::Impl::spawn(TaskEntry& parent, const Request& request) {
  const std::int32_t flags = number(request, 0), count = number(request, 1);
  const std::int32_t arguments = number(request, 2);
  std::string where = text(request, 1);
  if (arguments < 0 || static_cast<std::size_t>(arguments) + 2 > request.texts.size())
    throw Error("pvm_spawn asks for " + std::to_string(arguments) + " arguments, but does not name them");
  // No machine holds more than number_mask tasks; what the request would cost is bounded with it.
  if (count < 1 || count > number_mask) return {bad_parameter, {}, {}, {}};

  TaskStart form;
  form.parent = (flags & spawn_without_parent) != 0 ? parent_not_set : parent.id;
  form.file = text(request, 0);
  const auto variables = request.texts.begin() + 2 + arguments;
  form.arguments.assign(request.texts.begin() + 2, variables);
  form.variables.assign(variables, request.texts.end());
  form.debug = (flags & spawn_in_debugger) != 0;
  if (const std::size_t colon = where.find(':'); colon != std::string::npos) {
    form.folder = where.substr(colon + 1);
    where.resize(colon);
  }
  form.output = parent.children_output;

  const std::uint32_t own = host_of(parent.id);
  const std::vector<bool> allowed = allowed_hosts(flags, where, own);
  std::vector<std::int64_t> started, failed;
  if (std::find(allowed.begin(), allowed.end(), true) == allowed.end()) {
    failed.assign(static_cast<std::size_t>(count), no_host);
  } else {
    std::optional<std::uint32_t> host;
    std::int32_t result = 0;
    for (const std::uint32_t place : placement_.place(own, allowed, static_cast<std::uint32_t>(count))) {
      // A host at which one task could not be started does not try the rest of its share.
      if (host != place || result >= 0) result = start(parent, place, form);
      host = place;
      (result < 0 ? failed : started).push_back(result);
    }
  }
  // pvm_spawn promises that the ids come first.
  if (!failed.empty())
    add_shortfall(shortfalls_, {form.file, count, static_cast<std::int64_t>(started.size()),
                                static_cast<std::int32_t>(failed.front())});
  Reply reply{static_cast<std::int32_t>(started.size()), std::move(started), {}, {}};
  reply.numbers.insert(reply.numbers.end(), failed.begin(), failed.end());
  return reply;
}

std::vector<bool> Daemon::Impl::allowed_hosts(std::int32_t flags, const std::string& where,
                                              std::uint32_t own) const {
  std::vector<bool> allowed(hosts_.size(), false);
  if ((flags & spawn_on_host) != 0) {
    if (const auto host = hosts_.find(where, own)) allowed[*host] = true;
  } else if ((flags & spawn_on_architecture) == 0 || where == architecture) {
    for (std::uint32_t host = 0; host < hosts_.size(); ++host) allowed[host] = hosts_.present(host);
  }
  if ((flags & spawn_on_complement) != 0)
    for (std::uint32_t host = 0; host < hosts_.size(); ++host)
      allowed[host] = hosts_.present(host) && !allowed[host];
  return allowed;
}

std::int32_t Daemon::Impl::start(TaskEntry& parent, std::uint32_t host, TaskStart form) {
  const auto rank = tasks_.free_rank();
  if (!rank) return out_of_resources;
  form.rank = *rank;
  form.host = host;
  form.id = task_id(host, *rank);
  const std::int32_t process = launcher_.start(form);
  if (process < 0) return process;

  TaskEntry task;
  task.rank = *rank;
  task.id = form.id;
  task.parent = form.parent;
  task.process = process;
  task.spawned = true;
  task.program = form.file;
  task.output = task.children_output = parent.children_output;
  tasks_.add(std::move(task));
  actions_.push_back(StartRank{*rank, host});
  return form.id;
}

void Daemon::Impl::catch_output(TaskEntry& task, std::int32_t descriptor) {
  launcher_.catch_output(task.rank, descriptor);
  task.children_output = descriptor < 0 ? std::nullopt : std::optional(task.rank);
}

bool Daemon::Impl::has_caught_children(Rank rank) const {
  return std::any_of(tasks_.all().begin(), tasks_.all().end(),
                     [rank](const auto& entry) { return entry.second.output == rank; });
}

Daemon::Impl::MaybeReply Daemon::Impl::wait_children_output(const TaskEntry& task, const Request& request) {
  if (!has_caught_children(task.rank)) return Reply{};
  output_waits_.push_back({task.rank, request.serial});
  return std::nullopt;
}

}  // namespace morgana::pvm
