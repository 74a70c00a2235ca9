#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/import/time_independent_action.h"

namespace morgana::time_independent {
namespace {

using Kind = CollectiveKind;

/// SMPI's waits and tests name a collective by a tag of its kind (src/smpi/include/private.hpp, where each is
/// one more); MPI_Ialltoallw, which is written as ialltoallv, has one of its own.
constexpr int scan_tag = -889, alltoallv_tag = -1001, alltoallw_tag = -1021;

struct KnownCollective {
  Kind kind;
  Call blocking, nonblocking;
  int tag;
};

const KnownCollective* find_collective(std::string_view name) {
  static const std::map<std::string, KnownCollective, std::less<>> all{
      {"barrier", {Kind::barrier, Call::MPI_Barrier, Call::MPI_Ibarrier, -779}},
      {"bcast", {Kind::broadcast, Call::MPI_Bcast, Call::MPI_Ibcast, -3335}},
      {"reduce", {Kind::reduce, Call::MPI_Reduce, Call::MPI_Ireduce, -113}},
      {"allreduce", {Kind::allreduce, Call::MPI_Allreduce, Call::MPI_Iallreduce, -4446}},
      {"scan", {Kind::scan, Call::MPI_Scan, Call::MPI_Iscan, scan_tag}},
      {"exscan", {Kind::exscan, Call::MPI_Exscan, Call::MPI_Iexscan, scan_tag}},
      {"alltoall", {Kind::alltoall, Call::MPI_Alltoall, Call::MPI_Ialltoall, -1113}},
      {"alltoallv", {Kind::alltoallv, Call::MPI_Alltoallv, Call::MPI_Ialltoallv, alltoallv_tag}},
      {"gather", {Kind::gather, Call::MPI_Gather, Call::MPI_Igather, -446}},
      {"gatherv", {Kind::gatherv, Call::MPI_Gatherv, Call::MPI_Igatherv, -2224}},
      {"scatter", {Kind::scatter, Call::MPI_Scatter, Call::MPI_Iscatter, -224}},
      {"scatterv", {Kind::scatterv, Call::MPI_Scatterv, Call::MPI_Iscatterv, -335}},
      {"allgather", {Kind::allgather, Call::MPI_Allgather, Call::MPI_Iallgather, -557}},
      {"allgatherv", {Kind::allgatherv, Call::MPI_Allgatherv, Call::MPI_Iallgatherv, -668}},
      {"reducescatter", {Kind::reduce_scatter, Call::MPI_Reduce_scatter, Call::MPI_Ireduce_scatter, -890}}};
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

std::vector<Bytes> sizes_of(const std::vector<std::int64_t>& counts, std::int64_t element) {
  std::vector<Bytes> bytes;
  for (const std::int64_t count : counts) bytes.push_back(Bytes(count * element));
  return bytes;
}

/// Behind the counts of an allgatherv stand two datatypes, or displacements, which move nothing, or both.
bool has_types_behind_counts(std::size_t left, std::size_t ranks) {
  constexpr std::size_t types = 2;
  return left <= types || left > ranks;
}

/// Reads the parameters of an action into the part. @return the flops that follow the collective
double read_parameters(Action& action, int rank, CollectivePart& part) {
  double combining = 0;
  switch (part.kind) {
    case Kind::barrier:
      break;
    case Kind::broadcast: {
      const std::int64_t count = action.count("the count");
      part.root = action.root();
      part.bytes = Bytes(count * action.type_size());
      break;
    }
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::scan:
    case Kind::exscan: {
      const std::int64_t count = action.count("the count");
      combining = action.number("what combining computes");
      if (part.kind == Kind::reduce) part.root = action.root();
      const std::int64_t element = action.type_size();
      part.bytes = Bytes(count * element);
      part.element = Bytes(std::max<std::int64_t>(element, 1));
      break;
    }
    case Kind::alltoall:
    case Kind::gather:
    case Kind::scatter:
    case Kind::allgather: {
      const std::int64_t sent = action.count("the count sent"), received = action.count("the count received");
      if (part.kind == Kind::gather || part.kind == Kind::scatter) part.root = action.root();
      const std::int64_t sent_element = action.type_size(), received_element = action.type_size();
      part.bytes =
          part.kind == Kind::scatter ? Bytes(received * received_element) : Bytes(sent * sent_element);
      break;
    }
    case Kind::gatherv:
    case Kind::allgatherv: {
      const std::int64_t sent = action.count("the count sent");
      const std::vector<std::int64_t> received = action.counts("a count received");
      if (part.kind == Kind::gatherv) part.root = action.root();
      const bool typed =
          part.kind == Kind::gatherv || has_types_behind_counts(action.left(), received.size());
      const std::int64_t sent_element = typed ? action.type_size() : action.default_type_size();
      const std::int64_t received_element = typed ? action.type_size() : sent_element;
      part.bytes = Bytes(sent * sent_element);
      if (part.kind == Kind::allgatherv || part.root == rank)
        part.receive_sizes = sizes_of(received, received_element);
      break;
    }
    case Kind::scatterv: {
      const std::vector<std::int64_t> sent = action.counts("a count sent");
      const std::int64_t received = action.count("the count received");
      part.root = action.root();
      const std::int64_t sent_element = action.type_size(), received_element = action.type_size();
      part.bytes = Bytes(received * received_element);
      if (part.root == rank) part.send_sizes = sizes_of(sent, sent_element);
      break;
    }
    case Kind::alltoallv: {
      action.count("the send buffer's size");
      const std::vector<std::int64_t> sent = action.counts("a count sent");
      action.count("the receive buffer's size");
      const std::vector<std::int64_t> received = action.counts("a count received");
      const std::int64_t sent_element = action.type_size(), received_element = action.type_size();
      part.send_sizes = sizes_of(sent, sent_element);
      part.receive_sizes = sizes_of(received, received_element);
      break;
    }
    default: {  // reduce_scatter
      const std::vector<std::int64_t> received = action.counts("a count received");
      combining = action.number("what combining computes");
      const std::int64_t element = action.type_size();
      part.send_sizes = sizes_of(received, element);
      part.element = Bytes(std::max<std::int64_t>(element, 1));
    }
  }
  return combining;
}

}  // namespace

std::optional<StartedCollective> collective_of(Action& action, int rank) {
  const KnownCollective* known = find_collective(action.name());
  StartedCollective started;
  if (known == nullptr && action.name().starts_with('i')) {
    known = find_collective(action.name().substr(1));
    started.blocks = false;
  }
  if (known == nullptr) return std::nullopt;
  started.wait_tag = known->tag;
  Operation& operation = started.operation;
  operation.kind = OperationKind::collective;
  operation.call = started.blocks ? known->blocking : known->nonblocking;
  operation.part = started.blocks ? CallPart::first : CallPart::whole;
  operation.collective.kind = known->kind;
  operation.collective.blocking = started.blocks;
  started.combining = read_parameters(action, rank, operation.collective);
  return started;
}

std::optional<int> collective_tag(int tag) {
  if (tag >= 0 || tag == any_tag_there) return std::nullopt;
  return tag == alltoallw_tag ? alltoallv_tag : tag;
}

}  // namespace morgana::time_independent
