#include "report/timeline_page.h"

#include <nlohmann/json.hpp>

#include "report/page_template.h"
#include "report/web_files.h"

namespace morgana {

std::string timeline_page(const Timeline& timeline, std::size_t most_events, const CriticalPath* path,
                          const LinkHistory& links, std::span<const BottleneckLine> bottleneck,
                          std::span<const CycleMember> cycle, const ExecutionTimeline* execution) {
  const WebFiles files = web_files();
  return filled_page(files.run, page_data(timeline, most_events, path, links, bottleneck, cycle, execution),
                     {files.texts, files.axis, files.timeline, files.lives, files.links, files.figures,
                      files.execution, files.run_script});
}

}  // namespace morgana
