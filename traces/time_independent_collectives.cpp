#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/time_independent_action.h"

namespace morgana::time_independent {

std::optional<Operation> collective_of(Action& action, int rank, double& combining) {
  struct Known {
    CollectiveKind kind;
    Call call;
  };
  using Kind = CollectiveKind;
  static const std::map<std::string, Known, std::less<>> all{
      {"barrier", {Kind::barrier, Call::MPI_Barrier}},
      {"bcast", {Kind::broadcast, Call::MPI_Bcast}},
      {"reduce", {Kind::reduce, Call::MPI_Reduce}},
      {"allreduce", {Kind::allreduce, Call::MPI_Allreduce}},
      {"scan", {Kind::scan, Call::MPI_Scan}},
      {"exscan", {Kind::exscan, Call::MPI_Exscan}},
      {"alltoall", {Kind::alltoall, Call::MPI_Alltoall}},
      {"alltoallv", {Kind::alltoallv, Call::MPI_Alltoallv}},
      {"gather", {Kind::gather, Call::MPI_Gather}},
      {"gatherv", {Kind::gatherv, Call::MPI_Gatherv}},
      {"scatter", {Kind::scatter, Call::MPI_Scatter}},
      {"scatterv", {Kind::scatterv, Call::MPI_Scatterv}},
      {"allgather", {Kind::allgather, Call::MPI_Allgather}},
      {"allgatherv", {Kind::allgatherv, Call::MPI_Allgatherv}},
      {"reducescatter", {Kind::reduce_scatter, Call::MPI_Reduce_scatter}}};
  const auto known = all.find(action.name());
  if (known == all.end()) return std::nullopt;
  Operation operation;
  operation.kind = OperationKind::collective;
  operation.call = known->second.call;
  CollectivePart& part = operation.collective;
  part.kind = known->second.kind;
  const auto sizes = [](const std::vector<std::int64_t>& counts, std::int64_t element) {
    std::vector<Bytes> bytes;
    for (const std::int64_t count : counts) bytes.push_back(Bytes(count * element));
    return bytes;
  };
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
      part.element = Bytes(element);
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
      const std::int64_t sent_element = action.type_size(), received_element = action.type_size();
      part.bytes = Bytes(sent * sent_element);
      if (part.kind == Kind::allgatherv || part.root == rank)
        part.receive_sizes = sizes(received, received_element);
      break;
    }
    case Kind::scatterv: {
      const std::vector<std::int64_t> sent = action.counts("a count sent");
      const std::int64_t received = action.count("the count received");
      part.root = action.root();
      const std::int64_t sent_element = action.type_size(), received_element = action.type_size();
      part.bytes = Bytes(received * received_element);
      if (part.root == rank) part.send_sizes = sizes(sent, sent_element);
      break;
    }
    case Kind::alltoallv: {
      action.count("the send buffer's size");
      const std::vector<std::int64_t> sent = action.counts("a count sent");
      action.count("the receive buffer's size");
      const std::vector<std::int64_t> received = action.counts("a count received");
      const std::int64_t sent_element = action.type_size(), received_element = action.type_size();
      part.send_sizes = sizes(sent, sent_element);
      part.receive_sizes = sizes(received, received_element);
      break;
    }
    default: {  // reduce_scatter
      const std::vector<std::int64_t> received = action.counts("a count received");
      combining = action.number("what combining computes");
      const std::int64_t element = action.type_size();
      part.send_sizes = sizes(received, element);
      part.element = Bytes(element);
    }
  }
  operation.part = CallPart::first;
  return operation;
}

}  // namespace morgana::time_independent
