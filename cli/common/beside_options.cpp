#include "cli/common/beside_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"

namespace morgana::cli {

void BesideOptions::add(Command& command) {
  command
      .add("--beside", &traces,
           "Run another job at the same time on the same network, on hosts of its own (the next ones of "
           "--map): a trace next to a trace, a schedule (GOAL, Chakra) next to a schedule. It starts at once "
           "or at a time: other.otf2, \"other.goal@5 ms\"; may be repeated. Results are of the first job; "
           "the summary names each job with its time")
      ->type_name("TRACE[@TIME]")
      ->may_be_repeated();
  command
      .add("--beside-times", &times,
           "Runs of each --beside job, one after the other: as many as the first job needs to be disturbed "
           "until its end")
      ->type_name("N")
      ->show_default();
}

std::vector<TraceBeside> BesideOptions::jobs() const {
  constexpr std::int64_t most = 1'000'000;
  if (times < 1 || times > most)
    throw Error(fmt::format("--beside-times {}: a job runs at least once and at most {} times", times, most));
  if (times > 1 && traces.empty()) throw Error("--beside-times is for jobs of --beside: give one, too");
  std::vector<TraceBeside> jobs;
  for (const std::string& text : traces) {
    TraceBeside job = parse_beside(text);
    job.times = static_cast<std::uint32_t>(times);
    try {
      job.translated = read_trace(job.trace, {});
    } catch (const Error& error) {
      throw Error(fmt::format("--beside {}: {}", text, error.what()));
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

TraceBeside parse_beside(const std::string& text) {
  const std::size_t at = text.rfind('@');
  std::error_code ignored;
  if (at == std::string::npos || std::filesystem::exists(text, ignored)) return {text, SimTime()};
  try {
    return {text.substr(0, at), parse_time(text.substr(at + 1))};
  } catch (const Error& error) {
    throw Error(fmt::format("--beside {}: {}; the job's start follows the @, as in \"other.otf2@5 ms\"", text,
                            error.what()));
  }
}

}  // namespace morgana::cli
