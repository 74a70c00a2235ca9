// Message buffers: making, choosing, asking and ending them.

#include "pvmshim/pvm/emulate/errors.h"
#include "pvmshim/pvm/emulate/message_table.h"

using namespace morgana::pvm;

namespace {

int id_of(const Message* message) {
  return message == nullptr ? 0 : message->id;
}

int make(int encoding) {
  switch (encoding) {
    case PvmDataDefault:
    case PvmDataTrace:  // for a tracer's messages, of which there are none
      encoding = PvmDataDefault;
      break;
    case PvmDataRaw:
    case PvmDataInPlace:
      break;
    default:
      return PvmBadParam;
  }
  Message& message = buffers().messages.add(static_cast<Encoding>(encoding));
  message.source = pvmmytid;
  return message.id;
}

template <typename Choose>
int choose(int id, const Choose& choose_message) {
  if (id < 0) return PvmBadParam;
  Message* message = buffers().messages.find(id);
  if (id > 0 && message == nullptr) return PvmNoSuchBuf;
  return choose_message(message);
}

template <typename Use>
int with_message(int id, const Use& use) {
  if (id <= 0) return PvmBadParam;
  Message* message = buffers().messages.find(id);
  return message == nullptr ? PvmNoSuchBuf : use(*message);
}

/// A message to put into the one that is being packed.
template <typename Use>
int with_content(int id, const Use& use) {
  return with_message(id, [&](Message& message) {
    Message* envelope = buffers().send;
    if (envelope == nullptr) return PvmNoBuf;
    return envelope == &message ? PvmBadParam : use(*envelope, message);
  });
}

}  // namespace

int pvm_mkbuf(int encoding) {
  return reported("pvm_mkbuf", [&] { return make(encoding); });
}

int pvm_initsend(int encoding) {
  const int id = pvm_mkbuf(encoding);
  if (id < 0) return lpvmerr("pvm_initsend", id);
  if (buffers().send != nullptr) pvm_freebuf(buffers().send->id);
  pvm_setsbuf(id);
  return id;
}

int pvm_freebuf(int id) {
  return reported("pvm_freebuf", [&] {
    return choose(id, [](Message* message) {
      if (message != nullptr) buffers().free(*message);
      return PvmOk;
    });
  });
}

int pvm_getsbuf(void) {
  return id_of(buffers().send);
}

int pvm_getrbuf(void) {
  return id_of(buffers().receive);
}

int pvm_setsbuf(int id) {
  return reported("pvm_setsbuf",
                  [&] { return choose(id, [](Message* message) { return buffers().set_send(message); }); });
}

int pvm_setrbuf(int id) {
  return reported("pvm_setrbuf", [&] {
    return choose(id, [](Message* message) { return buffers().set_receive(message); });
  });
}

int pvm_bufinfo(int id, int* bytes, int* tag, int* source) {
  return reported("pvm_bufinfo", [&] {
    return with_message(id, [&](Message& message) {
      if (bytes != nullptr) *bytes = message.shown_length();
      if (tag != nullptr) *tag = message.tag;
      if (source != nullptr) *source = message.source;
      return PvmOk;
    });
  });
}

int pvm_getminfo(int id, pvmminfo* info) {
  return reported("pvm_getminfo", [&] {
    return with_message(id, [&](Message& message) {
      *info = {message.shown_length(),  message.context,  message.tag,    message.wait_id,
               message.encoding_code(), message.checksum, message.source, message.destination};
      return PvmOk;
    });
  });
}

int pvm_setminfo(int id, pvmminfo* info) {
  return reported("pvm_setminfo", [&] {
    return with_message(id, [&](Message& message) {
      message.context = info->ctx;
      message.tag = info->tag;
      message.wait_id = info->wid;
      message.source = info->src;
      message.destination = info->dst;
      return PvmOk;
    });
  });
}

int pvm_pkmesg(int id) {
  return guarded([&] {
    return with_content(id,
                        [](Message& envelope, Message& message) { return envelope.pack_message(message); });
  });
}

int pvm_pkmesgbody(int id) {
  return guarded([&] {
    return with_content(id, [](Message& envelope, Message& message) { return envelope.pack_body(message); });
  });
}

int pvm_upkmesg(void) {
  return guarded([] {
    Message* envelope = buffers().receive;
    if (envelope == nullptr) return PvmNoBuf;
    Message& content = buffers().messages.add(Encoding::xdr);
    const int result = envelope->unpack_message(content, morgana::Call::pvm_upkmesg);
    return result < 0 ? result : content.id;
  });
}
