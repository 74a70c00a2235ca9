#include "cli/run_page.h"

#include "cli/result_files.h"
#include "report/page_template.h"
#include "report/timeline_page.h"
#include "traces/timeline.h"

namespace morgana::cli {

RunPage::RunPage(const OutputOptions& options) : options_(options), trace_(options.trace) {
  if (options.page.empty()) return;
  check_can_make_pages();
  if (trace_.empty()) trace_ = folder_.emplace().path() / "run.otf2";
}

void RunPage::write(const CriticalPath* path, const LinkHistory& links,
                    const std::vector<BottleneckLine>& bottleneck) const {
  if (options_.page.empty()) return;
  write_page(options_.page, timeline_page(read_timeline(trace_), events_of_page, path, links, bottleneck),
             options_.quiet);
}

}  // namespace morgana::cli
