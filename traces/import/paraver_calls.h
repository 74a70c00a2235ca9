#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "emulator/operations/operation.h"

namespace morgana::paraver {

/// What a call of MPI is to an importer of events.
enum class CallRole : std::uint8_t {
  ignored,      ///< only asks something, or makes or frees something of the rank's own
  send,         ///< waits until the message has gone
  isend,        ///< starts a send
  receive,      ///< waits for a message
  ireceive,     ///< starts a receive
  exchange,     ///< MPI_Sendrecv: both, and waits for them
  start,        ///< starts persistent requests
  wait,         ///< waits for one request
  wait_some,    ///< waits for one or several
  wait_all,     ///< waits for several
  test,         ///< may find requests complete
  collective,   ///< waits
  icollective,  ///< starts one
  file,         ///< on a file
  untold,       ///< says too little to be carried out (probes, one-sided communication), or is not known
};

struct KnownCall {
  std::string name = "?";
  Call call = Call::unknown;
  CallRole role = CallRole::untold;
  bool several = false;  ///< starts or completes any number of messages, not one
  SendMode mode = SendMode::standard;
  CollectiveKind kind = CollectiveKind::barrier;
};

/// The calls behind the values of the events of MPI (types 50000001 to 50000005).
class CallTable {
 public:
  /// Extrae's numbers, which a .pcf overrides.
  CallTable();
  /// Reads names of values. @throws Error if it can't be read
  void read_names(const std::filesystem::path& pcf);
  const KnownCall& operator[](std::int64_t value) const;

 private:
  std::map<std::int64_t, KnownCall> calls_;
};

/// Whether events of this type enter or leave calls of MPI.
bool is_mpi_type(std::int64_t type);

}  // namespace morgana::paraver
