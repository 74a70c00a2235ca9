#include "emulator/report/job_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "emulator/report/readable.h"

namespace morgana {

namespace {

/// How the time beside other jobs differs from that alone.
std::string beside_others(SimTime time, SimTime alone) {
  if (time == alone) return ", as alone";
  if (alone == SimTime()) return ", alone no time";
  const double more = 100 * (time.seconds() / alone.seconds() - 1);
  return fmt::format(", {:.1f} % {} than the {} that it takes alone", std::abs(more),
                     more > 0 ? "longer" : "shorter", readable(alone));
}

}  // namespace

std::string job_text(const JobResult& job) {
  std::string text =
      job.stands_still ? fmt::format("stands still since {}", readable(job.end)) : readable(job.time());
  if (job.alone && !job.stands_still) text += beside_others(job.time(), *job.alone);
  text += fmt::format(": {}, {} rank{} on {} host{} from host {} on", job.name, job.ranks,
                      job.ranks == 1 ? "" : "s", job.hosts, job.hosts == 1 ? "" : "s", job.first_host);
  if (job.times > 1) text += fmt::format(", {} times", job.times);
  if (job.start > SimTime()) text += fmt::format(", started at {}", readable(job.start));
  return text;
}

nlohmann::ordered_json jobs_json(std::span<const JobResult> jobs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const JobResult& job : jobs) {
    list.push_back({{"subject", job.name},
                    {"ranks", job.ranks},
                    {"hosts", job.hosts},
                    {"first_host", job.first_host},
                    {"start_ps", job.start.ps()},
                    {"end_ps", job.end.ps()},
                    {"stands_still", job.stands_still},
                    {"times", job.times},
                    {"communication_share", job.communication_share}});
    if (job.alone) list.back()["alone_ps"] = job.alone->ps();
  }
  return list;
}

}  // namespace morgana
