#include "traces/otf2/trace_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "traces/otf2/attributes.h"
#include "traces/otf2/call_traits.h"
#include "traces/otf2/file_limit.h"
#include "traces/otf2/metric_writer.h"
#include "traces/otf2/otf2_error.h"

namespace morgana {
namespace {

constexpr std::uint64_t event_chunk = OTF2_CHUNK_SIZE_MIN;  // there is one for each rank
constexpr const char* writing = "write the trace";

/// OTF2 clears a chunk of definitions for each rank twice while it writes them, and once more when they are
/// read. So a chunk is as short as the longest record lets it be: a group of all ranks. Ranks that begin
/// later, which only PVM has, fit into the room that is left.
std::uint64_t definition_chunk(std::size_t ranks) {
  constexpr std::uint64_t longest_member =
      9;  // a number of 8 bytes, behind the count of those that are not zero
  constexpr std::uint64_t room_for_more = std::uint64_t{64} * 1024;
  return std::clamp<std::uint64_t>(std::bit_ceil(longest_member * ranks + room_for_more), OTF2_CHUNK_SIZE_MIN,
                                   OTF2_CHUNK_SIZE_MAX);
}

/// Ranks are named as Score-P does; only PVM's programs have a service.
std::string process_name(std::size_t rank, std::size_t services) {
  return rank < services ? "PVM daemon" : fmt::format("MPI Rank {}", rank);
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// OTF2 itself would let each rank collect 128 MiB before it writes any of it. One chunk at a time is enough
// for events; definitions may take as many as they need.
struct Chunks {
  std::vector<void*> memory;
};

void* allocate_chunk(void*, OTF2_FileType type, OTF2_LocationRef, void** of_buffer, std::uint64_t size) {
  if (*of_buffer == nullptr) *of_buffer = new (std::nothrow) Chunks;
  auto* chunks = static_cast<Chunks*>(*of_buffer);
  if (chunks == nullptr || (type == OTF2_FILETYPE_EVENTS && !chunks->memory.empty())) return nullptr;
  void* chunk = std::calloc(1, size);
  if (chunk != nullptr) chunks->memory.push_back(chunk);
  return chunk;
}

void free_chunks(void*, OTF2_FileType, OTF2_LocationRef, void** of_buffer, bool final) {
  auto* chunks = static_cast<Chunks*>(*of_buffer);
  if (chunks == nullptr) return;
  for (void* chunk : chunks->memory) std::free(chunk);
  chunks->memory.clear();
  if (!final) return;
  delete chunks;
  *of_buffer = nullptr;
}

// OTF2 keeps the addresses of these.
const OTF2_FlushCallbacks flushing{flush_always, nullptr};
const OTF2_MemoryCallbacks memory{allocate_chunk, free_chunks};

}  // namespace

TraceArchive::TraceArchive(const std::filesystem::path& folder, const TraceProperties& properties)
    : properties_(properties), region_of_(static_cast<std::size_t>(Call::count_), OTF2_UNDEFINED_REGION) {
  catch_otf2_messages();
  raise_open_file_limit(properties.host_of.size());
  archive_.reset(check_otf2(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk,
                                              definition_chunk(properties.host_of.size()),
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
                            "begin a trace"));
  check_otf2(OTF2_Archive_SetFlushCallbacks(archive_.get(), &flushing, nullptr), writing);
  check_otf2(OTF2_Archive_SetMemoryCallbacks(archive_.get(), &memory, nullptr), writing);
  check_otf2(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()), writing);
  set_properties();
  if (properties.tags_name_endpoints) note_endpoints();
  string("");
  check_otf2(OTF2_Archive_OpenEvtFiles(archive_.get()), writing);
  for (std::size_t rank = 0; rank < properties.host_of.size(); ++rank)
    writers_.push_back(check_otf2(OTF2_Archive_GetEvtWriter(archive_.get(), rank), writing));
}

TraceArchive::~TraceArchive() = default;

void TraceArchive::add_rank(const std::string& host) {
  properties_.host_of.push_back(host);
  raise_open_file_limit(properties_.host_of.size());
  writers_.push_back(check_otf2(OTF2_Archive_GetEvtWriter(archive_.get(), writers_.size()), writing));
}

void TraceArchive::set_properties() {
  OTF2_Archive* archive = archive_.get();
  const auto set = [archive](const char* name, const std::string& value) {
    check_otf2(OTF2_Archive_SetProperty(archive, name, value.c_str(), true), writing);
  };
  check_otf2(OTF2_Archive_SetCreator(archive, fmt::format("{}0.1.0", creator_prefix).c_str()), writing);
  check_otf2(OTF2_Archive_SetMachineName(archive, properties_.platform.c_str()), writing);
  check_otf2(OTF2_Archive_SetDescription(archive, properties_.program.c_str()), writing);
  set(program_property, properties_.program);
  set(platform_property, properties_.platform);
  set(compute_scale_property, fmt::format("{}", properties_.compute_scale));
  set(services_property, fmt::format("{}", properties_.services));
  set(ranks_at_start_property, fmt::format("{}", properties_.host_of.size()));
  if (properties_.built_for_openmpi) set(mpi_property, "openmpi");
  if (properties_.waits_for_switches) set(switches_property, "waits");
}

void TraceArchive::note_endpoints() {
  check_otf2(OTF2_Archive_SetProperty(archive_.get(), endpoints_property, "tags", true), writing);
}

OTF2_StringRef TraceArchive::string(const std::string& text) {
  const auto [entry, fresh] =
      string_references_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
  if (fresh) strings_.push_back(text);
  return entry->second;
}

OTF2_RegionRef TraceArchive::region(Call call) {
  OTF2_RegionRef& reference = region_of_[static_cast<std::size_t>(call)];
  if (reference == OTF2_UNDEFINED_REGION) {
    reference = static_cast<OTF2_RegionRef>(regions_.size());
    regions_.push_back(call);
  }
  return reference;
}

void TraceArchive::finish(const TraceCommunicators& communicators, SimTime length,
                          const std::string& broken_off) {
  OTF2_Archive* archive = archive_.get();
  if (!broken_off.empty())
    check_otf2(OTF2_Archive_SetProperty(archive, broken_off_property, broken_off.c_str(), true), writing);
  for (OTF2_EvtWriter* writer : writers_) {
    std::uint64_t count = 0;
    check_otf2(OTF2_EvtWriter_GetNumberOfEvents(writer, &count), writing);
    event_counts_.push_back(count);
    check_otf2(OTF2_Archive_CloseEvtWriter(archive, writer), writing);
  }
  if (has_metrics()) write_metrics();
  check_otf2(OTF2_Archive_CloseEvtFiles(archive), writing);
  write_local_definitions();
  definitions_ = check_otf2(OTF2_Archive_GetGlobalDefWriter(archive), writing);
  check_otf2(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000'000, 0,
                                                       static_cast<std::uint64_t>(length.ps()),
                                                       OTF2_UNDEFINED_TIMESTAMP),
             writing);
  for (const WrittenCommunicator& communicator : communicators.all()) string(communicator.name);
  write_strings();
  write_system_tree();
  write_regions();
  write_communicators(communicators);
  check_otf2(OTF2_Archive_Close(archive_.release()), writing);
}

void TraceArchive::write_metrics() {
  OTF2_EvtWriter* writer = check_otf2(OTF2_Archive_GetEvtWriter(archive_.get(), writers_.size()), writing);
  write_metric_events(writer, metrics_);
  std::uint64_t count = 0;
  check_otf2(OTF2_EvtWriter_GetNumberOfEvents(writer, &count), writing);
  event_counts_.push_back(count);
  check_otf2(OTF2_Archive_CloseEvtWriter(archive_.get(), writer), writing);
}

void TraceArchive::write_local_definitions() {
  OTF2_Archive* archive = archive_.get();
  check_otf2(OTF2_Archive_OpenDefFiles(archive), writing);
  for (std::size_t location = 0; location < locations(); ++location) {
    OTF2_DefWriter* writer = check_otf2(OTF2_Archive_GetDefWriter(archive, location), writing);
    check_otf2(OTF2_Archive_CloseDefWriter(archive, writer), writing);
  }
  check_otf2(OTF2_Archive_CloseDefFiles(archive), writing);
}

void TraceArchive::write_strings() {
  // All that the other definitions name, before any of them is written.
  string("MPI");
  string("machine");
  string("node");
  string("Master thread");
  string(properties_.platform);
  for (const std::string& host : properties_.host_of) string(host);
  for (std::size_t rank = 0; rank < writers_.size(); ++rank) string(process_name(rank, properties_.services));
  for (const Call call : regions_) string(std::string(name_of(call)));
  for (const AttributeDescription& attribute : attributes) {
    string(attribute.name);
    string(attribute.meaning);
  }
  string(operation_parameter);
  string(completed_parameter);
  for (const NetworkMetrics::Series& series : metrics_.series) {
    string(series.name);
    string(series.unit);
  }
  if (has_metrics()) string(metric_location_name);
  for (std::size_t i = 0; i < strings_.size(); ++i)
    check_otf2(
        OTF2_GlobalDefWriter_WriteString(definitions_, static_cast<OTF2_StringRef>(i), strings_[i].c_str()),
        writing);
  check_otf2(OTF2_GlobalDefWriter_WriteParadigm(definitions_, OTF2_PARADIGM_MPI, string("MPI"),
                                                OTF2_PARADIGM_CLASS_PROCESS),
             writing);
  for (std::size_t i = 0; i < attributes.size(); ++i)
    check_otf2(OTF2_GlobalDefWriter_WriteAttribute(definitions_, static_cast<OTF2_AttributeRef>(i),
                                                   string(attributes[i].name), string(attributes[i].meaning),
                                                   attributes[i].type),
               writing);
  const auto write_parameter = [this](OTF2_ParameterRef reference, const char* name) {
    check_otf2(OTF2_GlobalDefWriter_WriteParameter(definitions_, reference, string(name),
                                                   OTF2_PARAMETER_TYPE_UINT64),
               writing);
  };
  write_parameter(operation_parameter_reference, operation_parameter);
  write_parameter(completed_parameter_reference, completed_parameter);
}

void TraceArchive::write_system_tree() {
  const OTF2_SystemTreeNodeRef machine = 0;
  check_otf2(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, machine, string(properties_.platform),
                                                      string("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE),
             writing);
  check_otf2(
      OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(definitions_, machine, OTF2_SYSTEM_TREE_DOMAIN_MACHINE),
      writing);
  std::map<std::string, OTF2_SystemTreeNodeRef> nodes;
  for (const std::string& host : properties_.host_of) {
    const auto [node, fresh] = nodes.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1));
    if (!fresh) continue;
    check_otf2(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, node->second, string(host),
                                                        string("node"), machine),
               writing);
    check_otf2(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(definitions_, node->second,
                                                              OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY),
               writing);
  }
  for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
    const auto group = static_cast<OTF2_LocationGroupRef>(rank);
    check_otf2(OTF2_GlobalDefWriter_WriteLocationGroup(
                   definitions_, group, string(process_name(rank, properties_.services)),
                   OTF2_LOCATION_GROUP_TYPE_PROCESS, nodes.at(properties_.host_of[rank]),
                   OTF2_UNDEFINED_LOCATION_GROUP),
               writing);
    check_otf2(OTF2_GlobalDefWriter_WriteLocation(definitions_, rank, string("Master thread"),
                                                  OTF2_LOCATION_TYPE_CPU_THREAD, event_counts_[rank], group),
               writing);
  }
  if (!has_metrics()) return;
  const OTF2_LocationRef location = writers_.size();
  const auto group = static_cast<OTF2_LocationGroupRef>(location);
  const OTF2_StringRef name = string(metric_location_name);
  check_otf2(
      OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, group, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                              machine, OTF2_UNDEFINED_LOCATION_GROUP),
      writing);
  check_otf2(OTF2_GlobalDefWriter_WriteLocation(definitions_, location, name, OTF2_LOCATION_TYPE_METRIC,
                                                event_counts_[location], group),
             writing);
  write_metric_definitions(definitions_, metrics_, location,
                           [this](const std::string& text) { return string(text); });
}

void TraceArchive::write_regions() {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const std::string name(name_of(regions_[i]));
    const CallTraits traits = traits_of(name);
    check_otf2(OTF2_GlobalDefWriter_WriteRegion(definitions_, static_cast<OTF2_RegionRef>(i), string(name),
                                                string(name), string(""), traits.role, traits.paradigm,
                                                OTF2_REGION_FLAG_NONE, string("MPI"), 0, 0),
               writing);
  }
}

void TraceArchive::write_communicators(const TraceCommunicators& communicators) {
  std::vector<std::uint64_t> members;
  for (std::size_t rank = 0; rank < writers_.size(); ++rank) members.push_back(rank);
  check_otf2(OTF2_GlobalDefWriter_WriteGroup(definitions_, 0, string(""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                             static_cast<std::uint32_t>(members.size()), members.data()),
             writing);
  for (const WrittenCommunicator& communicator : communicators.all()) {
    members.clear();
    for (const Rank rank : communicator.members) members.push_back(index(rank));
    const OTF2_GroupRef group = communicator.reference + 1;
    const bool world = communicator.reference == 0;
    check_otf2(OTF2_GlobalDefWriter_WriteGroup(definitions_, group, string(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                               OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, communicator.size(),
                                               members.data()),
               writing);
    check_otf2(OTF2_GlobalDefWriter_WriteComm(definitions_, communicator.reference, string(communicator.name),
                                              group, world ? OTF2_UNDEFINED_COMM : 0, OTF2_COMM_FLAG_NONE),
               writing);
  }
}

}  // namespace morgana
