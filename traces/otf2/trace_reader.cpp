#include "traces/otf2/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "traces/import/chakra.h"
#include "traces/import/goal.h"
#include "traces/import/imported_program.h"
#include "traces/otf2/anchor_check.h"
#include "traces/otf2/otf2_error.h"
#include "traces/otf2/whole_file.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr const char* opening = "open the trace";

/// What a schedule's name is answered with where a trace is asked for; empty if it is none.
std::string schedule_instead(const fs::path& trace) {
  std::error_code error;
  if (!trace.extension().empty() && !fs::exists(trace, error) &&
      trace.string().find("%d") == std::string::npos)
    return "";  // a file that is not there
  if (program_form(trace))
    return fmt::format(
        "{} is a trace of another tool: `morgana import {} -o run.otf2` makes one of it that replays",
        trace.string(), trace.string());
  const bool executes = chakra::is_chakra(trace);
  if (!executes && !(fs::is_regular_file(trace, error) && is_goal(trace))) return "";
  return fmt::format(
      "{} is {}, which is not a record of a run: `morgana replay {} --platform NAME --trace run.otf2` runs "
      "it "
      "and "
      "records a trace, run.otf2",
      trace.string(), executes ? "an execution trace of Chakra" : "a schedule (GOAL)", trace.string());
}

/// Folders in it that hold execution traces.
std::vector<fs::path> folders_of_execution_traces(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory(error)) continue;
    for (const fs::directory_entry& inner : fs::directory_iterator(entry.path(), error))
      if (const std::string name = inner.path().filename().string();
          name.ends_with(".et") || name.ends_with(".et.gz")) {
        all.push_back(entry.path());
        break;
      }
  }
  std::ranges::sort(all);
  return all;
}

fs::path anchor_of(const fs::path& trace) {
  std::error_code error;
  if (const std::string instead = schedule_instead(trace); !instead.empty()) throw Error(instead);
  if (!fs::exists(trace, error))
    throw Error(
        fmt::format("there is no trace {}: name a folder that a trace was written to, or the file in it that "
                    "ends in .otf2",
                    trace.string()));
  if (!fs::is_directory(trace, error)) {
    if (trace.extension() == ".otf2") return trace;
    throw Error(fmt::format(
        "{} is not an OTF2 trace: name a folder that a trace was written to, or the file in it that "
        "ends in .otf2",
        trace.string()));
  }
  fs::path usual = trace / "traces.otf2";
  if (fs::exists(usual, error)) return usual;
  std::vector<fs::path> anchors;
  for (const fs::directory_entry& entry : fs::directory_iterator(trace, error))
    if (entry.path().extension() == ".otf2") anchors.push_back(entry.path());
  if (anchors.size() == 1) return fs::is_directory(anchors[0], error) ? anchor_of(anchors[0]) : anchors[0];
  if (anchors.empty()) {
    if (const std::vector<fs::path> inner = folders_of_execution_traces(trace); !inner.empty())
      throw Error(fmt::format(
          "{} holds {} with execution traces of Chakra (.et): give {} to `morgana replay`, such as {}",
          trace.string(), inner.size() == 1 ? "a folder" : fmt::format("{} folders", inner.size()),
          inner.size() == 1 ? "it" : "one of them", inner.front().string()));
    throw Error(fmt::format(
        "{} holds no OTF2 trace (a file that ends in .otf2): name a folder that a trace was written to",
        trace.string()));
  }
  throw Error(fmt::format("{} holds {} .otf2 files: name the one to read", trace.string(), anchors.size()));
}

OTF2_Reader* open_archive(const fs::path& anchor) {
  OTF2_Reader* reader = check_otf2(OTF2_Reader_Open(anchor.c_str()), opening);
  const OTF2_ErrorCode serial = OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  if (serial != OTF2_SUCCESS) OTF2_Reader_Close(reader);
  check_otf2(serial, opening);
  return reader;
}

[[noreturn]] void fail(const fs::path& anchor, const Error& error) {
  throw Error(fmt::format("{}: {}", anchor.string(), error.what()));
}

}  // namespace

LocationGroup::LocationGroup(const fs::path& anchor, const TraceDefinitions& definitions, Rank first,
                             std::size_t count, MiscountedLocations& miscounted)
    : anchor_(anchor), definitions_(definitions), miscounted_(miscounted) {
  try {
    reader_.reset(open_archive(anchor));
    std::uint64_t chunk_of_definitions = 0;
    check_otf2(OTF2_Reader_GetChunkSize(reader_.get(), &chunk_, &chunk_of_definitions), opening);
    for (std::size_t i = 0; i < count; ++i)
      check_otf2(OTF2_Reader_SelectLocation(reader_.get(), definitions.ranks.at(index(first) + i).reference),
                 opening);
    read_local_definitions(first, count);
    check_otf2(OTF2_Reader_OpenEvtFiles(reader_.get()), opening);
  } catch (const Error& error) {
    fail(anchor, error);
  }
}

/// They tell how the numbers in a rank's records map to the definitions; a tool that needs no such mapping
/// may have written none at all.
void LocationGroup::read_local_definitions(Rank first, std::size_t count) {
  OTF2_Reader* reader = reader_.get();
  if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS) {
    if (definitions_.ours) check_otf2(OTF2_ERROR_INVALID, "open the ranks' definitions");
    take_otf2_message();
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const OTF2_LocationRef location = definitions_.ranks[index(first) + i].reference;
    const fs::path file = file_of_location(anchor_, location, "def");
    if (std::error_code error; !definitions_.ours && !fs::exists(file, error)) continue;
    const std::string reading = fmt::format("read the definitions of location {}", location);
    OTF2_DefReader* local = check_otf2(OTF2_Reader_GetDefReader(reader, location), reading.c_str());
    const std::uint64_t bytes = size_of_whole(file);
    std::uint64_t read = 0;
    check_otf2(OTF2_Reader_ReadLocalDefinitions(reader, local, bytes, &read), reading.c_str());
    if (read == bytes)
      throw Error(
          fmt::format("the definitions of location {} have no end: record the trace again", location));
    check_otf2(OTF2_Reader_CloseDefReader(reader, local), reading.c_str());
  }
  check_otf2(OTF2_Reader_CloseDefFiles(reader), "close the ranks' definitions");
}

std::unique_ptr<LocationReader> LocationGroup::open(Rank rank) {
  try {
    const fs::path file = file_of_location(anchor_, definitions_.ranks[index(rank)].reference, "evt");
    const std::uint64_t bytes = size_of_whole(file);
    return std::make_unique<LocationReader>(reader_.get(), definitions_, rank, bytes,
                                            records_held(file, bytes, chunk_), miscounted_);
  } catch (const Error& error) {
    fail(anchor_, error);
  }
}

TraceReader::TraceReader(const fs::path& trace) {
  catch_otf2_messages();
  anchor_ = anchor_of(trace);
  try {
    check_anchor(anchor_);
    size_of_whole(fs::path(anchor_).replace_extension(".def"));
    OTF2_Reader* reader = open_archive(anchor_);
    const std::unique_ptr<OTF2_Reader, OTF2_ErrorCode (*)(OTF2_Reader*)> closed(reader, OTF2_Reader_Close);
    definitions_ = read_definitions(reader);
  } catch (const Error& error) {
    fail(anchor_, error);
  }
  for (const TraceDefinitions::Location& location : definitions_.ranks) records_ += location.records;
}

TraceReader::~TraceReader() {
  locations_.clear();  // before the group that they belong to
}

std::unique_ptr<LocationGroup> TraceReader::open_group(Rank rank) const {
  return std::make_unique<LocationGroup>(anchor_, definitions_, rank,
                                         std::min(LocationGroup::most, ranks() - index(rank)), *miscounted_);
}

LocationReader& TraceReader::location(Rank rank) {
  const std::size_t number = index(rank) / LocationGroup::most;
  if (group_ == nullptr || number != group_number_) {
    leave_group();
    group_ = open_group(Rank(static_cast<std::int32_t>(number * LocationGroup::most)));
    group_number_ = number;
  }
  std::unique_ptr<LocationReader>& location = locations_[index(rank) % LocationGroup::most];
  if (location == nullptr) location = group_->open(rank);
  return *location;
}

void TraceReader::leave_group() {
  for (const auto& location : locations_) read_before_ += location == nullptr ? 0 : location->records_read();
  locations_.clear();
  locations_.resize(LocationGroup::most);
}

double TraceReader::progress() const {
  std::uint64_t read = read_before_;
  for (const auto& location : locations_) read += location == nullptr ? 0 : location->records_read();
  return records_ == 0 ? 1.0 : std::min(1.0, static_cast<double>(read) / static_cast<double>(records_));
}

std::vector<std::string> TraceReader::notices() const {
  std::vector<std::string> notices;
  if (definitions_.threads + definitions_.other_locations > 0)
    notices.push_back(
        fmt::format("skipped {} locations of further threads and {} of accelerators and metrics: only each "
                    "rank's main thread is read",
                    definitions_.threads, definitions_.other_locations));
  if (!miscounted_->ranks.empty()) {
    const auto& [rank, counts] = *miscounted_->ranks.begin();
    notices.push_back(
        fmt::format("the trace's definitions announce a wrong number of records for {} of {} ranks (rank {}: "
                    "{} instead of {}): "
                    "all records were read",
                    miscounted_->ranks.size(), ranks(), index(rank), counts.announced, counts.held));
  }
  if (const std::string& by = definitions_.properties.broken_off; !by.empty())
    notices.push_back(
        fmt::format("the recorded run was broken off by {}: its ranks end where they had come to", by));
  return notices;
}

}  // namespace morgana
