#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace morgana::testing {

/// A trace laid out as Score-P 8 lays its own out, written with OTF2 alone: nanoseconds from an offset, the
/// rank's location is its number and further threads' are number + thread * 2^32, all references global but
/// those of communicators, which each location numbers for itself and maps.
class ScorePTrace {
 public:
  struct Options {
    std::uint64_t ticks_per_second = 1'000'000'000;
    std::uint64_t offset = 16'123'456'789;
    bool threads = false;  ///< a second thread a rank, with events of its own
    bool metrics = false;  ///< counters on the ranks' locations, and a location of metrics
    std::int64_t miscount =
        0;  ///< added to each location's number of records where the definitions announce it
  };

  ScorePTrace(const std::filesystem::path& folder, std::uint32_t ranks, const Options& options)
      : options_(options), ranks_(ranks) {
    archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) throw std::runtime_error("no archive");
    static const OTF2_FlushCallbacks flush{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; },
        nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "Score-P 8.4"));
    check(OTF2_Archive_OpenEvtFiles(archive_));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      locations_.push_back(rank);
      if (options.threads) locations_.push_back(rank + (std::uint64_t{1} << 32));
    }
    if (options.metrics) locations_.push_back(std::uint64_t{ranks} + 7);
    for (const OTF2_LocationRef location : locations_) {
      writers_[location] = OTF2_Archive_GetEvtWriter(archive_, location);
      if (location < ranks) {
        check(
            OTF2_EvtWriter_ProgramBegin(writers_[location], nullptr, at(0), string("./program"), 0, nullptr));
      } else {
        // Threads' calls of MPI are no rank's; they must not be taken for them.
        check(OTF2_EvtWriter_Enter(writers_[location], nullptr, at(1), region("MPI_Comm_size")));
        check(OTF2_EvtWriter_Leave(writers_[location], nullptr, at(2), region("MPI_Comm_size")));
      }
    }
    std::vector<std::uint32_t> everyone;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) everyone.push_back(rank);
    communicators_.push_back({everyone, false});
    communicators_.push_back({{}, true});
  }

  static constexpr std::uint32_t world = 0;
  static constexpr std::uint32_t self = 1;
  /// @return how records name it
  std::uint32_t communicator(const std::vector<std::uint32_t>& members) {
    communicators_.push_back({members, false});
    return static_cast<std::uint32_t>(communicators_.size() - 1);
  }

  void enter(std::uint32_t rank, std::uint64_t ns, const std::string& name) {
    check(OTF2_EvtWriter_Enter(writers_[rank], nullptr, at(ns), region(name)));
    if (options_.metrics && rank < ranks_) {
      const OTF2_Type type = OTF2_TYPE_UINT64;
      OTF2_MetricValue value{};
      value.unsigned_int = ns;
      check(OTF2_EvtWriter_Metric(writers_[rank], nullptr, at(ns), 0, 1, &type, &value));
    }
  }
  void leave(std::uint32_t rank, std::uint64_t ns, const std::string& name) {
    check(OTF2_EvtWriter_Leave(writers_[rank], nullptr, at(ns), region(name)));
  }
  void send(std::uint32_t rank, std::uint64_t ns, std::uint32_t to, std::uint32_t comm, std::uint32_t tag,
            std::uint64_t bytes) {
    check(OTF2_EvtWriter_MpiSend(writers_[rank], nullptr, at(ns), to, local(comm), tag, bytes));
  }
  void receive(std::uint32_t rank, std::uint64_t ns, std::uint32_t from, std::uint32_t comm,
               std::uint32_t tag, std::uint64_t bytes) {
    check(OTF2_EvtWriter_MpiRecv(writers_[rank], nullptr, at(ns), from, local(comm), tag, bytes));
  }
  void isend(std::uint32_t rank, std::uint64_t ns, std::uint32_t to, std::uint32_t comm, std::uint32_t tag,
             std::uint64_t bytes, std::uint64_t request) {
    check(OTF2_EvtWriter_MpiIsend(writers_[rank], nullptr, at(ns), to, local(comm), tag, bytes, request));
  }
  void isend_complete(std::uint32_t rank, std::uint64_t ns, std::uint64_t request) {
    check(OTF2_EvtWriter_MpiIsendComplete(writers_[rank], nullptr, at(ns), request));
  }
  void irecv_request(std::uint32_t rank, std::uint64_t ns, std::uint64_t request) {
    check(OTF2_EvtWriter_MpiIrecvRequest(writers_[rank], nullptr, at(ns), request));
  }
  void irecv(std::uint32_t rank, std::uint64_t ns, std::uint32_t from, std::uint32_t comm, std::uint32_t tag,
             std::uint64_t bytes, std::uint64_t request) {
    check(OTF2_EvtWriter_MpiIrecv(writers_[rank], nullptr, at(ns), from, local(comm), tag, bytes, request));
  }
  void request_test(std::uint32_t rank, std::uint64_t ns, std::uint64_t request) {
    check(OTF2_EvtWriter_MpiRequestTest(writers_[rank], nullptr, at(ns), request));
  }
  void request_cancelled(std::uint32_t rank, std::uint64_t ns, std::uint64_t request) {
    check(OTF2_EvtWriter_MpiRequestCancelled(writers_[rank], nullptr, at(ns), request));
  }
  void collective(std::uint32_t rank, std::uint64_t begin, std::uint64_t end, OTF2_CollectiveOp operation,
                  std::uint32_t comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
    check(OTF2_EvtWriter_MpiCollectiveBegin(writers_[rank], nullptr, at(begin)));
    check(OTF2_EvtWriter_MpiCollectiveEnd(writers_[rank], nullptr, at(end), operation, local(comm), root,
                                          sent, received));
  }
  void icollective_request(std::uint32_t rank, std::uint64_t ns, std::uint64_t request) {
    check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writers_[rank], nullptr, at(ns), request));
  }
  void icollective(std::uint32_t rank, std::uint64_t ns, OTF2_CollectiveOp operation, std::uint32_t comm,
                   std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::uint64_t request) {
    check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writers_[rank], nullptr, at(ns), operation,
                                                       local(comm), root, sent, received, request));
  }
  void put(std::uint32_t rank, std::uint64_t ns, std::uint64_t bytes = 8) {
    check(OTF2_EvtWriter_RmaPut(writers_[rank], nullptr, at(ns), 0, 0, bytes, 1));
  }
  void atomic(std::uint32_t rank, std::uint64_t ns, std::uint64_t sent, std::uint64_t received) {
    check(OTF2_EvtWriter_RmaAtomic(writers_[rank], nullptr, at(ns), 0, 0, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD,
                                   sent, received, 2));
  }
  /// A record whose communicator the trace does not define.
  void send_to_nowhere(std::uint32_t rank, std::uint64_t ns) {
    check(OTF2_EvtWriter_MpiSend(writers_[rank], nullptr, at(ns), 0, 12345, 0, 1));
  }

  /// A correction of every location's clock at this time, interpolated between.
  void clock_offset(std::uint64_t ns, std::int64_t offset) { clock_offsets_.push_back({at(ns), offset}); }

  /// @param end  when the ranks' programs end
  void finish(std::uint64_t end) {
    std::map<OTF2_LocationRef, std::uint64_t> counts;
    for (const OTF2_LocationRef location : locations_) {
      if (location < ranks_) check(OTF2_EvtWriter_ProgramEnd(writers_[location], nullptr, at(end), 0));
      check(OTF2_EvtWriter_GetNumberOfEvents(writers_[location], &counts[location]));
      check(OTF2_Archive_CloseEvtWriter(archive_, writers_[location]));
    }
    check(OTF2_Archive_CloseEvtFiles(archive_));
    write_local_definitions();
    write_global_definitions(end, counts);
    check(OTF2_Archive_Close(archive_));
    archive_ = nullptr;
  }

  ~ScorePTrace() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  }
  ScorePTrace(const ScorePTrace&) = delete;
  ScorePTrace& operator=(const ScorePTrace&) = delete;

 private:
  struct Communicator {
    std::vector<std::uint32_t> members;
    bool self;
  };

  static void check(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS) throw std::runtime_error(OTF2_Error_GetDescription(code));
  }
  std::uint64_t at(std::uint64_t ns) const {
    return options_.offset + ns * (options_.ticks_per_second / 1'000'000) / 1'000;
  }
  OTF2_StringRef string(const std::string& text) {
    const auto [entry, fresh] = strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (fresh) texts_.push_back(text);
    return entry->second;
  }
  OTF2_RegionRef region(const std::string& name) {
    string(name);
    const auto [entry, fresh] = regions_.try_emplace(name, static_cast<OTF2_RegionRef>(regions_.size()));
    if (fresh) region_names_.push_back(name);
    return entry->second;
  }
  /// Each location numbers communicators backwards; its mapping says which are meant.
  std::uint32_t local(std::uint32_t comm) const { return most_communicators - 1 - comm; }

  void write_local_definitions() {
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (const OTF2_LocationRef location : locations_) {
      OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location);
      std::vector<std::uint64_t> mapping;
      for (std::uint32_t i = 0; i < most_communicators; ++i) mapping.push_back(most_communicators - 1 - i);
      OTF2_IdMap* map = OTF2_IdMap_CreateFromUint64Array(mapping.size(), mapping.data(), false);
      check(OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_COMM, map));
      OTF2_IdMap_Free(map);
      for (const auto& [time, offset] : clock_offsets_)
        check(OTF2_DefWriter_WriteClockOffset(writer, time, offset, 0.0));
      check(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_));
  }

  void write_global_definitions(std::uint64_t end, std::map<OTF2_LocationRef, std::uint64_t>& counts) {
    OTF2_GlobalDefWriter* w = OTF2_Archive_GetGlobalDefWriter(archive_);
    check(OTF2_GlobalDefWriter_WriteClockProperties(w, options_.ticks_per_second, options_.offset,
                                                    at(end) - options_.offset, 1'700'000'000'000'000'000));
    for (const char* text : {"", "MPI", "machine Linux", "machine", "node n0", "node", "Master thread",
                             "OMP thread 1", "MPI_COMM_WORLD", "PAPI_TOT_CYC", "#"})
      string(text);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) string("MPI Rank " + std::to_string(rank));
    check(
        OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_MPI, string("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    for (std::size_t i = 0; i < texts_.size(); ++i)
      check(OTF2_GlobalDefWriter_WriteString(w, static_cast<OTF2_StringRef>(i), texts_[i].c_str()));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, string("machine Linux"), string("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 1, string("node n0"), string("node"), 0));
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      check(OTF2_GlobalDefWriter_WriteLocationGroup(w, rank, string("MPI Rank " + std::to_string(rank)),
                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, 1,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
    for (const OTF2_LocationRef location : locations_) {
      const bool main = location < ranks_;
      const bool metrics = options_.metrics && location == locations_.back();
      check(OTF2_GlobalDefWriter_WriteLocation(
          w, location, string(main ? "Master thread" : "OMP thread 1"),
          metrics ? OTF2_LOCATION_TYPE_METRIC : OTF2_LOCATION_TYPE_CPU_THREAD,
          counts[location] + static_cast<std::uint64_t>(options_.miscount),
          metrics ? 0 : static_cast<OTF2_LocationGroupRef>(location & 0xFFFFFFFFU)));
    }
    for (std::size_t i = 0; i < region_names_.size(); ++i) {
      const bool mpi = region_names_[i].rfind("MPI_", 0) == 0;
      check(OTF2_GlobalDefWriter_WriteRegion(w, static_cast<OTF2_RegionRef>(i), string(region_names_[i]),
                                             string(region_names_[i]), string(""),
                                             mpi ? OTF2_REGION_ROLE_WRAPPER : OTF2_REGION_ROLE_FUNCTION,
                                             mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER,
                                             OTF2_REGION_FLAG_NONE, string(mpi ? "MPI" : ""), 0, 0));
    }
    if (options_.metrics) {
      check(OTF2_GlobalDefWriter_WriteMetricMember(w, 0, string("PAPI_TOT_CYC"), string(""),
                                                   OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START,
                                                   OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, string("#")));
      const OTF2_MetricMemberRef member = 0;
      check(OTF2_GlobalDefWriter_WriteMetricClass(w, 0, 1, &member, OTF2_METRIC_SYNCHRONOUS_STRICT,
                                                  OTF2_RECORDER_KIND_CPU));
    }
    write_communicators(w);
  }

  void write_communicators(OTF2_GlobalDefWriter* w) {
    std::vector<std::uint64_t> members;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) members.push_back(rank);
    check(OTF2_GlobalDefWriter_WriteGroup(w, 0, string(""), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, ranks_, members.data()));
    for (std::size_t i = 0; i < communicators_.size(); ++i) {
      members.assign(communicators_[i].members.begin(), communicators_[i].members.end());
      const auto group = static_cast<OTF2_GroupRef>(i + 1);
      check(OTF2_GlobalDefWriter_WriteGroup(
          w, group, string(""),
          communicators_[i].self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
          OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()), members.data()));
      check(OTF2_GlobalDefWriter_WriteComm(w, static_cast<OTF2_CommRef>(i),
                                           string(i == 0 ? "MPI_COMM_WORLD" : ""), group,
                                           i < 2 ? OTF2_UNDEFINED_COMM : 0, OTF2_COMM_FLAG_NONE));
    }
    check(OTF2_GlobalDefWriter_WriteRmaWin(w, 0, string(""), 0, OTF2_RMA_WIN_FLAG_NONE));
  }

  static constexpr std::uint32_t most_communicators = 16;
  Options options_;
  std::uint32_t ranks_;
  OTF2_Archive* archive_ = nullptr;
  std::vector<OTF2_LocationRef> locations_;
  std::map<OTF2_LocationRef, OTF2_EvtWriter*> writers_;
  std::vector<Communicator> communicators_;
  std::map<std::string, OTF2_StringRef> strings_;
  std::vector<std::string> texts_;
  std::map<std::string, OTF2_RegionRef> regions_;
  std::vector<std::string> region_names_;
  std::vector<std::pair<std::uint64_t, std::int64_t>> clock_offsets_;
};

}  // namespace morgana::testing
