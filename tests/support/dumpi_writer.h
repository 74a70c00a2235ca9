#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace morgana::testing {

/// A big-endian number of so many bytes.
inline std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}
// Arguments of records, as the letters of dumpi::CallForm name them.
inline std::string n1(std::int64_t value) {
  return big_endian(static_cast<std::uint64_t>(value), 1);
}
inline std::string n2(std::int64_t value) {
  return big_endian(static_cast<std::uint64_t>(value), 2);
}
inline std::string n4(std::int64_t value) {
  return big_endian(static_cast<std::uint64_t>(value), 4);
}
inline std::string list_of(std::initializer_list<int> values) {
  std::string text = n4(static_cast<std::int64_t>(values.size()));
  for (const int value : values) text += n4(value);
  return text;
}
inline std::string no_status() {
  return n4(0);
}
/// A status as one of several: without their number.
inline std::string status(std::int64_t bytes, int source, int tag, bool cancelled = false) {
  return n4(bytes) + n4(source) + n1(cancelled ? 1 : 0) + n1(0) + n4(tag);
}

constexpr int dumpi_char = 2, dumpi_int = 9, dumpi_double = 14, dumpi_own_type = 28;

/// Numbers of calls by the list in dumpi/common/funclabels.h of sst-dumpi, not by the reader's own.
namespace number {
constexpr int send = 0, recv = 1, bsend = 3, isend = 8, irecv = 12, wait = 13, test = 14, request_free = 15,
              waitany = 16, testany = 17, waitall = 18, testall = 19, waitsome = 20, testsome = 21,
              iprobe = 22, probe = 23, cancel = 24, ssend_init = 28, recv_init = 30, start = 31,
              startall = 32, sendrecv = 33, sendrecv_replace = 34, type_vector = 36, type_struct = 40,
              barrier = 52, bcast = 53, gather = 54, gatherv = 55, scatter = 56, scatterv = 57,
              allgather = 58, allgatherv = 59, alltoall = 60, alltoallv = 61, reduce = 62, op_create = 63,
              allreduce = 65, reduce_scatter = 66, scan = 67, comm_group = 72, group_union = 73,
              group_intersection = 74, group_difference = 75, group_incl = 76, group_excl = 77,
              group_range_incl = 78, group_range_excl = 79, comm_size = 81, comm_rank = 82, comm_dup = 84,
              comm_create = 85, comm_split = 86, cart_create = 99, cart_shift = 110, cart_sub = 111,
              init = 124, finalize = 125, comm_disconnect = 132, comm_get_parent = 133, put = 143,
              alltoallw = 155, exscan = 156, file_close = 231, end_of_stream = 293;
}  // namespace number

/// The file of one rank, as libdumpi 8.1 writes it: wall times, statuses and threads.
class DumpiRank {
 public:
  /// A call that begins `gap` ns after the call before it has ended, and takes 10 ns.
  DumpiRank& call(int function, const std::string& arguments = {}, std::int64_t gap = 0, int thread = 0) {
    constexpr int wall_time = 8, thread_number = 64, statuses = 3, duration = 10;
    clock_ += gap;
    records_ += n2(function) + n1(wall_time | thread_number | statuses) + n2(thread) + time(clock_) +
                time(clock_ + duration) + arguments;
    clock_ += duration;
    return *this;
  }
  /// @param sizes  bytes of an element, by type's number
  /// @param version  of libdumpi: 810 is 8.1.0
  std::string file(const std::vector<int>& sizes = {}, int version = 810) const {
    const std::string magic =
        "\xff\xaa\xdd"
        "DUMPI";
    std::string text = magic + n4(0) + n4(1000) + records_ + n2(number::end_of_stream);
    const std::size_t header = text.size();
    text += n1(version / 100) + n1(version / 10 % 10) + n1(version % 10) + big_endian(1558551283, 8) + n2(4) +
            "host" + n2(4) + "user" + n4(0) + n4(0);
    const std::size_t footer = text.size();
    text += big_endian(0xf007fee7, 8);
    const std::size_t size_table = sizes.empty() ? 0 : text.size();
    if (!sizes.empty()) {
      text += n4(static_cast<std::int64_t>(sizes.size()));
      for (const int size : sizes) text += n4(size);
    }
    text += magic;
    for (const std::size_t offset :
         {size_table, std::size_t{0}, std::size_t{0}, header, magic.size(), footer, std::size_t{0}})
      text += big_endian(offset, 8);
    return text;
  }

 private:
  static std::string time(std::int64_t ns) {
    constexpr std::int64_t second = 1'000'000'000;
    return n2(ns / second) + n4(ns % second);
  }

  std::string records_;
  std::int64_t clock_ = 0;
};

/// Writes the files of ranks and t.meta. @return the name of that
inline std::string write_dumpi(const TemporaryFolder& folder, const std::vector<std::string>& files) {
  for (std::size_t rank = 0; rank < files.size(); ++rank)
    folder.write("t-000" + std::to_string(rank) + ".bin", files[rank]);
  return folder.write("t.meta", "hostname=host\nnumprocs=" + std::to_string(files.size()) +
                                    "\nusername=user\nstartime=1558551283\nfileprefix=t\nversion=8\n"
                                    "subversion=1\nsubsubversion=0\n");
}

/// Four ranks in a ring, of which those of even and of odd numbers have a communicator, backwards: a message
/// of 100 doubles to the next rank, an allreduce of 5 ints and a message of 10 characters within each half,
/// and a broadcast of 3 doubles by rank 1.
inline std::vector<std::string> dumpi_ring() {
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) {
    constexpr int world = 2, half = 4;
    DumpiRank calls;
    calls.call(number::init, n4(1) + n4(3) + "app");
    calls.call(number::comm_rank, n2(world) + n4(rank), 50);
    calls.call(number::comm_split, n2(world) + n4(rank % 2) + n4(-rank) + n2(half), 50);
    calls.call(number::isend, n4(100) + n2(dumpi_double) + n4((rank + 1) % 4) + n4(7) + n2(world) + n4(2),
               1000);
    calls.call(number::irecv, n4(100) + n2(dumpi_double) + n4(-1) + n4(-1) + n2(world) + n4(3));
    calls.call(number::waitall,
               n4(2) + list_of({2, 3}) + n4(2) + status(12345, 9, 9) + status(800, (rank + 3) % 4, 7));
    calls.call(number::allreduce, n4(5) + n2(dumpi_int) + n1(3) + n2(half), 2000);
    if (rank >= 2)  // the first of its half
      calls.call(number::send, n4(10) + n2(dumpi_char) + n4(1) + n4(1) + n2(half));
    else
      calls.call(number::recv, n4(10) + n2(dumpi_char) + n4(0) + n4(1) + n2(half) + no_status());
    calls.call(number::bcast, n4(3) + n2(dumpi_double) + n4(1) + n2(world));
    calls.call(number::finalize, "", 3000);
    files.push_back(calls.file());
  }
  return files;
}

}  // namespace morgana::testing
