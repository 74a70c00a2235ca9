#include "traces/otf2/location_callbacks.h"

#include <fmt/format.h>

#include "traces/otf2/location_reader.h"
#include "traces/otf2/otf2_error.h"

namespace morgana {

/// What OTF2 calls for each record. No exception may pass through OTF2: a complaint interrupts the reading,
/// and becomes one afterwards.
class LocationCallbacks {
 public:
  using Kind = TraceRecord::Kind;

  static LocationReader& self(void* user) { return *static_cast<LocationReader*>(user); }
  static OTF2_CallbackCode code(bool fine) { return fine ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT; }

  static OTF2_CallbackCode any(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                               OTF2_AttributeList*) {
    return code(self(user).advance(t, n));
  }
  static OTF2_CallbackCode region(Kind kind, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                  OTF2_AttributeList* list, OTF2_RegionRef ref) {
    LocationReader& r = self(user);
    const TraceRegion* found = r.definitions_.regions.find(ref);
    if (found == nullptr) {
      r.last_number_ = n;
      return code(r.complain(fmt::format("names region {}, which the trace does not define", ref)));
    }
    if (!found->is_call) return code(r.advance(t, n));
    if (!r.new_record(kind, t, n, list)) return OTF2_CALLBACK_INTERRUPT;
    r.records_.back().region = ref;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode enter(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                 OTF2_AttributeList* list, OTF2_RegionRef ref) {
    return region(Kind::enter, t, n, user, list, ref);
  }
  static OTF2_CallbackCode leave(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                 OTF2_AttributeList* list, OTF2_RegionRef ref) {
    return region(Kind::leave, t, n, user, list, ref);
  }
  static OTF2_CallbackCode send(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                OTF2_AttributeList* list, std::uint32_t receiver, OTF2_CommRef communicator,
                                std::uint32_t tag, std::uint64_t length) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::send, t, n, list) && r.set_peer(receiver, communicator, tag, length));
  }
  static OTF2_CallbackCode isend(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                 OTF2_AttributeList* list, std::uint32_t receiver, OTF2_CommRef communicator,
                                 std::uint32_t tag, std::uint64_t length, std::uint64_t request) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::isend, t, n, list) && r.set_peer(receiver, communicator, tag, length) &&
                r.start_request(request));
  }
  static OTF2_CallbackCode isend_complete(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                          OTF2_AttributeList*, std::uint64_t request) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::isend_complete, t, n, nullptr) && r.end_request(Kind::isend, request));
  }
  static OTF2_CallbackCode receive(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                   OTF2_AttributeList* list, std::uint32_t sender, OTF2_CommRef communicator,
                                   std::uint32_t tag, std::uint64_t length) {
    LocationReader& r = self(user);
    if (!r.new_record(Kind::receive, t, n, list) || !r.set_peer(sender, communicator, tag, length))
      return OTF2_CALLBACK_INTERRUPT;
    TraceRecord& record = r.records_.back();
    record.room = record.bytes;
    const TraceExtras extras = r.extras(record);
    if (extras.has(Attribute::room)) record.room = Bytes(extras[Attribute::room]);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode ireceive_posted(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                           OTF2_AttributeList* list, std::uint64_t request) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::ireceive_posted, t, n, list) && r.take_posted_attributes() &&
                r.start_request(request));
  }
  static OTF2_CallbackCode ireceive(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                    OTF2_AttributeList*, std::uint32_t sender, OTF2_CommRef communicator,
                                    std::uint32_t tag, std::uint64_t length, std::uint64_t request) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::ireceive, t, n, nullptr) &&
                r.set_peer(sender, communicator, tag, length) &&
                r.end_request(Kind::ireceive_posted, request));
  }
  static OTF2_CallbackCode request_test(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                        OTF2_AttributeList* list, std::uint64_t request) {
    LocationReader& r = self(user);
    if (!r.new_record(Kind::request_test, t, n, list)) return OTF2_CALLBACK_INTERRUPT;
    r.records_.back().request = request;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode request_cancelled(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                             OTF2_AttributeList*, std::uint64_t request) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::request_cancelled, t, n, nullptr) &&
                r.end_request(Kind::request_cancelled, request));
  }
  static OTF2_CallbackCode collective(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                      OTF2_AttributeList* list, OTF2_CollectiveOp operation,
                                      OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
                                      std::uint64_t received) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::collective, t, n, list) &&
                r.set_collective(operation, communicator, root, sent, received));
  }
  static OTF2_CallbackCode icollective_begun(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                             OTF2_AttributeList* list, std::uint64_t request) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::icollective_begun, t, n, list) && r.take_posted_attributes() &&
                r.start_request(request));
  }
  static OTF2_CallbackCode icollective(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                       OTF2_AttributeList*, OTF2_CollectiveOp operation,
                                       OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
                                       std::uint64_t received, std::uint64_t request) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::icollective, t, n, nullptr) &&
                r.set_collective(operation, communicator, root, sent, received) &&
                r.end_request(Kind::icollective_begun, request));
  }
  static OTF2_CallbackCode parameter(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                     OTF2_AttributeList* list, OTF2_ParameterRef ref, std::uint64_t value) {
    LocationReader& r = self(user);
    if (r.definitions_.completed_parameter == ref)
      return code(r.new_record(Kind::request_completed, t, n, nullptr) &&
                  r.end_request(Kind::operation, value));
    if (r.definitions_.operation_parameter != ref) return code(r.advance(t, n));
    if (!r.new_record(Kind::operation, t, n, list)) return OTF2_CALLBACK_INTERRUPT;
    if (value > static_cast<std::uint64_t>(OperationKind::wait_part))
      return code(r.complain(fmt::format("begins an operation of unknown kind {}", value)));
    const auto kind = static_cast<OperationKind>(value);
    r.records_.back().operation = kind;
    const bool starts =
        kind == OperationKind::access || kind == OperationKind::lock || kind == OperationKind::unlock;
    return code(r.take_posted_attributes() && (!starts || r.start_request(r.records_.back().request)));
  }
  static OTF2_CallbackCode one_sided(OTF2_TimeStamp t, std::uint64_t n, void* user, std::uint64_t there,
                                     std::uint64_t back) {
    LocationReader& r = self(user);
    return code(r.new_record(Kind::one_sided, t, n, nullptr) && r.set_access(there, back));
  }
  static OTF2_CallbackCode put(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                               OTF2_AttributeList*, OTF2_RmaWinRef, std::uint32_t, std::uint64_t bytes,
                               std::uint64_t) {
    return one_sided(t, n, user, bytes, 0);
  }
  static OTF2_CallbackCode atomic(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                  OTF2_AttributeList*, OTF2_RmaWinRef, std::uint32_t, OTF2_RmaAtomicType,
                                  std::uint64_t sent, std::uint64_t received, std::uint64_t) {
    return one_sided(t, n, user, sent, received);
  }
  static OTF2_CallbackCode program_begin(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                         OTF2_AttributeList*, OTF2_StringRef, std::uint32_t,
                                         const OTF2_StringRef*) {
    const bool advanced = self(user).advance(t, n);
    self(user).begin_ = self(user).last_time_;
    return code(advanced);
  }
  static OTF2_CallbackCode program_end(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t n, void* user,
                                       OTF2_AttributeList* list, std::int64_t) {
    return code(self(user).new_record(Kind::program_end, t, n, list));
  }

  static OTF2_EvtReaderCallbacks* all() {
    OTF2_EvtReaderCallbacks* c = check_otf2(OTF2_EvtReaderCallbacks_New(), "read the trace");
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, receive);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, ireceive_posted);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, ireceive);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(c, request_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, request_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, any);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, icollective_begun);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, icollective);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(c, parameter);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, put);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, atomic);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, program_begin);
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, program_end);
    return c;
  }
};

OTF2_EvtReaderCallbacks* new_location_callbacks() {
  return LocationCallbacks::all();
}

}  // namespace morgana
