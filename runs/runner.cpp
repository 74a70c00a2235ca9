#include "runs/runner.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include "pvmshim/launch/process/interrupt.h"
#include "runs/run_process.h"

namespace morgana {

void Runner::run(std::span<const Job> jobs, const RunEnded& ended, const RunIdle& idle) const {
  if (exchange_)
    return exchange_->run(jobs, on_one_machine_ ? std::nullopt : std::optional(side_by_side_), ended, idle);
  std::vector<RunProcess> children;
  // All at once, not one after the other.
  const auto end_all = [&children](const void*) {
    for (const RunProcess& child : children) child.ask_to_end();
  };
  const std::unique_ptr<const void, decltype(end_all)> at_the_end(&children, end_all);
  std::size_t next = 0;
  while (next < jobs.size() || !children.empty()) {
    throw_if_interrupted();
    for (; next < jobs.size() && children.size() < side_by_side_; ++next)
      children.emplace_back(next, jobs[next]);
    if (idle) idle(children.front().index());
    for (RunProcess& child : ended_among(children)) {
      throw_if_interrupted();  // then the child was, too, and what it tells is that
      ended(child.index(), outcome_of(child.told(), jobs[child.index()]));
    }
  }
}

std::string size_of_trace(const std::filesystem::path& trace) {
  std::filesystem::path definitions = trace;
  definitions.replace_extension(".def");
  std::string text;
  for (const std::filesystem::path& file : {trace, definitions}) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(file, missing);
    text += missing ? "- " : fmt::format("{} ", bytes);
  }
  return text;
}

std::size_t processors_here() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
  return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace morgana
