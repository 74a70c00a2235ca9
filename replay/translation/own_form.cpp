#include "replay/translation/trace_form.h"

namespace morgana {
namespace {

class OwnForm final : public TraceForm {
 public:
  bool is_operation(const TraceRegion&) const override { return true; }
  bool is_never_awaited(const TraceRegion&) const override { return false; }
  // Whom a wildcard has received from is known when it is complete.
  bool needs_completion(const TraceRecord& begun) const override {
    return begun.kind == TraceRecord::Kind::ireceive_posted &&
           (begun.peer == any_rank || begun.tag == any_tag);
  }
  bool leaves_out_receive(const TraceRecord&) const override { return false; }
  bool leaves_out_collective(const TraceRecord&, bool, const LocationReader&) const override { return false; }
};

}  // namespace

const TraceForm& own_form() {
  static const OwnForm form;
  return form;
}

}  // namespace morgana
