// UCX's functions as MPICH calls them: what there is of one for each process. In an emulated run they are
// answered here and in ucp_messages.cpp and ucp_memory.cpp: UCX would map memory of every other rank into
// each, and never yields the processor while it waits.

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/channel/letter_address.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/mpi/emulate/ucx/business_cards.h"
#include "pvmshim/mpi/emulate/ucx/link_table.h"
#include "pvmshim/mpi/emulate/ucx/ucp_calls.h"
#include "pvmshim/mpi/emulate/ucx/unlocked_naps.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/symbols.h"
#include "pvmshim/mpi/told.h"

namespace morgana::mpi::emulated {
namespace {

std::unique_ptr<UcpWorker> the_worker;

/// Of the run, on this machine. Empty if there is none.
std::string run_name() {
  const char* path = told(RankChannel::path_variable);
  return path == nullptr ? "" : name_of_run(path);
}

int own_rank_in_world() {
  const char* rank = std::getenv("PMI_RANK");
  return rank == nullptr ? 0 : std::atoi(rank);
}

/// Whether this library has an answer to all that MPICH asks of UCX: another MPICH asks more.
bool answers_all_of_mpichs_calls() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&answers_all_of_mpichs_calls), &own) == 0) return false;
  void* const library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  const std::vector<std::string> asked = functions_called_by("libmpich.so", "ucp_");
  return library != nullptr && !asked.empty() && std::ranges::all_of(asked, [&](const std::string& name) {
           Dl_info found{};
           const void* const function = libc_dlsym(library, name.c_str());
           return function != nullptr && dladdr(function, &found) != 0 && found.dli_fbase == own.dli_fbase;
         });
}

}  // namespace

bool letters_carry_mpich() {
  static const bool decided = [] {
    if (mode() != Mode::emulate) return false;
    const char* const wanted = std::getenv("MORGANA_MPICH_MESSAGES");
    if (wanted != nullptr && std::string_view(wanted) == "ucx") return false;
    return !run_name().empty() && answers_all_of_mpichs_calls();
  }();
  return decided;
}

void* ucx_function_named(const char* name) {
  void* const library = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD);
  return libc_dlsym(library == nullptr ? RTLD_NEXT : library, name);
}

UcpWorker& ucp_worker() {
  return *the_worker;
}

MORGANA_UCX ucs_status_t ucp_config_read(const char* prefix, const char* file, ucp_config_t** config) {
  MORGANA_UCX_ITSELF(ucp_config_read, prefix, file, config)
  *config = nullptr;
  return UCS_OK;
}

MORGANA_UCX void ucp_config_release(ucp_config_t* config){MORGANA_UCX_ITSELF(ucp_config_release, config)}

MORGANA_UCX ucs_status_t ucp_init_version(unsigned major, unsigned minor, const ucp_params_t* parameters,
                                          const ucp_config_t* config, ucp_context_h* context) {
  MORGANA_UCX_ITSELF(ucp_init_version, major, minor, parameters, config, context)
  try {
    the_worker = std::make_unique<UcpWorker>(*parameters, run_name(), own_rank_in_world());
  } catch (const Error& failure) {
    fail(failure.what());  // MPICH's frames are no place to throw through
  }
  see_mpich_unlock([](std::chrono::microseconds longest) {
    if (the_worker != nullptr) the_worker->await_arrival(longest);
  });
  *context = reinterpret_cast<ucp_context_h>(the_worker.get());
  return UCS_OK;
}

MORGANA_UCX void ucp_cleanup(ucp_context_h context) {
  MORGANA_UCX_ITSELF(ucp_cleanup, context)
  the_worker.reset();
}

MORGANA_UCX ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t* parameters,
                                           ucp_worker_h* worker) {
  MORGANA_UCX_ITSELF(ucp_worker_create, context, parameters, worker)
  *worker = reinterpret_cast<ucp_worker_h>(context);
  return UCS_OK;
}

MORGANA_UCX void ucp_worker_destroy(ucp_worker_h worker){MORGANA_UCX_ITSELF(ucp_worker_destroy, worker)}

MORGANA_UCX ucs_status_t
    ucp_worker_get_address(ucp_worker_h worker, ucp_address_t** address, std::size_t* length) {
  MORGANA_UCX_ITSELF(ucp_worker_get_address, worker, address, length)
  static BusinessCard own;
  own = business_card(own_rank_in_world());
  answer_for_business_cards(own_rank_in_world());
  *address = reinterpret_cast<ucp_address_t*>(own.data());
  *length = own.size();
  return UCS_OK;
}

// The address is this process's own, for as long as it lives.
MORGANA_UCX void ucp_worker_release_address(ucp_worker_h worker, ucp_address_t* address){
    MORGANA_UCX_ITSELF(ucp_worker_release_address, worker, address)}

MORGANA_UCX ucs_status_t
    ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t* parameters, ucp_ep_h* endpoint) {
  MORGANA_UCX_ITSELF(ucp_ep_create, worker, parameters, endpoint)
  BusinessCard card;
  std::memcpy(card.data(), parameters->address, card.size());
  *endpoint = endpoint_of(rank_on(card));
  return UCS_OK;
}

MORGANA_UCX ucs_status_ptr_t ucp_disconnect_nb(ucp_ep_h endpoint) {
  MORGANA_UCX_ITSELF(ucp_disconnect_nb, endpoint)
  return ucp_worker().flush(rank_of(endpoint), nullptr);
}

}  // namespace morgana::mpi::emulated
