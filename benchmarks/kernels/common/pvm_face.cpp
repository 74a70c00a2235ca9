#include "benchmarks/kernels/common/pvm_face.h"

#include <limits.h>
#include <pvm3.h>
#include <stdlib.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "benchmarks/kernels/common/command_line.h"
#include "benchmarks/kernels/common/pvm_team.h"
#include "benchmarks/kernels/common/report.h"
#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {
namespace {

enum Tag { tag_job = 1, tag_result, tag_route };

/// Enrolled in PVM; leaves it at the end.
class Enrolment {
 public:
  Enrolment() : task_(pvm_mytid()) {}
  ~Enrolment() {
    if (task_ >= 0) pvm_exit();
  }
  Enrolment(const Enrolment&) = delete;
  Enrolment& operator=(const Enrolment&) = delete;
  bool succeeded() const { return task_ >= 0; }

 private:
  int task_;
};

/// The workers that the master has started; those that still run when it gives up are ended.
class Spawned {
 public:
  Spawned(std::string program, int count) : tasks_(static_cast<std::size_t>(count)) {
    const int started = pvm_spawn(program.data(), nullptr, PvmTaskDefault, nullptr, count, tasks_.data());
    if (started == count) return;
    const int reason = started < 0 ? started : tasks_[static_cast<std::size_t>(started)];
    if (started >= 0) tasks_.resize(static_cast<std::size_t>(started));
    if (started < 0) tasks_.clear();
    end();
    throw Refusal(
        text_of("PVM started %d of %d workers '%s' (PVM's error %d); see the daemon's log, pvml.UID",
                started < 0 ? 0 : started, count, program.c_str(), reason));
  }
  ~Spawned() {
    if (!finished_) end();
  }
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;

  const std::vector<int>& tasks() const { return tasks_; }
  void finished() { finished_ = true; }

 private:
  void end() {
    for (const int task : tasks_) pvm_kill(task);
  }

  std::vector<int> tasks_;
  bool finished_ = false;
};

/// Hands the job to each worker: its rank, everybody's task ids, the sizes.
void send_job(const Request& request, const std::vector<int>& tasks) {
  std::vector<int> ids = tasks;
  Sizes sizes = request.sizes;
  const int encoding = request.raw ? PvmDataRaw : PvmDataDefault;
  for (std::size_t rank = 0; rank < ids.size(); ++rank) {
    int head[] = {static_cast<int>(rank), static_cast<int>(ids.size()), encoding, request.direct ? 1 : 0,
                  request.traffic ? 1 : 0};
    pvm_checked(pvm_initsend(PvmDataDefault), "pvm_initsend");
    pvm_checked(pvm_pkint(head, 5, 1), "pvm_pkint");
    pvm_checked(pvm_pkint(ids.data(), static_cast<int>(ids.size()), 1), "pvm_pkint");
    pvm_checked(pvm_pkint(sizes.data(), static_cast<int>(sizes.size()), 1), "pvm_pkint");
    pvm_checked(pvm_send(ids[rank], tag_job), "pvm_send");
  }
}

/// The first worker's result, or the sentence of a worker that failed.
struct Result {
  bool failed = false;
  Outcome outcome;  ///< its figures are the sentence if failed
  std::string traffic;
};

void send_result(int master, const Result& result) {
  int flags[] = {result.failed ? 1 : 0, result.outcome.passed ? 1 : 0};
  double seconds = result.outcome.seconds;
  std::string figures = result.outcome.figures, traffic = result.traffic;
  int lengths[] = {static_cast<int>(figures.size()), static_cast<int>(traffic.size())};
  pvm_checked(pvm_initsend(PvmDataDefault), "pvm_initsend");
  pvm_checked(pvm_pkint(flags, 2, 1), "pvm_pkint");
  pvm_checked(pvm_pkdouble(&seconds, 1, 1), "pvm_pkdouble");
  pvm_checked(pvm_pkint(lengths, 2, 1), "pvm_pkint");
  pvm_checked(pvm_pkstr(figures.data()), "pvm_pkstr");
  pvm_checked(pvm_pkstr(traffic.data()), "pvm_pkstr");
  pvm_checked(pvm_send(master, tag_result), "pvm_send");
}

Result receive_result() {
  Result result;
  int flags[2] = {}, lengths[2] = {};
  pvm_checked(pvm_recv(-1, tag_result), "pvm_recv");
  pvm_checked(pvm_upkint(flags, 2, 1), "pvm_upkint");
  pvm_checked(pvm_upkdouble(&result.outcome.seconds, 1, 1), "pvm_upkdouble");
  pvm_checked(pvm_upkint(lengths, 2, 1), "pvm_upkint");
  const auto text = [](int length) {
    std::string buffer(static_cast<std::size_t>(length) + 1, '\0');
    pvm_checked(pvm_upkstr(buffer.data()), "pvm_upkstr");
    buffer.pop_back();
    return buffer;
  };
  result.failed = flags[0] != 0;
  result.outcome.passed = flags[1] != 0;
  result.outcome.figures = text(lengths[0]);
  result.traffic = text(lengths[1]);
  return result;
}

/// From here on messages go directly from task to task. While two tasks connect to each other at the same
/// time, the library's next message can overtake the one before it; so each pair connects once, by the lower
/// rank's question and the higher rank's answer, before anything is sent that counts.
void take_direct_routes(int rank, const std::vector<int>& tasks) {
  pvm_setopt(PvmRoute, PvmRouteDirect);
  const auto ask = [](int task) {
    pvm_checked(pvm_initsend(PvmDataDefault), "pvm_initsend");
    pvm_checked(pvm_send(task, tag_route), "pvm_send");
  };
  const auto hear = [](int task) { pvm_checked(pvm_recv(task, tag_route), "pvm_recv"); };
  for (int other = 0; other < static_cast<int>(tasks.size()); ++other) {
    const int task = tasks[static_cast<std::size_t>(other)];
    if (other < rank) {
      hear(task);
      ask(task);
    } else if (other > rank) {
      ask(task);
      hear(task);
    }
  }
}

/// Receives the job and does it. @return what the master is to know, at the first worker
Result work(const Kernel& kernel, int master, bool& first) {
  int head[5] = {};
  pvm_checked(pvm_recv(master, tag_job), "pvm_recv");
  pvm_checked(pvm_upkint(head, 5, 1), "pvm_upkint");
  std::vector<int> tasks(static_cast<std::size_t>(head[1]));
  Sizes sizes(kernel.sizes.size());
  pvm_checked(pvm_upkint(tasks.data(), head[1], 1), "pvm_upkint");
  pvm_checked(pvm_upkint(sizes.data(), static_cast<int>(sizes.size()), 1), "pvm_upkint");
  if (head[3] != 0) take_direct_routes(head[0], tasks);
  PvmTeam team(head[0], std::move(tasks), head[2]);
  first = team.first();
  Result result;
  result.outcome = kernel.solve(team, sizes);
  if (head[4] == 0) return result;
  // What master and workers exchange belongs to the program's traffic too, as it would be without this count.
  Traffic traffic = traffic_of_all(team);
  const auto job_bytes =
      static_cast<std::int64_t>(4 * (5 + static_cast<std::size_t>(head[1]) + sizes.size()));
  traffic.add(job_bytes, team.size());
  const auto text_bytes = [](std::size_t length) { return static_cast<std::int64_t>(4 + length + 1); };
  traffic.add(8 + 8 + 8 + text_bytes(result.outcome.figures.size()) + text_bytes(0));
  result.traffic = traffic.text();
  return result;
}

int be_worker(const Kernel& kernel, int master) {
  bool first = false;
  try {
    const Result result = work(kernel, master, first);
    if (first) send_result(master, result);
    return 0;
  } catch (const std::exception& error) {
    Result failure;
    failure.failed = true;
    failure.outcome.figures = error.what();
    send_result(master, failure);
    return 2;
  }
}

/// What pvm_spawn is to start: this program, by its whole path where it was started by a path.
std::string own_program(const char* argv0) {
  std::string name = argv0;
  char path[PATH_MAX];
  if (name.find('/') == std::string::npos || ::realpath(argv0, path) == nullptr) return name;
  return path;
}

int be_master(const Kernel& kernel, const Request& request, const char* argv0) {
  Spawned workers(own_program(argv0), request.tasks);
  send_job(request, workers.tasks());
  const Result result = receive_result();
  if (result.failed) throw Refusal("a worker gave up: " + result.outcome.figures);
  workers.finished();
  std::fputs(report(kernel, request, request.tasks, result.outcome).c_str(), stdout);
  std::fputs(result.traffic.c_str(), stdout);
  return result.outcome.passed ? 0 : 1;
}

int serve(const Kernel& kernel, int argc, char** argv) {
  const Request request =
      read_command_line(kernel, Face::pvm, std::vector<std::string>(argv + 1, argv + argc));
  if (request.help) {
    std::fputs(help(kernel, Face::pvm).c_str(), stdout);
    return 0;
  }
  // The errors are told once, and by us.
  pvm_setopt(PvmAutoErr, 0);
  const Enrolment enrolment;
  if (!enrolment.succeeded())
    throw Refusal("PVM's daemon can't be reached; start it, with 'pvm' for example");
  const int parent = pvm_parent();
  return parent >= 0 ? be_worker(kernel, parent) : be_master(kernel, request, argv[0]);
}

}  // namespace

int run_over_pvm(const Kernel& kernel, int argc, char** argv) {
  try {
    return serve(kernel, argc, argv);
  } catch (const Refusal& refusal) {
    std::fprintf(stderr, "%s.pvm: %s\n", kernel.name.c_str(), refusal.what());
    return 2;
  }
}

}  // namespace morgana::kernels
