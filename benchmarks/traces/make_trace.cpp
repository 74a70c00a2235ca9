// Writes an OTF2 trace, laid out as Score-P lays its own out, of a program with any number of ranks:
//
//   make_trace FOLDER PATTERN RANKS ITERATIONS [BYTES]
//
// Patterns, each iteration after 10 us of computing: halo (nonblocking messages with the four neighbours in a
// torus as square as may be), dissemination (a message round after round to the rank 1, 2, 4, ... further
// on), allreduce and alltoall (the collectives of MPI). Ranks are written one after the other.
#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

enum Region : OTF2_RegionRef { init, finalize, isend, irecv, waitall, allreduce, alltoall, count };
constexpr std::array<const char*, count> region_names{
    "MPI_Init", "MPI_Finalize", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce", "MPI_Alltoall"};

void check(OTF2_ErrorCode code) {
  if (code == OTF2_SUCCESS) return;
  std::fprintf(stderr, "make_trace: %s\n", OTF2_Error_GetDescription(code));
  std::exit(1);
}

/// One rank's records: 1 us for each call, nanoseconds.
class RankWriter {
 public:
  RankWriter(OTF2_EvtWriter* writer, std::uint64_t bytes) : writer_(writer), bytes_(bytes) {
    check(OTF2_EvtWriter_ProgramBegin(writer_, nullptr, now_, 0, 0, nullptr));
    in(init, [] {});
  }

  template <typename Records>
  void in(Region region, Records records) {
    check(OTF2_EvtWriter_Enter(writer_, nullptr, now_, region));
    records();
    check(OTF2_EvtWriter_Leave(writer_, nullptr, now_ += 1000, region));
  }
  void compute() { now_ += 10'000; }
  void exchange(const std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
    const std::uint64_t first = request_;
    for (std::size_t i = 0; i < from.size(); ++i)
      in(irecv, [&] { check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, now_, request_++)); });
    for (const std::uint32_t peer : to)
      in(isend,
         [&] { check(OTF2_EvtWriter_MpiIsend(writer_, nullptr, now_, peer, 0, 1, bytes_, request_++)); });
    in(waitall, [&] {
      std::uint64_t request = first;
      for (const std::uint32_t peer : from)
        check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, now_, peer, 0, 1, bytes_, request++));
      while (request < request_) check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, now_, request++));
    });
  }
  void collective(Region region, OTF2_CollectiveOp operation, std::uint64_t all_bytes) {
    in(region, [&] {
      check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, now_));
      check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, now_, operation, 0, 0xFFFFFFFFU, all_bytes,
                                            all_bytes));
    });
  }
  std::uint64_t finish() {
    in(finalize, [] {});
    check(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, now_, 0));
    return now_;
  }

 private:
  OTF2_EvtWriter* writer_;
  std::uint64_t bytes_, now_ = 0, request_ = 1;
};

std::vector<std::uint32_t> neighbours(std::uint32_t rank, std::uint32_t ranks) {
  std::uint32_t width = 1;
  for (std::uint32_t i = 1; i * i <= ranks; ++i)
    if (ranks % i == 0) width = i;
  const std::uint32_t row = rank / width * width, column = rank - row;
  return {row + (column + 1) % width, row + (column + width - 1) % width, (rank + width) % ranks,
          (rank + ranks - width) % ranks};
}

void write_rank(RankWriter& writer, std::string_view pattern, std::uint32_t rank, std::uint32_t ranks,
                std::uint64_t iterations, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < iterations; ++i) {
    writer.compute();
    if (pattern == "halo") {
      const std::vector<std::uint32_t> peers = neighbours(rank, ranks);
      // What a rank sends to the right comes from its left.
      writer.exchange(peers, {peers[1], peers[0], peers[3], peers[2]});
    } else if (pattern == "dissemination") {
      for (std::uint64_t step = 1; step < ranks; step *= 2)
        writer.exchange({static_cast<std::uint32_t>((rank + step) % ranks)},
                        {static_cast<std::uint32_t>((rank + ranks - step) % ranks)});
    } else if (pattern == "allreduce") {
      writer.collective(allreduce, OTF2_COLLECTIVE_OP_ALLREDUCE, bytes * ranks);
    } else {
      writer.collective(alltoall, OTF2_COLLECTIVE_OP_ALLTOALL, bytes * ranks);
    }
  }
}

void write_definitions(OTF2_Archive* archive, std::uint32_t ranks, std::uint64_t records, std::uint64_t end) {
  check(OTF2_Archive_OpenDefFiles(archive));
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    check(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, rank)));
  check(OTF2_Archive_CloseDefFiles(archive));
  OTF2_GlobalDefWriter* w = OTF2_Archive_GetGlobalDefWriter(archive);
  check(OTF2_GlobalDefWriter_WriteClockProperties(w, 1'000'000'000, 0, end, OTF2_UNDEFINED_TIMESTAMP));
  OTF2_StringRef next = 0;
  const auto text = [&](const std::string& what) {
    check(OTF2_GlobalDefWriter_WriteString(w, next, what.c_str()));
    return next++;
  };
  const OTF2_StringRef empty = text(""), mpi = text("MPI"), node = text("node"),
                       thread = text("Master thread");
  check(OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_MPI, mpi, OTF2_PARADIGM_CLASS_PROCESS));
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, node, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  std::vector<std::uint64_t> members;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    members.push_back(rank);
    check(OTF2_GlobalDefWriter_WriteLocationGroup(w, rank, text("MPI Rank " + std::to_string(rank)),
                                                  OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                  OTF2_UNDEFINED_LOCATION_GROUP));
    check(OTF2_GlobalDefWriter_WriteLocation(w, rank, thread, OTF2_LOCATION_TYPE_CPU_THREAD, records, rank));
  }
  for (OTF2_RegionRef i = 0; i < count; ++i) {
    const OTF2_StringRef name = text(region_names[i]);
    check(OTF2_GlobalDefWriter_WriteRegion(w, i, name, name, empty, OTF2_REGION_ROLE_WRAPPER,
                                           OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, mpi, 0, 0));
  }
  check(OTF2_GlobalDefWriter_WriteGroup(w, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, ranks, members.data()));
  check(OTF2_GlobalDefWriter_WriteGroup(w, 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, ranks, members.data()));
  check(OTF2_GlobalDefWriter_WriteComm(w, 0, text("MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM,
                                       OTF2_COMM_FLAG_NONE));
}

constexpr std::array<std::string_view, 4> patterns{"halo", "dissemination", "allreduce", "alltoall"};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "make_trace: %s\n", why.c_str());
  std::exit(2);
}

std::uint64_t number(const char* what, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    refuse(std::string(what) + " is a whole number from " + std::to_string(least) + " to " +
           std::to_string(most) + ", not " + std::string(text));
  return value;
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr,
                 "usage: make_trace FOLDER halo|dissemination|allreduce|alltoall RANKS ITERATIONS [BYTES]\n");
    return 2;
  }
  if (std::ranges::find(patterns, std::string_view(argv[2])) == patterns.end())
    refuse("there is no pattern " + std::string(argv[2]) +
           "; choose halo, dissemination, allreduce or alltoall");
  const auto ranks = static_cast<std::uint32_t>(number("RANKS", argv[3], 1, 1 << 20));
  const std::uint64_t iterations = number("ITERATIONS", argv[4], 0, 10'000'000);
  const std::uint64_t bytes = argc > 5 ? number("BYTES", argv[5], 0, std::uint64_t{1} << 30) : 1024;
  if (std::filesystem::exists(argv[1]))
    refuse(std::string(argv[1]) + " exists; name a folder that is to be made");
  OTF2_Archive* archive = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) return 1;
  const OTF2_FlushCallbacks flushing{flush, nullptr};
  check(OTF2_Archive_SetFlushCallbacks(archive, &flushing, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
  check(OTF2_Archive_OpenEvtFiles(archive));
  std::uint64_t records = 0, end = 0;  // the same for each rank
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    OTF2_EvtWriter* events = OTF2_Archive_GetEvtWriter(archive, rank);
    RankWriter writer(events, bytes);
    write_rank(writer, argv[2], rank, ranks, iterations, bytes);
    end = writer.finish();
    check(OTF2_EvtWriter_GetNumberOfEvents(events, &records));
    check(OTF2_Archive_CloseEvtWriter(archive, events));
  }
  check(OTF2_Archive_CloseEvtFiles(archive));
  write_definitions(archive, ranks, records, end);
  check(OTF2_Archive_Close(archive));
}
