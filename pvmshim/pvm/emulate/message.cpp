#include "pvmshim/pvm/emulate/message.h"

#include "pvmshim/pvm/api.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "pvmshim/pvm/element.h"
#include "pvmshim/pvm/emulate/transfer.h"
#include "pvmshim/pvm/emulate/xdr.h"

namespace morgana::pvm {
namespace {

constexpr int xdr_code = 0x10000000, in_place_code = 0x20000000;

/// A message that is packed into another one goes in pieces of this size: their number, and each behind its
/// length. It is what is left of pvmd's fragments (4,080 bytes) without their headers.
constexpr std::size_t fragment = 4080 - 48;
/// Encoding, tag, context, source, wait identifier, checksum and destination, before the pieces.
constexpr std::size_t described = 7;

const std::byte* bytes_at(const void* from, std::ptrdiff_t offset) {
  return static_cast<const std::byte*>(from) + offset;
}

}  // namespace

int Message::encoding_code() const {
  switch (encoding_) {
    case Encoding::xdr:
      return xdr_code;
    case Encoding::in_place:
      return in_place_code;
    case Encoding::raw:
      break;
  }
  return data_signature;
}

void Message::begin_packing() {
  state_ = State::packing;
}

void Message::begin_unpacking() {
  if (state_ != State::unpacking) cursor_ = 0;
  state_ = State::unpacking;
}

std::size_t Message::size() const {
  std::size_t size = data_.size();
  for (const Place& place : in_place_) size += place.size;
  return size;
}

int Message::shown_length() {
  if (state_ == State::packing) length_ = static_cast<int>(data_.size());
  return length_;
}

void Message::note_part(int type, int count) {
  parts_.push_back({type, count, static_cast<std::int64_t>(size())});
}

int Message::pack_words(int type, const void* from, int count, int stride) {
  const Element element = *element_of(type);
  if (encoding_ == Encoding::xdr) {
    append_xdr(data_, type, from, count, stride);
    return PvmOk;
  }
  const std::size_t bytes = element.size() * static_cast<std::size_t>(count);
  if (encoding_ == Encoding::in_place) {
    if (stride != 1) return PvmNotImpl;
    in_place_.push_back({bytes_at(from, 0), bytes});
    return PvmOk;
  }
  if (stride == 1) {
    data_.insert(data_.end(), bytes_at(from, 0), bytes_at(from, static_cast<std::ptrdiff_t>(bytes)));
    return PvmOk;
  }
  const auto step = static_cast<std::ptrdiff_t>(element.size()) * stride;
  for (int i = 0; i < count; ++i) {
    const std::byte* begin = bytes_at(from, step * i);
    data_.insert(data_.end(), begin, begin + element.size());
  }
  return PvmOk;
}

int Message::unpack_words(int type, void* to, int count, int stride, Call call) {
  if (encoding_ == Encoding::in_place) return PvmBadMsg;  // the receiver of such a message gets a raw one
  const Element element = *element_of(type);
  const std::span<const std::byte> rest = std::span<const std::byte>(data_).subspan(cursor_);
  const std::size_t size = element.size() * static_cast<std::size_t>(count);
  const std::size_t xdr_size = in_xdr_units(element.xdr_size() * static_cast<std::size_t>(count));
  if (coming_) wait_for(cursor_ + std::min(encoding_ == Encoding::xdr ? xdr_size : size, rest.size()), call);
  if (encoding_ == Encoding::xdr) {
    const int taken = take_xdr(rest, type, to, count, stride);
    cursor_ += std::min(xdr_size, rest.size());
    return taken == count ? PvmOk : PvmNoData;
  }
  const std::size_t there = std::min(size, rest.size());
  if (stride == 1) {
    if (there > 0) std::memcpy(to, rest.data(), there);
  } else {
    const auto step = static_cast<std::ptrdiff_t>(element.size()) * stride;
    for (std::size_t i = 0; i < there / element.size(); ++i)
      std::memcpy(static_cast<std::byte*>(to) + step * static_cast<std::ptrdiff_t>(i),
                  rest.data() + i * element.size(), element.size());
  }
  cursor_ += there;
  return there == size ? PvmOk : PvmNoData;
}

int Message::pack(int type, const void* from, int count, int stride) {
  const int result = pack_words(type, from, count, stride);
  if (result == PvmOk) note_part(type, count);
  return result;
}

int Message::unpack(int type, void* to, int count, int stride, Call call) {
  return unpack_words(type, to, count, stride, call);
}

int Message::pack_string(const char* text) {
  if (encoding_ == Encoding::in_place) return PvmNotImpl;
  const int length = static_cast<int>(std::strlen(text)) + 1;
  pack_int(length);
  pack_words(PVM_BYTE, text, length, 1);
  note_part(PVM_STR, length);
  return PvmOk;
}

int Message::unpack_string(char* text, Call call, std::string* allocated) {
  int length = 0;
  if (const int result = unpack_words(PVM_INT, &length, 1, 1, call); result != PvmOk) return result;
  if (length < 0) return PvmBadMsg;
  if (allocated != nullptr) {
    allocated->assign(std::min(static_cast<std::size_t>(length), data_.size()), '\0');
    text = allocated->data();
  }
  return unpack_words(PVM_BYTE, text, length, 1, call);
}

int Message::pack_message(Message& content) {
  const std::array<int, described> description{content.encoding_code(), content.tag,     content.context,
                                               content.source,          content.wait_id, content.checksum,
                                               content.destination};
  if (encoding_ == Encoding::in_place) return PvmOk;  // packs references to what is gone: nothing comes back
  content.wait_for_all(Call::pvm_pkmesg);
  for (const int number : description) pack_int(number);
  const std::vector<std::byte> data = content.data();
  std::span<const std::byte> rest(data);
  const std::size_t pieces = std::max<std::size_t>((data.size() + fragment - 1) / fragment, 1);
  pack_int(static_cast<int>(pieces));
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::span<const std::byte> piece = rest.first(std::min(rest.size(), fragment));
    pack_int(static_cast<int>(piece.size()));
    pack_words(PVM_BYTE, piece.data(), static_cast<int>(piece.size()), 1);
    rest = rest.subspan(piece.size());
  }
  note_part(PVM_BYTE, static_cast<int>(data.size()));
  return PvmOk;
}

int Message::pack_body(Message& content) {
  if (content.encoding_ != encoding_) return PvmMismatch;
  content.wait_for_all(Call::pvm_pkmesgbody);
  data_.insert(data_.end(), content.data_.begin(), content.data_.end());
  in_place_.insert(in_place_.end(), content.in_place_.begin(), content.in_place_.end());
  note_part(PVM_BYTE, static_cast<int>(content.size()));
  return PvmOk;
}

int Message::unpack_message(Message& content, Call call) {
  std::array<int, described> description{};
  for (int& number : description)
    if (const int result = unpack_words(PVM_INT, &number, 1, 1, call); result != PvmOk) return result;
  const int code = description[0];
  content.encoding_ = code == xdr_code         ? Encoding::xdr
                      : code == in_place_code  ? Encoding::in_place
                      : code == data_signature ? Encoding::raw
                                               : encoding_;
  content.tag = description[1];
  content.context = description[2];
  content.source = description[3];
  content.wait_id = description[4];
  content.checksum = description[5];
  content.destination = description[6];
  int pieces = 0;
  if (const int result = unpack_words(PVM_INT, &pieces, 1, 1, call); result != PvmOk) return result;
  for (int i = 0; i < pieces; ++i) {
    int size = 0;
    if (const int result = unpack_words(PVM_INT, &size, 1, 1, call); result != PvmOk) return result;
    if (size < 0 || static_cast<std::size_t>(size) > data_.size()) return PvmBadMsg;
    const std::size_t begin = content.data_.size();
    content.data_.resize(begin + static_cast<std::size_t>(size));
    if (const int result = unpack_words(PVM_BYTE, content.data_.data() + begin, size, 1, call);
        result != PvmOk)
      return result;
  }
  if (content.encoding_ != Encoding::in_place) content.length_ = static_cast<int>(content.data_.size());
  return PvmOk;
}

std::vector<std::byte> Message::data() const {
  std::vector<std::byte> data = data_;
  for (const Place& place : in_place_) data.insert(data.end(), place.begin, place.begin + place.size);
  return data;
}

void Message::receive(std::span<const Part> parts, std::span<const std::byte> data) {
  parts_.assign(parts.begin(), parts.end());
  data_.assign(data.begin(), data.end());
  length_ = static_cast<int>(data.size());
}

void Message::is_coming(const Arrival& arrival) {
  coming_ = arrival;
  there_ = static_cast<std::size_t>((arrival.bytes - arrival.coming).count());
}

/// What the program itself has packed behind a message that came is there.
void Message::wait_for(std::size_t end, Call call) {
  const auto bytes = static_cast<std::size_t>(coming_->bytes.count());
  end = std::min(end, bytes);
  if (end <= there_ || LiveRank::active() == nullptr) return;  // a forked child sees what its parent had
  there_ = wait_for_part(call, *coming_, end);
  if (there_ == bytes) coming_.reset();
}

void Message::wait_for_all(Call call) {
  if (coming_) wait_for(static_cast<std::size_t>(coming_->bytes.count()), call);
}

void Message::end() {
  if (coming_ && LiveRank::active() != nullptr) forget_rest(*coming_);
  coming_.reset();
}

}  // namespace morgana::pvm
