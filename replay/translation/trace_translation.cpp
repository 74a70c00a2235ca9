#include "replay/translation/trace_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "replay/translation/operation_codec.h"
#include "replay/translation/rank_translator.h"

namespace morgana {
namespace {

/// The first communicator that holds every rank in order.
const TraceCommunicator* world_of(const TraceDefinitions& definitions) {
  const std::size_t ranks = definitions.ranks.size();
  const TraceCommunicator* world = nullptr;
  for (const TraceCommunicator& communicator : definitions.communicators.all()) {
    if (communicator.kind != TraceCommunicator::Kind::group || communicator.members.size() != ranks) continue;
    bool in_order = true;
    for (std::size_t i = 0; i < ranks; ++i) in_order = in_order && index(communicator.members[i]) == i;
    if (in_order && (world == nullptr || communicator.reference < world->reference)) world = &communicator;
  }
  return world;
}

}  // namespace

/// What the pass needs, and the replay does not.
struct TraceTranslation::Common {
  explicit Common(const std::function<void(double)>& told) : progress(told) {}

  void read(std::uint64_t records_of_location) {
    if (progress && all_records > 0)
      progress(std::min(
          1.0, static_cast<double>(records_before + records_of_location) / static_cast<double>(all_records)));
  }

  TranslatedTrace trace;
  const std::function<void(double)>& progress;
  std::uint64_t records_before = 0, all_records = 0;
  RecordedOperation recorded;  // keeps its storage
};

TraceTranslation::TraceTranslation(const std::filesystem::path& trace,
                                   const std::function<void(double)>& progress,
                                   const std::optional<TranslationCache>& cache)
    : reader_(trace) {
  std::optional<std::string> name;
  if (cache)
    name = cache->name_of(reader_.anchor(), [&progress] {
      if (progress) progress(0);
    });
  if (auto found = name ? cache->find(*name) : std::nullopt;
      found && found->ranks.begin.size() == reader_.ranks() + 1) {
    kept_.emplace(std::move(*found));
    ranks_ = std::move(kept_->ranks);
    operations_ = kept_->operations;
    return;
  }
  translate(progress);
  operations_ = stream_.bytes();
  if (name) cache->keep(*name, operations_, ranks_);
}

void TraceTranslation::translate(const std::function<void(double)>& progress) {
  Common common(progress);
  common.trace.world = world_of(definitions());
  for (const TraceDefinitions::Location& location : definitions().ranks)
    common.all_records += location.records;
  const std::size_t count = reader_.ranks();
  ranks_.begin.reserve(count + 1);
  std::unique_ptr<LocationGroup> group;
  for (std::size_t i = 0; i < count; ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    if (i % LocationGroup::most == 0) {
      group.reset();
      group = reader_.open_group(rank);
    }
    const std::unique_ptr<LocationReader> location = group->open(rank);
    ranks_.begin.push_back(static_cast<std::size_t>(stream_.size()));
    translate(rank, *location, common);
    common.records_before += definitions().ranks[i].records;
    common.read(0);
  }
  ranks_.begin.push_back(static_cast<std::size_t>(stream_.size()));
  stream_.map();
  ranks_.notices = reader_.notices();
  if (common.trace.receives_left_out > 0)
    ranks_.notices.push_back(
        common.trace.receives_left_out == 1
            ? "1 receive is left out: the trace has no record of its message"
            : fmt::format("{} receives are left out: the trace has no record of their messages",
                          common.trace.receives_left_out));
}

void TraceTranslation::translate(Rank rank, LocationReader& location, Common& common) {
  constexpr std::uint64_t operations_between_reports = 1 << 14;
  RankTranslator translator(location, definitions(), rank, common.trace);
  CodecState state;
  state.rank = static_cast<std::int32_t>(rank);
  for (std::uint64_t operations = 1;; ++operations) {
    try {
      translator.next(common.recorded);
    } catch (const Error& error) {
      ranks_.errors.emplace(rank, error.what());
      return;
    }
    encode(common.recorded, state, stream_.buffer());
    stream_.flush_if_full();
    if (common.recorded.operation.kind == OperationKind::exit) return;
    if (operations % operations_between_reports == 0) common.read(location.records_read());
  }
}

}  // namespace morgana
