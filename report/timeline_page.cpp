#include "report/timeline_page.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/page_template.h"
#include "report/web_files.h"

namespace morgana {

std::string timeline_page(const Timeline& timeline, std::size_t most_events, const CriticalPath* path,
                          const LinkHistory& links, std::span<const BottleneckLine> bottleneck,
                          std::span<const CycleMember> cycle, const ExecutionTimeline* execution,
                          const CarriedMessages* carried) {
  const WebFiles files = web_files();
  nlohmann::json data = page_data(timeline, most_events, path, links, bottleneck, cycle, execution);
  if (carried != nullptr) data["carried"] = carried_data(*carried, timeline.ranks - timeline.services);
  return filled_page(files.run, std::move(data),
                     {files.texts, files.axis, files.timeline, files.lives, files.links, files.figures,
                      files.execution, files.run_script});
}

}  // namespace morgana
