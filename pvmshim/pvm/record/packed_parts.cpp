// pvm_initsend, pvm_mkbuf, pvm_freebuf and pvm_pk*: what they make is noted.

#include "pvmshim/pvm/record/packed_parts.h"

#include <string.h>

#include <map>

#include "pvmshim/pvm/element.h"
#include "pvmshim/pvm/record/real_pvm.h"

namespace morgana::pvm::captured {
namespace {

std::map<int, PackedMessage>& messages() {
  static auto& all = *new std::map<int, PackedMessage>;
  return all;
}

int packing_depth = 0;

constexpr std::int64_t xdr_units(std::int64_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// Notes a part if the real call succeeds; calls that it makes itself are part of it.
template <typename Call>
int packed(int type, int count, const Call& call) {
  ++packing_depth;
  const int result = call();
  --packing_depth;
  if (packing_depth > 0 || result < 0) return result;
  if (PackedMessage* message = packing(MORGANA_REAL(pvm_getsbuf)())) message->add(type, count);
  return result;
}

/// Of calls that pack another message whole.
template <typename Call>
int packed_unseen(const Call& call) {
  ++packing_depth;
  const int result = call();
  --packing_depth;
  if (PackedMessage* message = packing(MORGANA_REAL(pvm_getsbuf)())) message->known = false;
  return result;
}

}  // namespace

void PackedMessage::add(int type, int count) {
  const bool xdr = encoding == PvmDataDefault;
  if (type == PVM_STR) {  // its length goes before it
    size += xdr ? 4 + xdr_units(count) : 4 + count;
  } else if (const auto element = element_of(type)) {
    const auto elements = static_cast<std::int64_t>(count);
    size += xdr ? xdr_units(static_cast<std::int64_t>(element->xdr_size()) * elements)
                : static_cast<std::int64_t>(element->size()) * elements;
  }
  if (parts.size() <= most_message_parts) parts.push_back({type, count, size});
}

void begin_packing(int buffer, int encoding) {
  messages()[buffer] = PackedMessage{encoding, true, 0, {}};
}
void forget_packing(int buffer) {
  messages().erase(buffer);
}
PackedMessage* packing(int buffer) {
  const auto found = messages().find(buffer);
  return found == messages().end() ? nullptr : &found->second;
}

}  // namespace morgana::pvm::captured

using namespace morgana::pvm::captured;

int pvm_mkbuf(int encoding) {
  const int buffer = MORGANA_REAL(pvm_mkbuf)(encoding);
  if (buffer > 0) begin_packing(buffer, encoding);
  return buffer;
}

int pvm_initsend(int encoding) {
  const int buffer = MORGANA_REAL(pvm_initsend)(encoding);
  if (buffer > 0) begin_packing(buffer, encoding);
  return buffer;
}

int pvm_freebuf(int buffer) {
  forget_packing(buffer);
  return MORGANA_REAL(pvm_freebuf)(buffer);
}

#define MORGANA_ELEMENT(name, type, code)                                                        \
  int pvm_pk##name(type* from, int count, int stride) {                                          \
    return packed(code, count, [&] { return MORGANA_REAL(pvm_pk##name)(from, count, stride); }); \
  }

#include "pvmshim/pvm/elements.def"
#undef MORGANA_ELEMENT

int pvm_pkstr(char* text) {
  const int count = text == nullptr ? 0 : static_cast<int>(strlen(text)) + 1;
  return packed(PVM_STR, count, [&] { return MORGANA_REAL(pvm_pkstr)(text); });
}

int pvm_pkmesg(int buffer) {
  return packed_unseen([&] { return MORGANA_REAL(pvm_pkmesg)(buffer); });
}

int pvm_pkmesgbody(int buffer) {
  return packed_unseen([&] { return MORGANA_REAL(pvm_pkmesgbody)(buffer); });
}
