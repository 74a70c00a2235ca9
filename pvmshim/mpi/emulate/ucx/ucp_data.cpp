#include "pvmshim/mpi/emulate/ucx/ucp_data.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace morgana::mpi::emulated {
namespace {

ucp_datatype_t class_of(ucp_datatype_t type) {
  return type & UCP_DATATYPE_CLASS_MASK;
}

std::vector<std::byte> pack_pieces(const ucp_dt_iov_t* pieces, std::size_t count) {
  std::vector<std::byte> data;
  for (const ucp_dt_iov_t& piece : std::span(pieces, count)) {
    const auto* begin = static_cast<const std::byte*>(piece.buffer);
    data.insert(data.end(), begin, begin + piece.length);
  }
  return data;
}

ucs_status_t unpack_pieces(std::span<const std::byte> data, const ucp_dt_iov_t* pieces, std::size_t count) {
  for (const ucp_dt_iov_t& piece : std::span(pieces, count)) {
    const std::size_t size = std::min(piece.length, data.size());
    if (size > 0) std::memcpy(piece.buffer, data.data(), size);
    data = data.subspan(size);
  }
  return data.empty() ? UCS_OK : UCS_ERR_MESSAGE_TRUNCATED;
}

std::vector<std::byte> pack_owners(const UcpOwnersType& type, const void* buffer, std::size_t count) {
  void* const state = type.does.start_pack(type.context, buffer, count);
  std::vector<std::byte> data(type.does.packed_size(state));
  for (std::size_t done = 0; done < data.size();) {
    const std::size_t size = type.does.pack(state, done, data.data() + done, data.size() - done);
    if (size == 0) break;
    done += size;
  }
  type.does.finish(state);
  return data;
}

ucs_status_t unpack_owners(std::span<const std::byte> data, const UcpOwnersType& type, void* buffer,
                           std::size_t count) {
  void* const state = type.does.start_unpack(type.context, buffer, count);
  ucs_status_t status = UCS_ERR_MESSAGE_TRUNCATED;
  if (data.size() <= type.does.packed_size(state))
    status = type.does.unpack(state, 0, data.data(), data.size());
  type.does.finish(state);
  return status;
}

}  // namespace

ucp_datatype_t handle_of(UcpOwnersType* type) {
  return reinterpret_cast<std::uintptr_t>(type) | UCP_DATATYPE_GENERIC;
}

UcpOwnersType* owners_type(ucp_datatype_t type) {
  return reinterpret_cast<UcpOwnersType*>(type & ~static_cast<ucp_datatype_t>(UCP_DATATYPE_CLASS_MASK));
}

ucp_datatype_t datatype_in(const ucp_request_param_t& how) {
  return (how.op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE) != 0 ? how.datatype : ucp_dt_make_contig(1);
}

std::vector<std::byte> pack(const void* buffer, std::size_t count, ucp_datatype_t type) {
  if (class_of(type) == UCP_DATATYPE_GENERIC) return pack_owners(*owners_type(type), buffer, count);
  if (class_of(type) == UCP_DATATYPE_IOV) return pack_pieces(static_cast<const ucp_dt_iov_t*>(buffer), count);
  const auto* begin = static_cast<const std::byte*>(buffer);
  return {begin, begin + count * (type >> UCP_DATATYPE_SHIFT)};
}

std::vector<std::byte> with_header(const HeaderAndData& parts) {
  const std::uint64_t length = parts.header.size();
  std::vector<std::byte> letter(sizeof length);
  std::memcpy(letter.data(), &length, sizeof length);
  letter.reserve(letter.size() + parts.header.size() + parts.data.size());
  letter.insert(letter.end(), parts.header.begin(), parts.header.end());
  letter.insert(letter.end(), parts.data.begin(), parts.data.end());
  return letter;
}

std::optional<HeaderAndData> split(std::span<const std::byte> letter) {
  std::uint64_t length = 0;
  if (letter.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, letter.data(), sizeof length);
  const auto parts = letter.subspan(sizeof length);
  if (length > parts.size()) return std::nullopt;
  return HeaderAndData{parts.first(length), parts.subspan(length)};
}

ucs_status_t unpack(std::span<const std::byte> data, void* buffer, std::size_t count, ucp_datatype_t type) {
  if (class_of(type) == UCP_DATATYPE_GENERIC) return unpack_owners(data, *owners_type(type), buffer, count);
  if (class_of(type) == UCP_DATATYPE_IOV)
    return unpack_pieces(data, static_cast<const ucp_dt_iov_t*>(buffer), count);
  if (data.size() > count * (type >> UCP_DATATYPE_SHIFT)) return UCS_ERR_MESSAGE_TRUNCATED;
  if (!data.empty()) std::memcpy(buffer, data.data(), data.size());
  return UCS_OK;
}

}  // namespace morgana::mpi::emulated
