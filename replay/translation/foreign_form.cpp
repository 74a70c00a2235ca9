#include "replay/translation/trace_form.h"

namespace morgana {
namespace {

class ForeignForm final : public TraceForm {
 public:
  // A call that only asks something of the library (MPI_Comm_rank) moves nothing.
  bool is_operation(const TraceRegion& region) const override { return region.call != Call::unknown; }
  // Some tools record MPI_Isend as they do MPI_Send.
  bool is_never_awaited(const TraceRegion& region) const override { return region.traits.nonblocking; }
  bool needs_completion(const TraceRecord& begun) const override {
    return begun.kind == TraceRecord::Kind::ireceive_posted ||
           begun.kind == TraceRecord::Kind::icollective_begun;
  }
  bool leaves_out_receive(const TraceRecord& resolved) const override {
    return resolved.kind != TraceRecord::Kind::receive && (!resolved.resolved || resolved.cancelled);
  }
  bool leaves_out_collective(const TraceRecord& resolved, bool neighbourhood,
                             const LocationReader& location) const override {
    if (resolved.kind == TraceRecord::Kind::icollective_begun && !resolved.resolved)
      location.fail(resolved.number, "begins a collective that is never completed");
    if (collective_kind(resolved.collective, neighbourhood)) return false;
    if (resolved.collective <= OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK)
      location.fail(resolved.number, "is a neighbourhood collective that the trace says too little of");
    return true;
  }
};

}  // namespace

const TraceForm& foreign_form() {
  static const ForeignForm form;
  return form;
}

}  // namespace morgana
