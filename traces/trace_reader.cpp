#include "traces/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "traces/anchor_check.h"
#include "traces/file_limit.h"
#include "traces/otf2_error.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

fs::path anchor_of(const fs::path& trace) {
  std::error_code error;
  if (!fs::exists(trace, error)) throw Error(fmt::format("there is no trace {}", trace.string()));
  if (!fs::is_directory(trace, error)) return trace;
  const fs::path usual = trace / "traces.otf2";
  if (fs::exists(usual, error)) return usual;
  std::vector<fs::path> anchors;
  for (const fs::directory_entry& entry : fs::directory_iterator(trace, error))
    if (entry.path().extension() == ".otf2") anchors.push_back(entry.path());
  if (anchors.size() == 1) return anchors[0];
  throw Error(fmt::format("{} holds {} .otf2 files: name the one to read", trace.string(), anchors.size()));
}

}  // namespace

TraceReader::TraceReader(const fs::path& trace) {
  catch_otf2_messages();
  const fs::path anchor = anchor_of(trace);
  constexpr const char* opening = "open the trace";
  try {
    check_anchor(anchor);
    reader_.reset(check_otf2(OTF2_Reader_Open(anchor.c_str()), opening));
    OTF2_Reader* reader = reader_.get();
    check_otf2(OTF2_Reader_SetSerialCollectiveCallbacks(reader), opening);
    definitions_ = read_definitions(reader);
    raise_open_file_limit(ranks());
    for (const TraceDefinitions::Location& location : definitions_.ranks)
      check_otf2(OTF2_Reader_SelectLocation(reader, location.reference), opening);
    read_local_definitions();
    check_otf2(OTF2_Reader_OpenEvtFiles(reader), opening);
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      locations_.emplace_back(reader, definitions_, Rank(static_cast<std::int32_t>(rank)));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", anchor.string(), error.what()));
  }
}

TraceReader::~TraceReader() = default;

/// They tell how the numbers in a rank's records map to the definitions; a tool that needs no such mapping
/// may have written none at all.
void TraceReader::read_local_definitions() {
  OTF2_Reader* reader = reader_.get();
  if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS) {
    if (definitions_.ours) check_otf2(OTF2_ERROR_INVALID, "open the ranks' definitions");
    take_otf2_message();
    return;
  }
  for (const TraceDefinitions::Location& location : definitions_.ranks) {
    const std::string reading = fmt::format("read the definitions of location {}", location.reference);
    OTF2_DefReader* local = check_otf2(OTF2_Reader_GetDefReader(reader, location.reference), reading.c_str());
    std::uint64_t count = 0;
    check_otf2(OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count), reading.c_str());
    check_otf2(OTF2_Reader_CloseDefReader(reader, local), reading.c_str());
  }
  check_otf2(OTF2_Reader_CloseDefFiles(reader), "close the ranks' definitions");
}

double TraceReader::progress() const {
  std::uint64_t read = 0, all = 0;
  for (std::size_t rank = 0; rank < locations_.size(); ++rank) {
    read += locations_[rank].records_read();
    all += definitions_.ranks[rank].records;
  }
  return all == 0 ? 1.0 : std::min(1.0, static_cast<double>(read) / static_cast<double>(all));
}

std::vector<std::string> TraceReader::notices() const {
  std::vector<std::string> notices;
  if (definitions_.threads + definitions_.other_locations > 0)
    notices.push_back(
        fmt::format("skipped {} locations of further threads and {} of accelerators and metrics: only each "
                    "rank's main thread is read",
                    definitions_.threads, definitions_.other_locations));
  return notices;
}

}  // namespace morgana
