// Bundles, endpoints, and what an endpoint knows of others.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "pvmshim/am/monitor.h"
#include "pvmshim/am/process.h"
#include "pvmshim/am/refusal.h"

using namespace morgana::am;

namespace {

using morgana::am::check;  // of endpoints

constexpr const char* no_result = "a pointer for the result is null";
constexpr const char* in_a_handler = "a handler may neither poll, wait, free nor end";

/// @return AM_OK if the library is initialised and the bundle one of its
int check(const char* call, const am_bundle* bundle) {
  if (process == nullptr) return refuse(call, AM_ERR_NOT_INIT, not_initialised);
  if (process->knows(bundle)) return AM_OK;
  return refuse(call, AM_ERR_BAD_ARG, "the bundle does not belong to this process, or has been freed");
}

/// @return AM_OK if `token` is what the handler that runs was given
int check_token(const char* call, const void* token) {
  if (process == nullptr) return refuse(call, AM_ERR_NOT_INIT, not_initialised);
  if (token != nullptr && token == process->handling) return AM_OK;
  return refuse(call, AM_ERR_BAD_ARG, "the token is not that of the handler that runs now");
}

/// The first index of a table, from `first` on, that is free; `end`: none is.
template <typename Table>
int free_index(const Table& table, int first, int end) {
  int index = first;
  while (index < end && table.contains(index)) ++index;
  return index;
}

int map(const char* call, ep_t endpoint, int index, en_t name, tag_t tag) {
  if (const int error = check(call, endpoint); error != AM_OK) return error;
  const bool nobody =
      name.rank < 0 || name.rank >= process->ranks() || name.number < 0 || name.number >= AM_MAX_ENDPOINTS;
  if (nobody)
    return refuse(call, AM_ERR_BAD_ARG,
                  "no process has the name of rank " + std::to_string(name.rank) + ", number " +
                      std::to_string(name.number));
  if (index < 0 || index >= AM_MAX_TRANSLATIONS)
    return refuse(call, AM_ERR_BAD_ARG,
                  "index " + std::to_string(index) + " is beyond the table, which ends at " +
                      std::to_string(AM_MAX_TRANSLATIONS - 1));
  if (endpoint->translations.try_emplace(index, am_endpoint::Translation{name, tag}).second) return AM_OK;
  return refuse(call, AM_ERR_IN_USE, "index " + std::to_string(index) + " has a name: AM_UnMap frees it");
}

int set_handler(const char* call, ep_t endpoint, handler_t index, am_handler_fn function) {
  if (const int error = check(call, endpoint); error != AM_OK) return error;
  if (index < 0 || index >= AM_MAX_HANDLERS)
    return refuse(call, AM_ERR_BAD_ARG,
                  "index " + std::to_string(index) + " is beyond the table, which ends at " +
                      std::to_string(AM_MAX_HANDLERS - 1));
  if (function == nullptr) return refuse(call, AM_ERR_BAD_ARG, "the handler is null");
  if (index == 0) {
    endpoint->on_error = reinterpret_cast<am_error_fn>(function);
    return AM_OK;
  }
  if (endpoint->handlers.try_emplace(index, function).second) return AM_OK;
  return refuse(call, AM_ERR_IN_USE, "index " + std::to_string(index) + " has a handler");
}

}  // namespace

int AM_Init(void) {
  const Inside here;
  if (process == nullptr) process = new Process;
  return AM_OK;
}

int AM_Terminate(void) {
  const Inside here;
  if (process == nullptr) return refuse(__func__, AM_ERR_NOT_INIT, not_initialised);
  if (process->handling != nullptr) return refuse(__func__, AM_ERR_BAD_ARG, in_a_handler);
  delete std::exchange(process, nullptr);
  return AM_OK;
}

int AM_Rank(void) {
  const Inside here;
  return process != nullptr ? process->rank() : -1;
}

int AM_Ranks(void) {
  const Inside here;
  return process != nullptr ? process->ranks() : 0;
}

int AM_Name(int rank, en_t* name) {
  const Inside here;
  if (process == nullptr) return refuse(__func__, AM_ERR_NOT_INIT, not_initialised);
  if (name == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  if (rank < 0 || rank >= process->ranks())
    return refuse(__func__, AM_ERR_BAD_ARG, "there is no process " + std::to_string(rank));
  *name = {rank, 0};
  return AM_OK;
}

int AM_AllocateBundle(int type, eb_t* bundle) {
  const Inside here;
  if (process == nullptr) return refuse(__func__, AM_ERR_NOT_INIT, not_initialised);
  if (bundle == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  if (type != AM_SEQ && type != AM_PAR)
    return refuse(__func__, AM_ERR_BAD_ARG, "a bundle is AM_SEQ or AM_PAR");
  if (type == AM_PAR && !process->has_threads)
    return refuse(__func__, AM_ERR_RESOURCE,
                  "MPI lets one thread call: a program that has initialised it itself asks for "
                  "MPI_THREAD_MULTIPLE, and captures have no threads");
  *bundle = process->bundles.emplace_back(std::make_unique<am_bundle>()).get();
  (*bundle)->parallel = type == AM_PAR;
  return AM_OK;
}

int AM_FreeBundle(eb_t bundle) {
  const Inside here;
  if (const int error = check(__func__, bundle); error != AM_OK) return error;
  if (process->handling != nullptr) return refuse(__func__, AM_ERR_BAD_ARG, in_a_handler);
  std::erase_if(process->endpoints, [&](const auto& one) { return one.second->bundle == bundle; });
  std::erase_if(process->bundles, [&](const auto& one) { return one.get() == bundle; });
  return AM_OK;
}

int AM_AllocateEndpoint(eb_t bundle, ep_t* endpoint, en_t* name) {
  const Inside here;
  if (const int error = check(__func__, bundle); error != AM_OK) return error;
  if (endpoint == nullptr || name == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  if (process->numbers_given == AM_MAX_ENDPOINTS)
    return refuse(__func__, AM_ERR_RESOURCE,
                  "a process allocates at most " + std::to_string(AM_MAX_ENDPOINTS) + " endpoints");
  auto made = std::make_unique<am_endpoint>();
  made->number = static_cast<std::uint8_t>(process->numbers_given++);
  made->bundle = bundle;
  *endpoint = made.get();
  *name = {process->rank(), made->number};
  process->endpoints[made->number] = std::move(made);
  return AM_OK;
}

int AM_FreeEndpoint(ep_t endpoint) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (process->handling != nullptr) return refuse(__func__, AM_ERR_BAD_ARG, in_a_handler);
  process->endpoints.erase(endpoint->number);
  return AM_OK;
}

int AM_MoveEndpoint(ep_t endpoint, eb_t from, eb_t to) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (endpoint->bundle != from || !process->knows(to))
    return refuse(__func__, AM_ERR_BAD_ARG, "the endpoint is not in the first bundle, or the second is none");
  endpoint->bundle = to;
  return AM_OK;
}

int AM_SetExpectedResources(ep_t endpoint, int endpoints, int outstanding) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (endpoints < 1 || outstanding < 1)
    return refuse(__func__, AM_ERR_BAD_ARG, "there is at least one peer, and one request");
  if (endpoints <= AM_MAX_TRANSLATIONS && outstanding <= AM_CREDITS) return AM_OK;
  return refuse(__func__, AM_ERR_RESOURCE,
                "there is room for " + std::to_string(AM_MAX_TRANSLATIONS) + " peers, and " +
                    std::to_string(AM_CREDITS) + " requests outstanding");
}

int AM_SetTag(ep_t endpoint, tag_t tag) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  endpoint->tag = tag;
  return AM_OK;
}

int AM_GetTag(ep_t endpoint, tag_t* tag) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (tag == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  *tag = endpoint->tag;
  return AM_OK;
}

int AM_SetSeg(ep_t endpoint, void* address, uintptr_t length) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (address == nullptr && length > 0)
    return refuse(__func__, AM_ERR_BAD_ARG, "a segment at no address has no bytes");
  endpoint->segment = static_cast<std::byte*>(address);
  endpoint->length = length;
  return AM_OK;
}

int AM_GetSeg(ep_t endpoint, void** address, uintptr_t* length) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (address == nullptr || length == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  *address = endpoint->segment;
  *length = endpoint->length;
  return AM_OK;
}

int AM_Map(ep_t endpoint, int index, en_t name, tag_t tag) {
  const Inside here;
  return map(__func__, endpoint, index, name, tag);
}

int AM_MapAny(ep_t endpoint, int* index, en_t name, tag_t tag) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (index == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  const int found = free_index(endpoint->translations, 0, AM_MAX_TRANSLATIONS);
  if (found == AM_MAX_TRANSLATIONS) return refuse(__func__, AM_ERR_RESOURCE, "the translation table is full");
  const int result = map(__func__, endpoint, found, name, tag);
  if (result == AM_OK) *index = found;
  return result;
}

int AM_UnMap(ep_t endpoint, int index) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (endpoint->translations.erase(index) == 1) return AM_OK;
  return refuse(__func__, AM_ERR_BAD_ARG, nothing_at(index));
}

int AM_GetTranslationName(ep_t endpoint, int index, en_t* name) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (!endpoint->translations.contains(index)) return refuse(__func__, AM_ERR_BAD_ARG, nothing_at(index));
  if (name == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  *name = endpoint->translations.at(index).name;
  return AM_OK;
}

int AM_GetTranslationTag(ep_t endpoint, int index, tag_t* tag) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (!endpoint->translations.contains(index)) return refuse(__func__, AM_ERR_BAD_ARG, nothing_at(index));
  if (tag == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  *tag = endpoint->translations.at(index).tag;
  return AM_OK;
}

int AM_GetTranslationInuse(ep_t endpoint, int index) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  return endpoint->translations.contains(index) ? AM_OK : AM_ERR_BAD_ARG;  // an answer, no misuse
}

int AM_SetHandler(ep_t endpoint, handler_t index, am_handler_fn function) {
  const Inside here;
  return set_handler(__func__, endpoint, index, function);
}

int AM_SetHandlerAny(ep_t endpoint, handler_t* index, am_handler_fn function) {
  const Inside here;
  if (const int error = check(__func__, endpoint); error != AM_OK) return error;
  if (index == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  const int found = free_index(endpoint->handlers, 1, AM_MAX_HANDLERS);
  if (found == AM_MAX_HANDLERS) return refuse(__func__, AM_ERR_RESOURCE, "the handler table is full");
  const int result = set_handler(__func__, endpoint, found, function);
  if (result == AM_OK) *index = found;
  return result;
}

int AM_MaxShort(void) {
  return AM_MAX_SHORT;
}

int AM_MaxMedium(void) {
  return AM_MAX_MEDIUM;
}

int AM_MaxLong(void) {
  return AM_MAX_LONG;
}

int AM_Poll(eb_t bundle) {
  const Inside here;
  if (const int error = check(__func__, bundle); error != AM_OK) return error;
  if (process->handling != nullptr) return refuse(__func__, AM_ERR_BAD_ARG, in_a_handler);
  process->poll(bundle);
  return AM_OK;
}

int AM_SetEventMask(eb_t bundle, int mask) {
  const Inside here;
  if (const int error = check(__func__, bundle); error != AM_OK) return error;
  if (mask != AM_NOEVENTS && mask != AM_NOTEMPTY)
    return refuse(__func__, AM_ERR_BAD_ARG, "a mask is AM_NOEVENTS or AM_NOTEMPTY");
  bundle->mask = mask;
  return AM_OK;
}

int AM_GetEventMask(eb_t bundle, int* mask) {
  const Inside here;
  if (const int error = check(__func__, bundle); error != AM_OK) return error;
  if (mask == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  *mask = bundle->mask;
  return AM_OK;
}

int AM_WaitSema(eb_t bundle) {
  const Inside here;
  if (const int error = check(__func__, bundle); error != AM_OK) return error;
  if (process->handling != nullptr) return refuse(__func__, AM_ERR_BAD_ARG, in_a_handler);
  if (bundle->mask != AM_NOTEMPTY)
    return refuse(__func__, AM_ERR_BAD_ARG, "nothing would wake it: the bundle's mask is not AM_NOTEMPTY");
  process->wait_for_message(bundle, [] { return false; });
  return AM_OK;
}

int AM_GetSourceEndpoint(void* token, en_t* source) {
  const Inside here;
  if (const int error = check_token(__func__, token); error != AM_OK) return error;
  if (source == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  *source = process->handling->source;
  return AM_OK;
}

int AM_GetDestEndpoint(void* token, ep_t* endpoint) {
  const Inside here;
  if (const int error = check_token(__func__, token); error != AM_OK) return error;
  if (endpoint == nullptr) return refuse(__func__, AM_ERR_BAD_ARG, no_result);
  *endpoint = process->handling->endpoint;
  return AM_OK;
}
