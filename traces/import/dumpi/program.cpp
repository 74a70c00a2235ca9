#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/import/dumpi/communicators.h"
#include "traces/import/dumpi/files.h"
#include "traces/import/dumpi/rank.h"
#include "traces/import/imported_program.h"

namespace morgana {
namespace {

using namespace dumpi;

class DumpiProgram final : public ImportedProgram {
 public:
  explicit DumpiProgram(const std::filesystem::path& file);
  std::size_t ranks() const override { return calls_.size(); }
  void next(Rank rank, Operation& operation) override { operation = calls_[index(rank)].next(counts_); }
  void found_complete(Rank rank, std::span<const Completed> completed) override {
    calls_[index(rank)].found_complete(completed);
  }
  std::vector<std::string> notices() const override;

 private:
  std::vector<std::unique_ptr<RankFile>> files_;
  std::unique_ptr<const Communicators> communicators_;
  std::vector<DumpiRankCalls> calls_;
  dumpi::DumpiCounts counts_;
};

DumpiProgram::DumpiProgram(const std::filesystem::path& file) {
  std::vector<RankScan> scans;
  std::vector<RankFile*> files;
  for (const std::filesystem::path& one : rank_files(file)) {
    files_.push_back(std::make_unique<RankFile>(one));
    files.push_back(files_.back().get());
    scans.push_back(scan(*files_.back()));
  }
  communicators_ = std::make_unique<const Communicators>(scans, files);
  const bool nobody_is_any_source = std::ranges::any_of(scans, &RankScan::nobody_is_any_source);
  calls_.reserve(files_.size());
  for (std::size_t i = 0; i < files_.size(); ++i)
    calls_.emplace_back(Rank(static_cast<std::int32_t>(i)), files_.size(), *files_[i], *communicators_,
                        RankScan{{}, std::move(scans[i].got), std::move(scans[i].cancelled), false},
                        nobody_is_any_source);
}

std::vector<std::string> DumpiProgram::notices() const {
  std::vector<std::string> all;
  const auto say = [&](std::uint64_t count, const char* one, const char* several, const char* what) {
    if (count > 0) all.push_back(fmt::format("{} {} {}", count, count == 1 ? one : several, what));
  };
  say(counts_.unknown_sizes, "message or collective is", "messages and collectives are",
      "of a datatype whose size is not in the trace: each of its elements counts as 1 byte");
  say(counts_.wildcards, "receive or probe names", "receives and probes name",
      "no source or no tag, and what it got is not in the trace: it gets what comes first");
  say(counts_.nobodies, "receive has", "receives have",
      "source -1, which in this trace is both MPI_PROC_NULL and any source, and no status: taken for "
      "MPI_PROC_NULL; if any source was meant, record the program again with statuses");
  say(counts_.unknown_cancels, "MPI_Cancel is", "MPI_Cancel are",
      "carried out, though nothing in the trace says whether it succeeded");
  say(counts_.overwritten, "request is", "requests are",
      "never awaited: another one got the number before any wait");
  say(counts_.unknown_requests, "wait or test is", "waits and tests are",
      "for a request that no recorded call has started: left out");
  say(counts_.on_files, "call on files takes", "calls on files take", "its recorded time as computing");
  say(counts_.of_threads, "call is", "calls are",
      "of a further thread: carried out in the order in which the file has it");
  say(counts_.untimed, "call has", "calls have", "no times: no computing comes before it");
  say(counts_.back_in_time, "call begins", "calls begin",
      "before the one before it has ended: no computing is between them");
  say(counts_.reordered, "rank's communicator has", "ranks' communicators have",
      "a topology that might number ranks in another order: they keep their order");
  return all;
}

}  // namespace

std::unique_ptr<ImportedProgram> read_dumpi(const std::filesystem::path& file) {
  return std::make_unique<DumpiProgram>(file);
}

}  // namespace morgana
