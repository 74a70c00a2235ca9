#include <fmt/format.h>

#include "traces/import/dumpi/communicators.h"

namespace morgana::dumpi {
namespace {

bool makes_group(Function function) {
  return function == Function::comm_group ||
         (function >= Function::group_union && function <= Function::group_range_excl);
}

/// Why a call can't be carried out; null if it can.
const char* why_refused(Function function) {
  if (function >= Function::first_access && function <= Function::last_access)
    return "one-sided communication can't be imported; record the program with `morgana capture`";
  if (function >= Function::first_port && function <= Function::last_port)
    return "processes that join or are spawned can't be imported";
  if (function == Function::intercomm_create || function == Function::intercomm_merge)
    return "intercommunicators can't be imported; record the program with `morgana capture`";
  return nullptr;
}

/// Statuses of completions say what receives without a source or a tag got.
class WildcardReceives {
 public:
  explicit WildcardReceives(RankScan& scan) : scan_(scan) {}

  void see(const Record& record) {
    const auto& numbers = record.numbers;
    switch (record.function) {
      case Function::ireceive: {
        constexpr std::size_t source = 2, tag = 3, request = 5;
        if (numbers[source] < 0 || numbers[tag] < 0)
          posted_[numbers[request]] = record.offset;
        else
          posted_.erase(numbers[request]);
        break;
      }
      case Function::wait:
        complete(record, numbers[0], 0);
        break;
      case Function::test:
        if (numbers[1] != 0) complete(record, numbers[0], 0);
        break;
      case Function::waitany:
      case Function::testany:
        complete_one_of(record, numbers[1]);
        break;
      case Function::waitall:
        complete_all(record);
        break;
      case Function::testall:
        if (numbers[1] != 0) complete_all(record);
        break;
      case Function::waitsome:
      case Function::testsome:
        for (std::size_t i = 0; i < record.lists[1].size(); ++i)
          complete_one_of(record, record.lists[1][i], i);
        break;
      default:
        break;
    }
  }

 private:
  void complete_all(const Record& record) {
    for (std::size_t i = 0; i < record.lists[0].size(); ++i) complete(record, record.lists[0][i], i);
  }
  void complete_one_of(const Record& record, std::int64_t place, std::size_t status = 0) {
    if (place >= 0 && static_cast<std::size_t>(place) < record.lists[0].size())
      complete(record, record.lists[0][static_cast<std::size_t>(place)], status);
  }
  void complete(const Record& record, std::int64_t request, std::size_t status) {
    const auto posted = posted_.find(request);
    if (posted == posted_.end()) return;
    if (status < record.statuses.size()) scan_.got[posted->second] = record.statuses[status];
    posted_.erase(posted);
  }

  RankScan& scan_;
  std::unordered_map<std::int64_t, std::size_t> posted_;  ///< request -> offset of MPI_Irecv
};

}  // namespace

bool makes_communicator(Function function) {
  switch (function) {
    case Function::comm_dup:
    case Function::comm_create:
    case Function::comm_split:
    case Function::cart_create:
    case Function::graph_create:
    case Function::cart_sub:
      return true;
    default:
      return false;
  }
}

RankScan scan(RankFile& file) {
  RankScan result;
  WildcardReceives wildcards(result);
  Record record;
  file.rewind();
  while (file.next(record)) {
    if (const char* why = why_refused(record.function))
      file.refuse(record,
                  fmt::format("{}: {}", call_form(static_cast<std::uint16_t>(record.function)).name, why));
    if (makes_group(record.function) || makes_communicator(record.function))
      result.steps.push_back({record.offset, record.function, record.numbers, record.lists});
    else
      wildcards.see(record);
  }
  file.rewind();
  return result;
}

}  // namespace morgana::dumpi
