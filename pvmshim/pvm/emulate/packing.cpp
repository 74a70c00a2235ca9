// pvm_pk* and pvm_upk*. They are the program's own work: unlike calls that communicate they count as its
// computing, as the conversions do on a real machine.

#include <stdlib.h>
#include <string.h>

#include "pvmshim/pvm/emulate/errors.h"
#include "pvmshim/pvm/emulate/message_table.h"

using namespace morgana::pvm;

namespace {

int pack(const char* name, int type, const void* from, int count, int stride) {
  return reported(name, [&] {
    if (count < 0) return PvmBadParam;
    Message* message = buffers().send;
    return message == nullptr ? PvmNoBuf : message->pack(type, from, count, stride);
  });
}

int unpack(morgana::Call call, int type, void* to, int count, int stride) {
  return reported(std::string(name_of(call)).c_str(), [&] {
    if (count < 0) return PvmBadParam;
    Message* message = buffers().receive;
    return message == nullptr ? PvmNoBuf : message->unpack(type, to, count, stride, call);
  });
}

}  // namespace

#define MORGANA_ELEMENT(name, type, code)                                 \
  int pvm_pk##name(type* from, int count, int stride) {                   \
    return pack("pvm_pk" #name, code, from, count, stride);               \
  }                                                                       \
  int pvm_upk##name(type* to, int count, int stride) {                    \
    return unpack(morgana::Call::pvm_upk##name, code, to, count, stride); \
  }

#include "pvmshim/pvm/elements.def"
#undef MORGANA_ELEMENT

int pvm_pkstr(char* text) {
  return reported("pvm_pkstr", [&] {
    Message* message = buffers().send;
    return message == nullptr ? PvmNoBuf : message->pack_string(text);
  });
}

int pvm_upkstr(char* text) {
  return reported("pvm_upkstr", [&] {
    Message* message = buffers().receive;
    return message == nullptr ? PvmNoBuf : message->unpack_string(text, morgana::Call::pvm_upkstr);
  });
}

int pvmupkstralloc(char** text) {
  return guarded([&] {
    Message* message = buffers().receive;
    if (message == nullptr) return PvmNoBuf;
    std::string unpacked;
    const int result = message->unpack_string(nullptr, morgana::Call::pvm_upkstr, &unpacked);
    *text = result < 0 ? nullptr : strdup(unpacked.c_str());
    return result;
  });
}
