// pvm_packf and pvm_unpackf: % count . stride, then h, l or u, then the type. Without count and stride a
// number is given by value.

#include <ctype.h>
#include <stdarg.h>

#include <optional>
#include <string>

#include "pvmshim/pvm/emulate/errors.h"
#include "pvmshim/pvm/emulate/message_table.h"

using namespace morgana::pvm;

namespace {

/// One item of a format.
struct Item {
  int count = 1, stride = 1;
  bool by_value = true;
  bool is_short = false, is_long = false, is_unsigned = false;
  char letter = 0;

  /// PVM's code, nothing for letters that name no type.
  std::optional<int> type() const {
    switch (letter) {
      case 'c':
        return PVM_BYTE;
      case 'd':
        if (is_long) return is_unsigned ? PVM_ULONG : PVM_LONG;
        if (is_short) return is_unsigned ? PVM_USHORT : PVM_SHORT;
        return is_unsigned ? PVM_UINT : PVM_INT;
      case 'f':
        return is_long ? PVM_DOUBLE : PVM_FLOAT;
      case 'x':
        return is_long ? PVM_DCPLX : PVM_CPLX;
      default:
        return std::nullopt;
    }
  }
};

class Format {
 public:
  Format(const char* text, va_list values) : next_(text) { va_copy(values_, values); }
  ~Format() { va_end(values_); }
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;

  /// "%+" at the beginning: the encoding of a new message.
  std::optional<int> encoding() {
    if (next_[0] != '%' || next_[1] != '+') return std::nullopt;
    next_ += 2;
    return va_arg(values_, int);
  }

  std::optional<Item> next_item() {
    while (*next_ != '\0' && *next_ != '%') ++next_;
    if (*next_ == '\0') return std::nullopt;
    ++next_;
    Item item;
    if (const auto count = number()) {
      item.count = *count;
      item.by_value = false;
    }
    if (*next_ == '.') {
      ++next_;
      item.by_value = false;
      if (const auto stride = number()) item.stride = *stride;
    }
    for (;; ++next_) {
      if (*next_ == 'h')
        item.is_short = true;
      else if (*next_ == 'l')
        item.is_long = true;
      else if (*next_ == 'u')
        item.is_unsigned = true;
      else
        break;
    }
    item.letter = *next_;
    if (*next_ != '\0') ++next_;
    return item;
  }

  va_list& values() { return values_; }

 private:
  std::optional<int> number() {
    if (*next_ == '*') {
      ++next_;
      return va_arg(values_, int);
    }
    if (!isdigit(static_cast<unsigned char>(*next_))) return std::nullopt;
    int value = 0;
    for (; isdigit(static_cast<unsigned char>(*next_)); ++next_) value = value * 10 + (*next_ - '0');
    return value;
  }

  const char* next_;
  va_list values_;
};

int pack_item(Message& message, const Item& item, va_list& values) {
  if (item.letter == 's') return message.pack_string(va_arg(values, const char*));
  const auto type = item.type();
  if (!type) return PvmBadParam;
  if (!item.by_value || item.letter == 'x')
    return message.pack(*type, va_arg(values, const void*), item.count, item.stride);
  if (message.encoding() == Encoding::in_place) {
    // There is no place to refer to once the call has returned; the real library refers to it all the same.
    switch (*type) {
      case PVM_LONG:
      case PVM_ULONG:
        va_arg(values, long);
        break;
      case PVM_FLOAT:
      case PVM_DOUBLE:
        va_arg(values, double);
        break;
      default:
        va_arg(values, int);
    }
    return PvmOk;
  }
  switch (*type) {
    case PVM_LONG:
    case PVM_ULONG: {
      const long value = va_arg(values, long);
      return message.pack(*type, &value, 1, 1);
    }
    case PVM_DOUBLE: {
      const double value = va_arg(values, double);
      return message.pack(*type, &value, 1, 1);
    }
    case PVM_FLOAT: {
      const float value = static_cast<float>(va_arg(values, double));
      return message.pack(*type, &value, 1, 1);
    }
    case PVM_BYTE: {
      const char value = static_cast<char>(va_arg(values, int));
      return message.pack(*type, &value, 1, 1);
    }
    case PVM_SHORT:
    case PVM_USHORT: {
      const short value = static_cast<short>(va_arg(values, int));
      return message.pack(*type, &value, 1, 1);
    }
    default: {
      const int value = va_arg(values, int);
      return message.pack(*type, &value, 1, 1);
    }
  }
}

int pack_all(Format& format) {
  if (const auto encoding = format.encoding())
    if (const int id = pvm_initsend(*encoding); id < 0) return id;
  Message* message = buffers().send;
  if (message == nullptr) return PvmNoBuf;
  while (const auto item = format.next_item())
    if (const int result = pack_item(*message, *item, format.values()); result != PvmOk) return result;
  return PvmOk;
}

int unpack_all(Format& format) {
  constexpr auto call = morgana::Call::pvm_unpackf;
  Message* message = buffers().receive;
  if (message == nullptr) return PvmNoBuf;
  while (const auto item = format.next_item()) {
    const auto type = item->type();
    if (item->letter != 's' && !type) return PvmBadParam;
    void* to = va_arg(format.values(), void*);
    const int result = item->letter == 's' ? message->unpack_string(static_cast<char*>(to), call)
                                           : message->unpack(*type, to, item->count, item->stride, call);
    if (result != PvmOk) return result;
  }
  return PvmOk;
}

}  // namespace

int pvm_vpackf(const char* format, va_list values) {
  return reported("pvm_packf", [&] {
    Format items(format, values);
    return pack_all(items);
  });
}

int pvm_vunpackf(const char* format, va_list values) {
  return reported("pvm_unpackf", [&] {
    Format items(format, values);
    return unpack_all(items);
  });
}

int pvm_packf(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int result = pvm_vpackf(format, values);
  va_end(values);
  return result;
}

int pvm_unpackf(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int result = pvm_vunpackf(format, values);
  va_end(values);
  return result;
}
