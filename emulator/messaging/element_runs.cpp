#include "emulator/messaging/element_runs.h"

namespace morgana {

std::vector<ElementRun> element_runs(const std::vector<MessagePart>& parts) {
  std::vector<ElementRun> runs;
  std::int64_t begin = 0;
  for (const MessagePart& part : parts) {
    const std::int64_t bytes = part.end - begin;
    begin = part.end;
    if (bytes == 0) continue;
    const bool shared = part.count > 0 && bytes % part.count == 0;
    const Bytes element(shared ? bytes / part.count : 1);
    if (!runs.empty() && runs.back().element == element)
      runs.back().bytes += Bytes(bytes);
    else
      runs.push_back({element, Bytes(bytes)});
  }
  return runs;
}

}  // namespace morgana
