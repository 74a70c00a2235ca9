#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/pvm/emulate/arrival.h"
#include "pvmshim/pvmd/message.h"

namespace morgana::pvm {

/// A message buffer, as pvm_mkbuf makes them and pvm_recv brings them. It is packed or unpacked; going over
/// from packing to unpacking starts at its beginning, the other way round appends.
/// Results are PVM's codes, PvmOk or negative.
class Message {
 public:
  explicit Message(Encoding encoding) : encoding_(encoding) {}

  Encoding encoding() const { return encoding_; }
  /// As pvm_getminfo shows it.
  int encoding_code() const;
  /// Of raw messages: the representation of numbers on this kind of machine.
  static constexpr int data_signature = 0x408c41;

  void begin_packing();
  void begin_unpacking();
  /// The next begin_unpacking() starts at the beginning.
  void rewind() { state_ = state_ == State::unpacking ? State::idle : state_; }

  /// @param type  of an Element
  int pack(int type, const void* from, int count, int stride);
  /// @param call  the program's call in which what has not come yet is waited for
  int unpack(int type, void* to, int count, int stride, Call call);
  int pack_string(const char* text);
  /// To `text`, or if that is null to `allocated`.
  int unpack_string(char* text, Call call, std::string* allocated = nullptr);
  /// Another message, whole, or just its data.
  int pack_message(Message& content);
  int pack_body(Message& content);
  int unpack_message(Message& content, Call call);

  /// The data; those in place are read now.
  std::vector<std::byte> data() const;
  std::size_t size() const;
  const std::vector<Part>& parts() const { return parts_; }
  /// What has come.
  void receive(std::span<const Part> parts, std::span<const std::byte> data);

  /// Only the head of the message has come; the data are here already, but the program gets them in time.
  void is_coming(const Arrival& arrival);
  /// Before the data go elsewhere: a message that has not come can't be passed on.
  void wait_for_all(Call call);
  /// The program has freed the message.
  void end();

  /// What pvm_bufinfo calls its length: that of packed data is known once asked for, that of data in place
  /// only to the receiver.
  int shown_length();

  int id = 0;  ///< the program's handle
  int tag = 0, context = 0, wait_id = 0, checksum = 0;
  TaskId source = 0, destination = 0;

 private:
  enum class State { idle, packing, unpacking };
  struct Place {
    const std::byte* begin;
    std::size_t size;
  };

  int pack_words(int type, const void* from, int count, int stride);
  int unpack_words(int type, void* to, int count, int stride, Call call);
  void wait_for(std::size_t end, Call call);
  int pack_int(int value) { return pack_words(3 /* PVM_INT */, &value, 1, 1); }
  void note_part(int type, int count);

  Encoding encoding_;
  State state_ = State::idle;
  std::vector<std::byte> data_;
  std::vector<Place> in_place_;
  std::vector<Part> parts_;
  std::size_t cursor_ = 0;
  int length_ = 0;
  std::optional<Arrival> coming_;
  std::size_t there_ = 0;  ///< of a message that is coming
};

}  // namespace morgana::pvm
