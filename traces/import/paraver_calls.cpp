#include "traces/import/paraver_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "traces/import/mapped_text.h"

namespace morgana::paraver {
namespace {

/// By value, from 1 (include/mpi_event_encoding of Extrae).
constexpr std::array extrae_names{"MPI_Send",
                                  "MPI_Recv",
                                  "MPI_Isend",
                                  "MPI_Irecv",
                                  "MPI_Wait",
                                  "MPI_Waitall",
                                  "MPI_Bcast",
                                  "MPI_Barrier",
                                  "MPI_Reduce",
                                  "MPI_Allreduce",
                                  "MPI_Alltoall",
                                  "MPI_Alltoallv",
                                  "MPI_Gather",
                                  "MPI_Gatherv",
                                  "MPI_Scatter",
                                  "MPI_Scatterv",
                                  "MPI_Allgather",
                                  "MPI_Allgatherv",
                                  "MPI_Comm_rank",
                                  "MPI_Comm_size",
                                  "MPI_Comm_create",
                                  "MPI_Comm_dup",
                                  "MPI_Comm_split",
                                  "MPI_Comm_group",
                                  "MPI_Comm_free",
                                  "MPI_Comm_remote_group",
                                  "MPI_Comm_remote_size",
                                  "MPI_Comm_test_inter",
                                  "MPI_Comm_compare",
                                  "MPI_Scan",
                                  "MPI_Init",
                                  "MPI_Finalize",
                                  "MPI_Bsend",
                                  "MPI_Ssend",
                                  "MPI_Rsend",
                                  "MPI_Ibsend",
                                  "MPI_Issend",
                                  "MPI_Irsend",
                                  "MPI_Test",
                                  "MPI_Cancel",
                                  "MPI_Sendrecv",
                                  "MPI_Sendrecv_replace",
                                  "MPI_Cart_create",
                                  "MPI_Cart_shift",
                                  "MPI_Cart_coords",
                                  "MPI_Cart_get",
                                  "MPI_Cart_map",
                                  "MPI_Cart_rank",
                                  "MPI_Cart_sub",
                                  "MPI_Cartdim_get",
                                  "MPI_Dims_create",
                                  "MPI_Graph_get",
                                  "MPI_Graph_map",
                                  "MPI_Graph_create",
                                  "MPI_Graph_neighbors",
                                  "MPI_Graphdims_get",
                                  "MPI_Graph_neighbors_count",
                                  "MPI_Topo_test",
                                  "MPI_Waitany",
                                  "MPI_Waitsome",
                                  "MPI_Probe",
                                  "MPI_Iprobe",
                                  "MPI_Win_create",
                                  "MPI_Win_free",
                                  "MPI_Put",
                                  "MPI_Get",
                                  "MPI_Accumulate",
                                  "MPI_Win_fence",
                                  "MPI_Win_start",
                                  "MPI_Win_complete",
                                  "MPI_Win_post",
                                  "MPI_Win_wait",
                                  "MPI_Win_test",
                                  "MPI_Win_lock",
                                  "MPI_Win_unlock",
                                  "MPI_Pack",
                                  "MPI_Unpack",
                                  "MPI_Op_create",
                                  "MPI_Op_free",
                                  "MPI_Reduce_scatter",
                                  "MPI_Attr_delete",
                                  "MPI_Attr_get",
                                  "MPI_Attr_put",
                                  "MPI_Group_difference",
                                  "MPI_Group_excl",
                                  "MPI_Group_free",
                                  "MPI_Group_incl",
                                  "MPI_Group_intersection",
                                  "MPI_Group_rank",
                                  "MPI_Group_range_excl",
                                  "MPI_Group_range_incl",
                                  "MPI_Group_size",
                                  "MPI_Group_translate_ranks",
                                  "MPI_Group_union",
                                  "MPI_Group_compare",
                                  "MPI_Intercomm_create",
                                  "MPI_Intercomm_merge",
                                  "MPI_Keyval_free",
                                  "MPI_Keyval_create",
                                  "MPI_Abort",
                                  "MPI_Error_class",
                                  "MPI_Errhandler_create",
                                  "MPI_Errhandler_free",
                                  "MPI_Errhandler_get",
                                  "MPI_Error_string",
                                  "MPI_Errhandler_set",
                                  "MPI_Get_processor_name",
                                  "MPI_Initialized",
                                  "MPI_Wtick",
                                  "MPI_Wtime",
                                  "MPI_Address",
                                  "MPI_Bsend_init",
                                  "MPI_Buffer_attach",
                                  "MPI_Buffer_detach",
                                  "MPI_Request_free",
                                  "MPI_Recv_init",
                                  "MPI_Send_init",
                                  "MPI_Get_count",
                                  "MPI_Get_elements",
                                  "MPI_Pack_size",
                                  "MPI_Rsend_init",
                                  "MPI_Ssend_init",
                                  "MPI_Start",
                                  "MPI_Startall",
                                  "MPI_Testall",
                                  "MPI_Testany",
                                  "MPI_Test_cancelled",
                                  "MPI_Testsome",
                                  "MPI_Type_commit",
                                  "MPI_Type_contiguous",
                                  "MPI_Type_extent",
                                  "MPI_Type_free",
                                  "MPI_Type_hindexed",
                                  "MPI_Type_hvector",
                                  "MPI_Type_indexed",
                                  "MPI_Type_lb",
                                  "MPI_Type_size",
                                  "MPI_Type_struct",
                                  "MPI_Type_ub",
                                  "MPI_Type_vector",
                                  "MPI_File_open",
                                  "MPI_File_close",
                                  "MPI_File_read",
                                  "MPI_File_read_all",
                                  "MPI_File_write",
                                  "MPI_File_write_all",
                                  "MPI_File_read_at",
                                  "MPI_File_read_at_all",
                                  "MPI_File_write_at",
                                  "MPI_File_write_at_all",
                                  "MPI_Comm_spawn",
                                  "MPI_Comm_spawn_multiple",
                                  "MPI_Request_get_status",
                                  "MPI_Ireduce",
                                  "MPI_Iallreduce",
                                  "MPI_Ibarrier",
                                  "MPI_Ibcast",
                                  "MPI_Ialltoall",
                                  "MPI_Ialltoallv",
                                  "MPI_Iallgather",
                                  "MPI_Iallgatherv",
                                  "MPI_Igather",
                                  "MPI_Igatherv",
                                  "MPI_Iscatter",
                                  "MPI_Iscatterv",
                                  "MPI_Ireduce_scatter",
                                  "MPI_Iscan"};

struct NamedCollective {
  std::string_view name;
  CollectiveKind kind;
};
constexpr std::array named_collectives{NamedCollective{"bcast", CollectiveKind::broadcast},
                                       NamedCollective{"barrier", CollectiveKind::barrier},
                                       NamedCollective{"reduce", CollectiveKind::reduce},
                                       NamedCollective{"allreduce", CollectiveKind::allreduce},
                                       NamedCollective{"alltoall", CollectiveKind::alltoall},
                                       NamedCollective{"alltoallv", CollectiveKind::alltoallv},
                                       NamedCollective{"gather", CollectiveKind::gather},
                                       NamedCollective{"gatherv", CollectiveKind::gatherv},
                                       NamedCollective{"scatter", CollectiveKind::scatter},
                                       NamedCollective{"scatterv", CollectiveKind::scatterv},
                                       NamedCollective{"allgather", CollectiveKind::allgather},
                                       NamedCollective{"allgatherv", CollectiveKind::allgatherv},
                                       NamedCollective{"reduce_scatter", CollectiveKind::reduce_scatter},
                                       NamedCollective{"scan", CollectiveKind::scan}};

std::optional<CollectiveKind> collective_of_name(std::string_view name) {
  const auto found = std::ranges::find(named_collectives, name, &NamedCollective::name);
  return found == named_collectives.end() ? std::nullopt : std::optional(found->kind);
}

/// Sends by their names behind "MPI_" and "I", and what they are.
std::optional<SendMode> mode_of_send(std::string_view name) {
  if (name == "send") return SendMode::standard;
  if (name == "bsend") return SendMode::buffered;
  if (name == "ssend") return SendMode::synchronous;
  if (name == "rsend") return SendMode::ready;
  return std::nullopt;
}

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return name.starts_with(one); });
}

/// Calls that no other rank notices: they ask something, or make, change or free something of the rank's own.
/// Those that make persistent requests are among them, as the records of messages belong to what starts them.
bool is_harmless(std::string_view name) {
  constexpr std::array names{"address",
                             "alloc_mem",
                             "bsend_init",
                             "buffer_attach",
                             "buffer_detach",
                             "cart_coords",
                             "cart_get",
                             "cart_map",
                             "cart_rank",
                             "cart_shift",
                             "cartdim_get",
                             "comm_compare",
                             "comm_create_errhandler",
                             "comm_create_keyval",
                             "comm_delete_attr",
                             "comm_free",
                             "comm_free_keyval",
                             "comm_get_attr",
                             "comm_get_errhandler",
                             "comm_get_info",
                             "comm_get_name",
                             "comm_get_parent",
                             "comm_group",
                             "comm_rank",
                             "comm_remote_group",
                             "comm_remote_size",
                             "comm_set_attr",
                             "comm_set_errhandler",
                             "comm_set_info",
                             "comm_set_name",
                             "comm_size",
                             "comm_test_inter",
                             "dims_create",
                             "finalize",
                             "finalized",
                             "free_mem",
                             "get_address",
                             "get_count",
                             "get_elements",
                             "get_elements_x",
                             "get_library_version",
                             "get_processor_name",
                             "get_version",
                             "graph_get",
                             "graph_map",
                             "graph_neighbors",
                             "graph_neighbors_count",
                             "graphdims_get",
                             "init",
                             "init_thread",
                             "initialized",
                             "is_thread_main",
                             "op_commutative",
                             "op_create",
                             "op_free",
                             "pack",
                             "pack_size",
                             "pcontrol",
                             "query_thread",
                             "recv_init",
                             "request_free",
                             "request_get_status",
                             "rsend_init",
                             "send_init",
                             "ssend_init",
                             "test_cancelled",
                             "topo_test",
                             "unpack",
                             "wtick",
                             "wtime"};
  return std::ranges::find(names, name) != names.end() ||
         begins_with_any(
             name, {"attr_", "errhandler_", "error_", "group_", "info_", "keyval_", "status_", "type_"});
}

KnownCall known_call(const std::string& full_name) {
  KnownCall known;
  known.name = full_name;
  known.call = call_named(full_name).value_or(Call::unknown);
  std::string lower = full_name.substr(std::min<std::size_t>(4, full_name.size()));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string_view name = lower;
  const std::string_view started = name.starts_with('i') ? name.substr(1) : std::string_view();
  if (const auto mode = mode_of_send(name)) {
    known.role = CallRole::send;
    known.mode = *mode;
  } else if (const auto imode = mode_of_send(started)) {
    known.role = CallRole::isend;
    known.mode = *imode;
  } else if (const auto kind = collective_of_name(name)) {
    known.role = CallRole::collective;
    known.kind = *kind;
  } else if (const auto ikind = collective_of_name(started)) {
    known.role = CallRole::icollective;
    known.kind = *ikind;
  } else if (name == "recv") {
    known.role = CallRole::receive;
  } else if (name == "irecv") {
    known.role = CallRole::ireceive;
  } else if (name == "sendrecv" || name == "sendrecv_replace") {
    known.role = CallRole::exchange;
  } else if (name == "start" || name == "startall") {
    known.role = CallRole::start;
    known.several = name == "startall";
  } else if (name == "wait" || name == "waitany") {
    known.role = CallRole::wait;
  } else if (name == "waitsome") {
    known.role = CallRole::wait_some;
    known.several = true;
  } else if (name == "waitall") {
    known.role = CallRole::wait_all;
    known.several = true;
  } else if (name == "test" || name == "testany" || name == "testsome" || name == "testall") {
    known.role = CallRole::test;
    known.several = name == "testsome" || name == "testall";
  } else if (name.starts_with("file_")) {
    known.role = CallRole::file;
  } else if (is_harmless(name)) {
    known.role = CallRole::ignored;
  }
  return known;
}

}  // namespace

bool is_mpi_type(std::int64_t type) {
  constexpr std::int64_t first = 50000001, last = 50000005;
  return type >= first && type <= last;
}

CallTable::CallTable() {
  for (std::size_t i = 0; i < extrae_names.size(); ++i)
    calls_[static_cast<std::int64_t>(i) + 1] = known_call(extrae_names[i]);
}

/// Sections: EVENT_TYPE, lines "gradient type name", VALUES, lines "value name", and an empty line.
void CallTable::read_names(const std::filesystem::path& pcf) {
  MappedText text(pcf);
  bool of_mpi = false, values = false;
  while (const auto line = text.next_line()) {
    const auto words = words_of(*line);
    if (words.empty()) {
      of_mpi = values = false;
    } else if (words[0] == "EVENT_TYPE") {
      of_mpi = values = false;
    } else if (words[0] == "VALUES") {
      values = true;
    } else if (words.size() >= 2 && !values) {
      const auto type = parsed_number<std::int64_t>(words[1]);
      of_mpi = of_mpi || (type && is_mpi_type(*type));
    } else if (words.size() >= 2 && of_mpi) {
      const auto value = parsed_number<std::int64_t>(words[0]);
      if (value && *value > 0 && words[1].starts_with("MPI_"))
        calls_[*value] = known_call(std::string(words[1]));
    }
  }
}

const KnownCall& CallTable::operator[](std::int64_t value) const {
  static const KnownCall unknown;
  const auto found = calls_.find(value);
  return found == calls_.end() ? unknown : found->second;
}

}  // namespace morgana::paraver
