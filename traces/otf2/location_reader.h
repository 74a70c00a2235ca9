#pragma once

#include <otf2/otf2.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/otf2/trace_definitions.h"
#include "traces/otf2/trace_record.h"
#include "traces/otf2/trace_requests.h"

namespace morgana {

/// Locations whose number of records is another than the trace's definitions announce.
struct MiscountedLocations {
  struct Counts {
    std::uint64_t announced = 0, held = 0;
  };
  std::map<Rank, Counts> ranks;
};

/// The records of one rank, read as far as they are asked for. Records are numbered from 0 as they come;
/// those that have been released are gone. Memory: what lies between the last release and the furthest
/// record asked for.
class LocationReader {
 public:
  /// @param bytes  of the location's file: it can't hold more records
  /// @param held  records in it by its own account, if that is known
  /// @param miscounted  must outlive this
  LocationReader(OTF2_Reader* reader, const TraceDefinitions& definitions, Rank rank, std::uint64_t bytes,
                 std::optional<std::uint64_t> held, MiscountedLocations& miscounted);
  ~LocationReader();
  LocationReader(const LocationReader&) = delete;
  LocationReader& operator=(const LocationReader&) = delete;

  /// Reads on if need be. @return nothing after the last record. Valid until the next call of at(),
  /// read_on() or release().
  /// @throws Error naming location and record
  const TraceRecord* at(std::size_t place) {
    while (place >= first_ + records_.size())
      if (!read_on()) return nullptr;
    return &records_[place - first_];
  }
  /// Reads some further records ahead. @return false at the end
  bool read_on();
  /// The record at `place`, or those before it, won't be asked for again.
  void release(std::size_t place);

  /// Valid as long as the record is.
  TraceExtras extras(const TraceRecord& record) const {
    if (record.extras == 0) return {};
    return {record.present, &extras_[record.extras - 1 - first_extras_]};
  }

  /// Time of the location's last record so far, of any kind.
  SimTime last_time() const { return last_time_; }
  /// When the rank's program began, once that was read; 0 if the trace does not say.
  SimTime begin_time() const { return begin_; }
  /// Records read so far, of any kind.
  std::uint64_t records_read() const { return last_number_; }
  Rank rank() const { return rank_; }
  const TraceDefinitions& definitions() const { return definitions_; }
  /// @throws Error that names this location and the record
  [[noreturn]] void fail(std::uint64_t record, const std::string& what) const;

 private:
  friend class LocationCallbacks;
  /// What a request waits for: the record that started it.
  struct Open {
    std::uint64_t place = 0;
    TraceRecord::Kind kind = TraceRecord::Kind::isend;
  };

  void check_count();
  bool new_record(TraceRecord::Kind kind, std::uint64_t ticks, std::uint64_t number,
                  OTF2_AttributeList* list);
  bool advance(std::uint64_t ticks, std::uint64_t number);
  void read_attributes(OTF2_AttributeList* list);
  bool set_peer(std::uint32_t place, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t length);
  bool set_collective(OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
                      std::uint64_t sent, std::uint64_t received);
  bool set_access(std::uint64_t there, std::uint64_t back);
  bool start_request(std::uint64_t request);
  bool end_request(TraceRecord::Kind started_by, std::uint64_t request);
  bool take_posted_attributes();
  bool complain(std::string what);

  OTF2_Reader* reader_;
  OTF2_EvtReader* events_;
  const TraceDefinitions& definitions_;
  Rank rank_;
  std::uint64_t bytes_;
  std::optional<std::uint64_t> held_;
  MiscountedLocations& miscounted_;
  std::vector<TraceRecord> records_;
  std::vector<std::int64_t> extras_;  ///< values of the records' attributes
  std::size_t first_ = 0, first_extras_ = 0;
  TraceRequests<Open> open_;
  std::uint64_t origin_ = 0, last_ticks_ = 0, last_number_ = 0, read_ = 0;
  SimTime last_time_, begin_;
  bool ended_ = false;
  std::string complaint_;
};

}  // namespace morgana
