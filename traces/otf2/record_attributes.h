#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/operations/operation.h"
#include "traces/otf2/attributes.h"
#include "traces/otf2/trace_archive.h"

namespace morgana {

/// The attributes of the record that is written next. OTF2 empties the list when it writes a record with it.
class RecordAttributes {
 public:
  /// @param archive  defines the texts of lists; must outlive this
  /// @throws Error if OTF2 has no memory
  explicit RecordAttributes(TraceArchive& archive);

  // Each in the type that the attribute has (attributes.h).
  void add(Attribute attribute, std::uint64_t number);
  void add(Attribute attribute, SimTime time);  ///< times before 0 as 0
  void add(Attribute attribute, Bytes bytes);
  void add(Attribute attribute, RequestId request);
  void add_signed(Attribute attribute, std::int32_t number);
  void add_list(Attribute attribute, const std::vector<Bytes>& list);
  void add_list(Attribute attribute, const std::vector<std::int32_t>& list);
  void add_parts(const std::vector<MessagePart>& parts);

  /// What a collective says differently than would be derived from its record alone.
  void add_differences(const CollectivePart& part, const CollectivePart& derived);

  OTF2_AttributeList* get() const { return list_.get(); }

 private:
  void add_value(Attribute attribute, OTF2_AttributeValue value);
  void add_numbers(Attribute attribute);

  struct DeleteList {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };
  TraceArchive& archive_;
  std::unique_ptr<OTF2_AttributeList, DeleteList> list_;
  std::vector<std::int64_t> numbers_;  // scratch
  std::string text_;                   // scratch
};

}  // namespace morgana
