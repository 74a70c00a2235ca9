// Bundles, endpoints, and what an endpoint knows of others.
#include <algorithm>
#include <memory>
#include <utility>

#include "pvmshim/am/process.h"

using namespace morgana::am;

namespace {

/// @return AM_OK if the library is initialised and the endpoint one of its
int check(const am_endpoint* endpoint) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  return process->knows(endpoint) ? AM_OK : AM_ERR_BAD_ARG;
}

int check(const am_bundle* bundle) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  return process->knows(bundle) ? AM_OK : AM_ERR_BAD_ARG;
}

/// The first index of a table, from `first` on, that is free; `end`: none is.
template <typename Table>
int free_index(const Table& table, int first, int end) {
  int index = first;
  while (index < end && table.contains(index)) ++index;
  return index;
}

}  // namespace

int AM_Init(void) {
  if (process == nullptr) process = new Process;
  return AM_OK;
}

int AM_Terminate(void) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  if (process->handling != nullptr) return AM_ERR_BAD_ARG;
  delete std::exchange(process, nullptr);
  return AM_OK;
}

int AM_Rank(void) {
  return process != nullptr ? process->rank() : -1;
}

int AM_Ranks(void) {
  return process != nullptr ? process->ranks() : 0;
}

int AM_Name(int rank, en_t* name) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  if (name == nullptr || rank < 0 || rank >= process->ranks()) return AM_ERR_BAD_ARG;
  *name = {rank, 0};
  return AM_OK;
}

int AM_AllocateBundle(int type, eb_t* bundle) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  if (bundle == nullptr || (type != AM_SEQ && type != AM_PAR)) return AM_ERR_BAD_ARG;
  *bundle = process->bundles.emplace_back(std::make_unique<am_bundle>()).get();
  return AM_OK;
}

int AM_FreeBundle(eb_t bundle) {
  if (const int error = check(bundle); error != AM_OK) return error;
  if (process->handling != nullptr) return AM_ERR_BAD_ARG;
  std::erase_if(process->endpoints, [&](const auto& one) { return one.second->bundle == bundle; });
  std::erase_if(process->bundles, [&](const auto& one) { return one.get() == bundle; });
  return AM_OK;
}

int AM_AllocateEndpoint(eb_t bundle, ep_t* endpoint, en_t* name) {
  if (const int error = check(bundle); error != AM_OK) return error;
  if (endpoint == nullptr || name == nullptr) return AM_ERR_BAD_ARG;
  if (process->numbers_given == AM_MAX_ENDPOINTS) return AM_ERR_RESOURCE;
  auto made = std::make_unique<am_endpoint>();
  made->number = static_cast<std::uint8_t>(process->numbers_given++);
  made->bundle = bundle;
  *endpoint = made.get();
  *name = {process->rank(), made->number};
  process->endpoints[made->number] = std::move(made);
  return AM_OK;
}

int AM_FreeEndpoint(ep_t endpoint) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (process->handling != nullptr) return AM_ERR_BAD_ARG;
  process->endpoints.erase(endpoint->number);
  return AM_OK;
}

int AM_MoveEndpoint(ep_t endpoint, eb_t from, eb_t to) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (endpoint->bundle != from || !process->knows(to)) return AM_ERR_BAD_ARG;
  endpoint->bundle = to;
  return AM_OK;
}

int AM_SetExpectedResources(ep_t endpoint, int endpoints, int outstanding) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (endpoints < 1 || outstanding < 1) return AM_ERR_BAD_ARG;
  return endpoints > AM_MAX_TRANSLATIONS || outstanding > AM_CREDITS ? AM_ERR_RESOURCE : AM_OK;
}

int AM_SetTag(ep_t endpoint, tag_t tag) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  endpoint->tag = tag;
  return AM_OK;
}

int AM_GetTag(ep_t endpoint, tag_t* tag) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (tag == nullptr) return AM_ERR_BAD_ARG;
  *tag = endpoint->tag;
  return AM_OK;
}

int AM_SetSeg(ep_t endpoint, void* address, uintptr_t length) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (address == nullptr && length > 0) return AM_ERR_BAD_ARG;
  endpoint->segment = static_cast<std::byte*>(address);
  endpoint->length = length;
  return AM_OK;
}

int AM_GetSeg(ep_t endpoint, void** address, uintptr_t* length) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (address == nullptr || length == nullptr) return AM_ERR_BAD_ARG;
  *address = endpoint->segment;
  *length = endpoint->length;
  return AM_OK;
}

int AM_Map(ep_t endpoint, int index, en_t name, tag_t tag) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  const bool nobody =
      name.rank < 0 || name.rank >= process->ranks() || name.number < 0 || name.number >= AM_MAX_ENDPOINTS;
  if (nobody || index < 0 || index >= AM_MAX_TRANSLATIONS) return AM_ERR_BAD_ARG;
  return endpoint->translations.try_emplace(index, am_endpoint::Translation{name, tag}).second
             ? AM_OK
             : AM_ERR_IN_USE;
}

int AM_MapAny(ep_t endpoint, int* index, en_t name, tag_t tag) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (index == nullptr) return AM_ERR_BAD_ARG;
  const int found = free_index(endpoint->translations, 0, AM_MAX_TRANSLATIONS);
  if (found == AM_MAX_TRANSLATIONS) return AM_ERR_RESOURCE;
  const int result = AM_Map(endpoint, found, name, tag);
  if (result == AM_OK) *index = found;
  return result;
}

int AM_UnMap(ep_t endpoint, int index) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  return endpoint->translations.erase(index) == 1 ? AM_OK : AM_ERR_BAD_ARG;
}

int AM_GetTranslationName(ep_t endpoint, int index, en_t* name) {
  if (const int error = AM_GetTranslationInuse(endpoint, index); error != AM_OK) return error;
  if (name == nullptr) return AM_ERR_BAD_ARG;
  *name = endpoint->translations.at(index).name;
  return AM_OK;
}

int AM_GetTranslationTag(ep_t endpoint, int index, tag_t* tag) {
  if (const int error = AM_GetTranslationInuse(endpoint, index); error != AM_OK) return error;
  if (tag == nullptr) return AM_ERR_BAD_ARG;
  *tag = endpoint->translations.at(index).tag;
  return AM_OK;
}

int AM_GetTranslationInuse(ep_t endpoint, int index) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  return endpoint->translations.contains(index) ? AM_OK : AM_ERR_BAD_ARG;
}

int AM_SetHandler(ep_t endpoint, handler_t index, am_handler_fn function) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (index < 0 || index >= AM_MAX_HANDLERS || function == nullptr) return AM_ERR_BAD_ARG;
  if (index == 0) {
    endpoint->on_error = reinterpret_cast<am_error_fn>(function);
    return AM_OK;
  }
  return endpoint->handlers.try_emplace(index, function).second ? AM_OK : AM_ERR_IN_USE;
}

int AM_SetHandlerAny(ep_t endpoint, handler_t* index, am_handler_fn function) {
  if (const int error = check(endpoint); error != AM_OK) return error;
  if (index == nullptr) return AM_ERR_BAD_ARG;
  const int found = free_index(endpoint->handlers, 1, AM_MAX_HANDLERS);
  if (found == AM_MAX_HANDLERS) return AM_ERR_RESOURCE;
  const int result = AM_SetHandler(endpoint, found, function);
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
  if (const int error = check(bundle); error != AM_OK) return error;
  if (process->handling != nullptr) return AM_ERR_BAD_ARG;
  process->poll(bundle);
  return AM_OK;
}

int AM_SetEventMask(eb_t bundle, int mask) {
  if (const int error = check(bundle); error != AM_OK) return error;
  if (mask != AM_NOEVENTS && mask != AM_NOTEMPTY) return AM_ERR_BAD_ARG;
  bundle->mask = mask;
  return AM_OK;
}

int AM_GetEventMask(eb_t bundle, int* mask) {
  if (const int error = check(bundle); error != AM_OK) return error;
  if (mask == nullptr) return AM_ERR_BAD_ARG;
  *mask = bundle->mask;
  return AM_OK;
}

int AM_WaitSema(eb_t bundle) {
  if (const int error = check(bundle); error != AM_OK) return error;
  if (process->handling != nullptr || bundle->mask != AM_NOTEMPTY) return AM_ERR_BAD_ARG;
  process->wait_for_message(bundle);
  return AM_OK;
}

int AM_GetSourceEndpoint(void* token, en_t* source) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  if (token == nullptr || token != process->handling || source == nullptr) return AM_ERR_BAD_ARG;
  *source = process->handling->source;
  return AM_OK;
}

int AM_GetDestEndpoint(void* token, ep_t* endpoint) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  if (token == nullptr || token != process->handling || endpoint == nullptr) return AM_ERR_BAD_ARG;
  *endpoint = process->handling->endpoint;
  return AM_OK;
}
