#include "cli/common/imported_trace.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/common/recording.h"
#include "cli/common/temporary_folder.h"
#include "emulator/engine/engine.h"
#include "replay/trace_import.h"

namespace morgana::cli {

std::shared_ptr<const ReplayInput> read_imported(const std::filesystem::path& trace,
                                                 std::vector<std::string>& notices,
                                                 const std::function<void(double)>& progress) {
  const std::optional<ProgramForm> form = program_form(trace);
  if (!form) return nullptr;
  const TemporaryFolder folder;
  const std::filesystem::path imported = folder.path() / "imported.otf2";
  const std::unique_ptr<ImportedProgram> program = read_program(*form, trace);
  try {
    TraceImport import = import_trace(*program, trace.string(), imported);
    std::ranges::move(import.notices, std::back_inserter(notices));
  } catch (const Deadlock&) {
    // Ranks may wait for ever because an importer guessed.
    print_notices(program->notices());
    throw;
  }
  return read_trace(imported, progress);
}

}  // namespace morgana::cli
