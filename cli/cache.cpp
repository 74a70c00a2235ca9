#include <fmt/format.h>

#include <memory>

#include "cli/common/command.h"
#include "emulator/core/error.h"
#include "emulator/report/readable.h"
#include "replay/translation/translation_cache.h"

namespace morgana::cli {
namespace {

struct CacheArguments {
  bool clear = false;
};

int cache(const CacheArguments& options) {
  const std::optional<TranslationCache> cache = TranslationCache::of_user();
  if (!cache) {
    fmt::print("translated traces are not cached: MORGANA_CACHE is \"off\", or HOME is not set\n");
    return 0;
  }
  const TranslationCache::Use use = options.clear ? cache->clear() : cache->use();
  fmt::print("{}{} translated trace{} in {}, {}\n", options.clear ? "removed " : "", use.files,
             use.files == 1 ? "" : "s", cache->folder().string(),
             readable(Bytes(static_cast<std::int64_t>(use.bytes))));
  return 0;
}

}  // namespace

void add_cache(Commands& commands) {
  auto options = std::make_shared<CacheArguments>();
  Command& command = commands.add("cache", "Show or clear the cache of replayed traces");
  command.add("--clear", &options->clear, "Clear the cache");
  command.footer = R"(
A replay caches what it has read of a trace of more than 1 MiB (a few bytes per operation), so that the next replay of
the same trace starts at once. The cache is ~/.cache/morgana, or below $XDG_CACHE_HOME, or the folder that $MORGANA_CACHE
names; MORGANA_CACHE=off turns it off. A changed trace or another build of Morgana does not use older entries. Above
2 GiB the entries that were unused for longest are removed. The cache may be removed at any time.

Examples:
  morgana cache
  morgana cache --clear
  MORGANA_CACHE=off morgana replay cg.otf2 --platform fast-ethernet)";
  command.action = [options] { return cache(*options); };
}

}  // namespace morgana::cli
