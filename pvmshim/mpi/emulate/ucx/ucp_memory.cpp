// UCX's functions as MPICH calls them (ucp_process.cpp): memory of windows. The emulator moves the data of
// all accesses itself, so that nobody reaches another's memory this way.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "pvmshim/mpi/emulate/ucx/ucp_calls.h"

namespace morgana::mpi::emulated {
namespace {

struct UcpMemory {
  void* address = nullptr;
  std::size_t length = 0;
  std::unique_ptr<std::byte[]> own;
};

UcpMemory& ucp_memory_of(ucp_mem_h memory) {
  return *reinterpret_cast<UcpMemory*>(memory);
}

}  // namespace

MORGANA_UCX ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t* parameters,
                                     ucp_mem_h* memory) {
  MORGANA_UCX_ITSELF(ucp_mem_map, context, parameters, memory)
  auto mapped = std::make_unique<UcpMemory>();
  // As UCX does: no bytes lie nowhere. (MPICH frees what it allocated where this does.)
  if (parameters->length > 0) {
    mapped->address = parameters->address;
    mapped->length = parameters->length;
    if (mapped->address == nullptr) {
      mapped->own = std::make_unique<std::byte[]>(mapped->length);
      mapped->address = mapped->own.get();
    }
  }
  *memory = reinterpret_cast<ucp_mem_h>(mapped.release());
  return UCS_OK;
}

MORGANA_UCX ucs_status_t ucp_mem_query(const ucp_mem_h memory, ucp_mem_attr_t* about) {
  MORGANA_UCX_ITSELF(ucp_mem_query, memory, about)
  about->address = ucp_memory_of(memory).address;
  about->length = ucp_memory_of(memory).length;
  return UCS_OK;
}

MORGANA_UCX ucs_status_t ucp_mem_unmap(ucp_context_h context, ucp_mem_h memory) {
  MORGANA_UCX_ITSELF(ucp_mem_unmap, context, memory)
  delete &ucp_memory_of(memory);
  return UCS_OK;
}

MORGANA_UCX ucs_status_t ucp_rkey_pack(ucp_context_h context, ucp_mem_h memory, void** key,
                                       std::size_t* size) {
  MORGANA_UCX_ITSELF(ucp_rkey_pack, context, memory, key, size)
  *size = 1;
  *key = std::calloc(1, *size);
  return UCS_OK;
}

MORGANA_UCX void ucp_rkey_buffer_release(void* key) {
  MORGANA_UCX_ITSELF(ucp_rkey_buffer_release, key)
  std::free(key);
}

MORGANA_UCX ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h endpoint, const void* packed, ucp_rkey_h* key) {
  MORGANA_UCX_ITSELF(ucp_ep_rkey_unpack, endpoint, packed, key)
  *key = reinterpret_cast<ucp_rkey_h>(endpoint);
  return UCS_OK;
}

MORGANA_UCX void ucp_rkey_destroy(ucp_rkey_h key){MORGANA_UCX_ITSELF(ucp_rkey_destroy, key)}

MORGANA_UCX ucs_status_t
    ucp_put(ucp_ep_h to, const void* buffer, std::size_t length, std::uint64_t address, ucp_rkey_h key) {
  MORGANA_UCX_ITSELF(ucp_put, to, buffer, length, address, key)
  return UCS_ERR_UNSUPPORTED;
}

MORGANA_UCX ucs_status_t ucp_put_nbi(ucp_ep_h to, const void* buffer, std::size_t length,
                                     std::uint64_t address, ucp_rkey_h key) {
  MORGANA_UCX_ITSELF(ucp_put_nbi, to, buffer, length, address, key)
  return UCS_ERR_UNSUPPORTED;
}

MORGANA_UCX ucs_status_t ucp_get_nbi(ucp_ep_h to, void* buffer, std::size_t length, std::uint64_t address,
                                     ucp_rkey_h key) {
  MORGANA_UCX_ITSELF(ucp_get_nbi, to, buffer, length, address, key)
  return UCS_ERR_UNSUPPORTED;
}

MORGANA_UCX ucs_status_ptr_t ucp_put_nb(ucp_ep_h to, const void* buffer, std::size_t length,
                                        std::uint64_t address, ucp_rkey_h key, ucp_send_callback_t callback) {
  MORGANA_UCX_ITSELF(ucp_put_nb, to, buffer, length, address, key, callback)
  return UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED);
}

MORGANA_UCX ucs_status_ptr_t ucp_get_nb(ucp_ep_h to, void* buffer, std::size_t length, std::uint64_t address,
                                        ucp_rkey_h key, ucp_send_callback_t callback) {
  MORGANA_UCX_ITSELF(ucp_get_nb, to, buffer, length, address, key, callback)
  return UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED);
}

}  // namespace morgana::mpi::emulated
