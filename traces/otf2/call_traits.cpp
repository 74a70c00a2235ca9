#include "traces/otf2/call_traits.h"

#include <array>
#include <string>

namespace morgana {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "MPI_Ibcast" -> "bcast", "MPI_Allreduce_init" -> "allreduce", "MPI_Comm_dup" -> "comm_dup".
std::string plain_name(std::string_view name) {
  std::string plain(name.substr(4));
  if (plain.size() > 1 && plain[0] == 'I' && plain.rfind("Init", 0) != 0 && plain.rfind("Inter", 0) != 0)
    plain.erase(0, 1);
  if (!plain.empty() && plain[0] >= 'A' && plain[0] <= 'Z')
    plain[0] = static_cast<char>(plain[0] - 'A' + 'a');
  const std::size_t suffix = plain.rfind("_init");
  if (suffix != std::string::npos && suffix + 5 == plain.size()) plain.erase(suffix);
  return plain;
}

OTF2_RegionRole role_of(std::string_view name) {
  struct Role {
    std::string_view name;
    OTF2_RegionRole role;
  };
  static constexpr std::array roles{
      Role{"barrier", OTF2_REGION_ROLE_BARRIER},
      Role{"bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},
      Role{"scatter", OTF2_REGION_ROLE_COLL_ONE2ALL},
      Role{"scatterv", OTF2_REGION_ROLE_COLL_ONE2ALL},
      Role{"gather", OTF2_REGION_ROLE_COLL_ALL2ONE},
      Role{"gatherv", OTF2_REGION_ROLE_COLL_ALL2ONE},
      Role{"reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},
      Role{"allgather", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"allgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"alltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"alltoallw", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"reduce_scatter_block", OTF2_REGION_ROLE_COLL_ALL2ALL},
      Role{"scan", OTF2_REGION_ROLE_COLL_OTHER},
      Role{"exscan", OTF2_REGION_ROLE_COLL_OTHER},
      Role{"comm_create", OTF2_REGION_ROLE_COLL_OTHER},
      Role{"comm_dup", OTF2_REGION_ROLE_COLL_OTHER},
      Role{"comm_split", OTF2_REGION_ROLE_COLL_OTHER},
  };
  const std::string plain = plain_name(name);
  for (const Role& role : roles)
    if (role.name == plain) return role.role;
  if (plain.rfind("neighbor_", 0) == 0) return OTF2_REGION_ROLE_COLL_ALL2ALL;
  if (plain.rfind("win_", 0) == 0 || contains(name, "accumulate") || contains(name, "Accumulate"))
    return OTF2_REGION_ROLE_RMA;
  for (const std::string_view part : {"send", "recv", "Wait", "Test", "Start", "Cancel", "robe"})
    if (contains(name, part)) return OTF2_REGION_ROLE_POINT2POINT;
  return OTF2_REGION_ROLE_FUNCTION;
}

OTF2_RegionRole role_of_pvm(std::string_view name) {
  if (name == "pvm_barrier" || name == "pvm_freezegroup") return OTF2_REGION_ROLE_BARRIER;
  for (const std::string_view part : {"send", "recv", "mcast", "bcast", "probe"})
    if (contains(name, part) && !contains(name, "info") && name != "pvm_sendsig")
      return OTF2_REGION_ROLE_POINT2POINT;
  return OTF2_REGION_ROLE_FUNCTION;
}

SendMode mode_of(std::string_view name) {
  if (contains(name, "MPI_Ssend") || contains(name, "MPI_Issend")) return SendMode::synchronous;
  if (contains(name, "MPI_Bsend") || contains(name, "MPI_Ibsend")) return SendMode::buffered;
  if (contains(name, "MPI_Rsend") || contains(name, "MPI_Irsend")) return SendMode::ready;
  return SendMode::standard;
}

}  // namespace

CallTraits traits_of(std::string_view name) {
  CallTraits traits;
  if (name.rfind("pvm_", 0) == 0) {
    traits.paradigm = OTF2_PARADIGM_USER;  // OTF2 has none for PVM
    traits.role = role_of_pvm(name);
    traits.mode = SendMode::buffered;  // the library has copied what it sends
    return traits;
  }
  if (name.rfind("MPI_", 0) != 0) {
    traits.paradigm = OTF2_PARADIGM_USER;
    return traits;
  }
  traits.role = role_of(name);
  traits.mode = mode_of(name);
  if (contains(name, "Waitany") || contains(name, "Testany")) traits.completion = Completion::any;
  if (contains(name, "Waitsome") || contains(name, "Testsome")) traits.completion = Completion::some;
  traits.neighbourhood = contains(name, "eighbor_");
  traits.nonblocking = contains(name, "MPI_Start") || contains(name, "MPI_Isend") ||
                       contains(name, "MPI_Issend") || contains(name, "MPI_Ibsend") ||
                       contains(name, "MPI_Irsend");
  return traits;
}

Call call_of_region(std::string_view name) {
  if (name.size() > 2 && name.rfind("MPI_", 0) == 0 && name.substr(name.size() - 2) == "_c")
    name.remove_suffix(2);
  return call_named(name).value_or(Call::unknown);
}

namespace {

struct Collective {
  CollectiveKind kind;
  OTF2_CollectiveOp operation;
};

// In the order of CollectiveKind: a kind's line is its number.
constexpr std::array collectives{
    Collective{CollectiveKind::barrier, OTF2_COLLECTIVE_OP_BARRIER},
    Collective{CollectiveKind::broadcast, OTF2_COLLECTIVE_OP_BCAST},
    Collective{CollectiveKind::gather, OTF2_COLLECTIVE_OP_GATHER},
    Collective{CollectiveKind::gatherv, OTF2_COLLECTIVE_OP_GATHERV},
    Collective{CollectiveKind::scatter, OTF2_COLLECTIVE_OP_SCATTER},
    Collective{CollectiveKind::scatterv, OTF2_COLLECTIVE_OP_SCATTERV},
    Collective{CollectiveKind::allgather, OTF2_COLLECTIVE_OP_ALLGATHER},
    Collective{CollectiveKind::allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV},
    Collective{CollectiveKind::alltoall, OTF2_COLLECTIVE_OP_ALLTOALL},
    Collective{CollectiveKind::alltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV},
    Collective{CollectiveKind::alltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW},
    Collective{CollectiveKind::reduce, OTF2_COLLECTIVE_OP_REDUCE},
    Collective{CollectiveKind::allreduce, OTF2_COLLECTIVE_OP_ALLREDUCE},
    Collective{CollectiveKind::reduce_scatter, OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    Collective{CollectiveKind::reduce_scatter_block, OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    Collective{CollectiveKind::scan, OTF2_COLLECTIVE_OP_SCAN},
    Collective{CollectiveKind::exscan, OTF2_COLLECTIVE_OP_EXSCAN},
    Collective{CollectiveKind::neighbor_allgather, OTF2_COLLECTIVE_OP_ALLGATHER},
    Collective{CollectiveKind::neighbor_allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV},
    Collective{CollectiveKind::neighbor_alltoall, OTF2_COLLECTIVE_OP_ALLTOALL},
    Collective{CollectiveKind::neighbor_alltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV},
    Collective{CollectiveKind::neighbor_alltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW},
    Collective{CollectiveKind::create_context, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
};

}  // namespace

OTF2_CollectiveOp otf2_collective(CollectiveKind kind) {
  return collectives.at(static_cast<std::size_t>(kind)).operation;
}

std::optional<CollectiveKind> collective_kind(OTF2_CollectiveOp operation, bool neighbourhood) {
  if (operation == OTF2_COLLECTIVE_OP_ALLOCATE || operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE)
    return CollectiveKind::create_context;
  for (const Collective& collective : collectives)
    if (collective.operation == operation && is_neighbourhood(collective.kind) == neighbourhood)
      return collective.kind;
  return std::nullopt;
}

bool has_root(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::gather:
    case CollectiveKind::gatherv:
    case CollectiveKind::scatter:
    case CollectiveKind::scatterv:
    case CollectiveKind::reduce:
      return true;
    default:
      return false;
  }
}

bool is_neighbourhood(CollectiveKind kind) {
  return kind >= CollectiveKind::neighbor_allgather && kind <= CollectiveKind::neighbor_alltoallw;
}

bool is_reduction(CollectiveKind kind) {
  return kind >= CollectiveKind::reduce && kind <= CollectiveKind::exscan;
}

}  // namespace morgana
