#include "replay/trace_import.h"

#include <utility>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "replay/comparison.h"
#include "replay/imported_ranks.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {
TraceImport import_trace(ImportedProgram& program, const std::string& name,
                         const std::filesystem::path& trace) {
  const Platform platform = Platform::load("ideal");
  ImportedRanks ranks(program);
  Machine machine = platform.build(ranks.ranks(), Placement(), 1);
  TraceImport result{RunStatistics(ranks.ranks()), {}};
  TraceWriter writer(trace, modelled_properties(platform, machine, name, ranks.ranks()));
  Engine engine(machine, ranks, std::vector<OperationObserver*>{&result.statistics, &writer});
  engine.run();
  const std::string replaced = writer.finish();
  result.statistics.ran_on(engine.host_use());
  result.notices = program.notices();
  if (!replaced.empty()) result.notices.push_back(replaced);
  for (std::string notice : {engine.loss_report(), engine.unreceived_report()})
    if (!notice.empty()) result.notices.push_back(std::move(notice));
  return result;
}

}  // namespace morgana
