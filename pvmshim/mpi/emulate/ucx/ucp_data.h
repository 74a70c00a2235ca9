#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace morgana::mpi::emulated {

/// A datatype whose owner packs and unpacks it.
struct UcpOwnersType {
  ucp_generic_dt_ops_t does;
  void* context;
};

ucp_datatype_t handle_of(UcpOwnersType* type);
UcpOwnersType* owners_type(ucp_datatype_t type);

/// The datatype of a call; bytes if it names none.
ucp_datatype_t datatype_in(const ucp_request_param_t& how);

std::vector<std::byte> pack(const void* buffer, std::size_t count, ucp_datatype_t type);

/// An active message's two parts.
struct HeaderAndData {
  std::span<const std::byte> header, data;
};

/// Both parts as one letter's data, which says where the header ends.
std::vector<std::byte> with_header(const HeaderAndData& parts);
/// The parts of what with_header() made: views of `letter`. Nothing if it does not hold such a header.
std::optional<HeaderAndData> split(std::span<const std::byte> letter);

/// @return UCS_ERR_MESSAGE_TRUNCATED, and nothing unpacked, if there is not space for all of it
ucs_status_t unpack(std::span<const std::byte> data, void* buffer, std::size_t count, ucp_datatype_t type);

}  // namespace morgana::mpi::emulated
