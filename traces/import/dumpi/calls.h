#pragma once

#include <cstdint>
#include <string_view>

/// DUMPI traces: what SST's library libdumpi records of an MPI program (dumpi/common of sst-dumpi, versions
/// 0.6 to 8).
namespace morgana::dumpi {

/// Numbers of the calls that this importer treats by themselves; the other ones have a name and a layout
/// only.
enum class Function : std::uint16_t {
  send = 0,
  receive = 1,
  get_count = 2,
  bsend = 3,
  ssend = 4,
  rsend = 5,
  isend = 8,
  ibsend = 9,
  issend = 10,
  irsend = 11,
  ireceive = 12,
  wait = 13,
  test = 14,
  request_free = 15,
  waitany = 16,
  testany = 17,
  waitall = 18,
  testall = 19,
  waitsome = 20,
  testsome = 21,
  iprobe = 22,
  probe = 23,
  cancel = 24,
  send_init = 26,
  bsend_init = 27,
  ssend_init = 28,
  rsend_init = 29,
  receive_init = 30,
  start = 31,
  startall = 32,
  sendrecv = 33,
  sendrecv_replace = 34,
  type_contiguous = 35,
  type_vector = 36,
  type_hvector = 37,
  type_indexed = 38,
  type_hindexed = 39,
  type_struct = 40,
  type_size = 43,
  type_free = 47,
  barrier = 52,
  broadcast = 53,
  gather = 54,
  gatherv = 55,
  scatter = 56,
  scatterv = 57,
  allgather = 58,
  allgatherv = 59,
  alltoall = 60,
  alltoallv = 61,
  reduce = 62,
  op_create = 63,
  allreduce = 65,
  reduce_scatter = 66,
  scan = 67,
  comm_group = 72,
  group_union = 73,
  group_intersection = 74,
  group_difference = 75,
  group_incl = 76,
  group_excl = 77,
  group_range_incl = 78,
  group_range_excl = 79,
  comm_size = 81,
  comm_rank = 82,
  comm_dup = 84,
  comm_create = 85,
  comm_split = 86,
  intercomm_create = 91,
  intercomm_merge = 92,
  cart_create = 99,
  graph_create = 101,
  cart_get = 105,
  cart_shift = 110,
  cart_sub = 111,
  init = 124,
  finalize = 125,
  pcontrol = 128,
  first_port = 129,  ///< up to last_port: ports, joining and spawning
  comm_disconnect = 132,
  comm_get_parent = 133,
  last_port = 140,
  first_access = 141,  ///< up to last_access: one-sided communication
  last_access = 154,
  alltoallw = 155,
  exscan = 156,
  init_thread = 171,
  type_dup = 178,
  type_create_hindexed = 218,
  type_create_hvector = 219,
  type_create_indexed_block = 220,
  type_create_resized = 221,
  type_create_struct = 222,
  type_create_subarray = 223,
  first_of_files = 230,  ///< up to last_of_files: calls on files, waiting for them included
  last_of_files = 289,
  function_enter = 291,  ///< of the program itself, no call of MPI
  function_exit = 292,
  end_of_stream = 293,
};

/// How a call's arguments follow each other in a record, a letter each:
/// 1, 2, 4, 8: a number of that many bytes; a: a list of 4-byte numbers, h: of 2-byte ones, b: of bytes;
/// r: a list of such lists (of a); s: a string, v: a list of strings; S: statuses; {n...}: only where the
/// n-th number (from 0) equals the first, that is at the root.
struct CallForm {
  const char* name;
  const char* layout;  ///< null: no such record is known
};

/// @param number  of the function; below Function::end_of_stream
const CallForm& call_form(std::uint16_t number);

}  // namespace morgana::dumpi
