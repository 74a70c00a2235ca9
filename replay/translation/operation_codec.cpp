#include "replay/translation/operation_codec.h"

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// Small for numbers near 0 of either sign.
constexpr std::uint64_t folded(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1 ^ (~(number & 1) + 1));
}

/// Writer and Reader have the same functions, so that one description of the format serves both ways.
class Writer {
 public:
  static constexpr bool writes = true;
  explicit Writer(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  void byte(std::uint8_t& value) { bytes_.push_back(value); }
  void number(std::uint64_t& value) {
    std::uint64_t rest = value;
    for (; rest >= 0x80; rest >>= 7) bytes_.push_back(static_cast<std::uint8_t>(rest | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(rest));
  }

 private:
  std::vector<std::uint8_t>& bytes_;
};

class Reader {
 public:
  static constexpr bool writes = false;
  Reader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  const std::uint8_t* at() const { return at_; }
  void byte(std::uint8_t& value) {
    if (at_ == end_) inconsistent();
    value = *at_++;
  }
  void number(std::uint64_t& value) {
    std::uint8_t next = 0;
    byte(next);
    value = next & 0x7FU;
    for (unsigned shift = 7; next >= 0x80; shift += 7) {
      byte(next);
      if (shift > 63) inconsistent();
      value |= std::uint64_t{next & 0x7FU} << shift;
    }
  }
  [[noreturn]] static void inconsistent() { throw Error("the translated trace is damaged: replay it again"); }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

/// The fields that are seldom other than usual: a bit each.
enum Unusual : unsigned {
  computed_before = 1U << 0,
  computed_within = 1U << 1,
  polled = 1U << 2,
  duration = 1U << 3,
  taken = 1U << 4,
  other_call = 1U << 5,
  special = 1U << 6,  ///< send: mode and parts; receive: streamed; wait and test: completion
};

template <typename Stream>
class Codec {
 public:
  Codec(Stream& stream, CodecState& state) : stream_(stream), state_(state) {}

  void transfer(Operation& operation, RecordedPart& recorded) {
    std::uint8_t head = 0, unusual = 0;
    if constexpr (Stream::writes) {
      head = static_cast<std::uint8_t>(static_cast<unsigned>(operation.kind) |
                                       static_cast<unsigned>(operation.part) << 6);
      unusual = static_cast<std::uint8_t>(unusual_of(operation, recorded));
    }
    stream_.byte(head);
    stream_.byte(unusual);
    if constexpr (!Stream::writes) {
      if ((head & 0x3FU) > static_cast<unsigned>(OperationKind::wait_part)) Reader::inconsistent();
      operation.kind = static_cast<OperationKind>(head & 0x3FU);
      operation.part = static_cast<CallPart>(head >> 6);
      operation.payload = 0;
      operation.wants_answer = operation.kind == OperationKind::test;
    }
    if constexpr (Stream::writes) state_.call = operation.call;
    if ((unusual & other_call) != 0) as_number(state_.call);
    operation.call = state_.call;
    time(unusual & computed_before, recorded.computed);
    time(unusual & computed_within, recorded.computed_within);
    time(unusual & polled, operation.polled);
    time(unusual & duration, operation.duration);
    if ((unusual & taken) != 0)
      as_number(operation.taken);
    else
      operation.taken = no_request;
    rest(operation, recorded, (unusual & special) != 0);
  }

 private:
  unsigned unusual_of(const Operation& operation, const RecordedPart& recorded) const {
    unsigned unusual = 0;
    if (recorded.computed != SimTime()) unusual |= computed_before;
    if (recorded.computed_within != SimTime()) unusual |= computed_within;
    if (operation.polled != SimTime()) unusual |= polled;
    if (operation.duration != SimTime()) unusual |= duration;
    if (operation.taken != no_request) unusual |= taken;
    if (operation.call != state_.call) unusual |= other_call;
    const bool waits = operation.kind == OperationKind::wait || operation.kind == OperationKind::test;
    if ((operation.kind == OperationKind::send &&
         (operation.mode != SendMode::standard || !operation.parts.empty())) ||
        (operation.kind == OperationKind::receive && operation.streamed) ||
        (waits && operation.completion != Completion::all))
      unusual |= special;
    return unusual;
  }

  template <typename Value>
  void as_number(Value& value) {
    std::uint64_t number = 0;
    if constexpr (Stream::writes) number = static_cast<std::uint64_t>(value);
    stream_.number(number);
    if constexpr (!Stream::writes) value = static_cast<Value>(number);
  }
  /// For numbers of either sign; `from` is what it is likely to be near.
  template <typename Value>
  void as_difference(Value& value, std::int64_t from = 0) {
    std::uint64_t number = 0;
    if constexpr (Stream::writes) number = folded(static_cast<std::int64_t>(value) - from);
    stream_.number(number);
    if constexpr (!Stream::writes) value = static_cast<Value>(unfolded(number) + from);
  }
  void bytes(Bytes& value) {
    std::int64_t count = value.count();
    as_number(count);
    value = Bytes(count);
  }
  void time(unsigned present, SimTime& value) {
    std::int64_t ps = value.ps();
    if (present != 0)
      as_number(ps);
    else
      ps = 0;
    value = SimTime::from_ps(ps);
  }
  /// Context 0 is the usual one, any_context has 63 ones.
  void context(Context& value) {
    std::uint64_t number = (static_cast<std::uint64_t>(value) + 1) & (~std::uint64_t{0} >> 1);
    stream_.number(number);
    value = Context((number - 1) & (~std::uint64_t{0} >> 1));
  }
  /// The lowest two bits say who numbered it: 0 the trace, told as a difference; 1 the trace, told whole;
  /// 2 the call; 3 as 2 and never awaited.
  void request(RequestId& value) {
    std::uint64_t number = 0, id = static_cast<std::uint64_t>(value);
    if constexpr (Stream::writes) {
      number = (id & ~never_awaited_requests) << 2 | id >> 62;
      if (id < large_request)
        number = folded(static_cast<std::int64_t>(id) - static_cast<std::int64_t>(state_.request)) << 2;
      else if (id < private_requests)
        number = 1;
    }
    stream_.number(number);
    if ((number & 3) == 1) stream_.number(id);
    if constexpr (!Stream::writes) {
      if ((number & 3) == 0)
        id = state_.request + static_cast<std::uint64_t>(unfolded(number >> 2));
      else if ((number & 3) != 1)
        id = number >> 2 | (number & 3) << 62;
      value = RequestId(id);
    }
    if ((number & 3) == 0) state_.request = id;
  }

  void peer(Rank& value) { as_difference(value, state_.rank); }

  /// Sizes of many peers are often alike: each value with how often it follows in line.
  template <typename Element, typename Transfer>
  void list(std::vector<Element>& elements, Transfer transfer_one) {
    std::uint64_t count = elements.size();
    stream_.number(count);
    if constexpr (!Stream::writes) {
      elements.clear();
      if (count > most_elements) Reader::inconsistent();
    }
    for (std::uint64_t done = 0; done < count;) {
      std::uint64_t alike = 1;
      Element element{};
      if constexpr (Stream::writes) {
        element = elements[done];
        while (done + alike < count && elements[done + alike] == element) ++alike;
      }
      stream_.number(alike);
      transfer_one(element);
      if constexpr (!Stream::writes) {
        if (alike == 0 || alike > count - done) Reader::inconsistent();
        elements.insert(elements.end(), alike, element);
      }
      done += alike;
    }
  }

  void sizes(std::vector<Bytes>& list_of_sizes) {
    list(list_of_sizes, [this](Bytes& size) { bytes(size); });
  }
  void members(std::vector<std::int32_t>& list_of_members) {
    list(list_of_members, [this](std::int32_t& member) { as_number(member); });
  }

  void send_parts(Operation& operation, bool is_special) {
    if constexpr (!Stream::writes) {
      operation.mode = SendMode::standard;
      operation.parts.clear();
    }
    if (!is_special) return;
    as_number(operation.mode);
    list(operation.parts, [this](MessagePart& part) {
      as_number(part.type);
      as_number(part.count);
      as_number(part.end);
    });
  }

  void collective(CollectivePart& part) {
    std::uint8_t flags = 0;
    if constexpr (Stream::writes) {
      const auto flag = [&flags](bool set, unsigned bit) {
        if (set) flags = static_cast<std::uint8_t>(flags | 1U << bit);
      };
      flag(part.commutative, 0);
      flag(part.in_place, 1);
      flag(part.blocking, 2);
      flag(part.root != 0 || part.first_group != 0, 3);
      flag(!part.send_sizes.empty() || !part.receive_sizes.empty(), 4);
      flag(!part.sources.empty() || !part.destinations.empty(), 5);
    }
    as_number(part.kind);
    stream_.byte(flags);
    part.commutative = (flags & 1U) != 0;
    part.in_place = (flags & 2U) != 0;
    part.blocking = (flags & 4U) != 0;
    bytes(part.bytes);
    bytes(part.element);
    if constexpr (!Stream::writes) {
      part.root = part.first_group = 0;
      part.send_sizes.clear();
      part.receive_sizes.clear();
      part.sources.clear();
      part.destinations.clear();
    }
    if ((flags & 8U) != 0) {
      as_number(part.root);
      as_difference(part.first_group);
    }
    if ((flags & 16U) != 0) {
      sizes(part.send_sizes);
      sizes(part.receive_sizes);
    }
    if ((flags & 32U) != 0) {
      members(part.sources);
      members(part.destinations);
    }
  }

  void requests(Operation& operation, bool is_special) {
    std::uint64_t count = operation.requests.size();
    stream_.number(count);
    if constexpr (!Stream::writes) {
      operation.requests.clear();
      operation.completion = Completion::all;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      RequestId id = no_request;
      if constexpr (Stream::writes) id = operation.requests[i];
      request(id);
      if constexpr (!Stream::writes) operation.requests.push_back(id);
    }
    if (is_special) as_number(operation.completion);
  }

  void rest(Operation& operation, RecordedPart& recorded, bool is_special) {
    switch (operation.kind) {
      case OperationKind::send:
      case OperationKind::receive:
        request(operation.request);
        context(operation.context);
        peer(operation.peer);
        as_difference(operation.tag);
        bytes(operation.bytes);
        if (operation.kind == OperationKind::send) return send_parts(operation, is_special);
        operation.streamed = is_special;
        return;
      case OperationKind::collective:
        request(operation.request);
        context(operation.context);
        return collective(operation.collective);
      case OperationKind::wait:
      case OperationKind::test:
        return requests(operation, is_special);
      case OperationKind::probe:
      case OperationKind::test_probe:
        context(operation.context);
        peer(operation.peer);
        as_difference(operation.tag);
        if constexpr (!Stream::writes) operation.requests.clear();
        return;
      case OperationKind::cancel:
        return request(operation.request);
      case OperationKind::access:
      case OperationKind::lock:
      case OperationKind::unlock:
        request(operation.request);
        as_number(operation.context);
        peer(operation.peer);
        bytes(operation.bytes);
        bytes(operation.reply);
        as_number(operation.exclusive);
        return;
      case OperationKind::wait_part:
        request(operation.request);
        bytes(operation.bytes);
        return;
      case OperationKind::spawn:
      case OperationKind::kill:
        peer(operation.peer);
        as_number(recorded.host);
        return;
      case OperationKind::context_created:
        context(operation.context);
        as_number(recorded.communicator);
        return;
      default:
        return;
    }
  }

  static constexpr std::uint64_t large_request = std::uint64_t{1} << 60;
  static constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;
  Stream& stream_;
  CodecState& state_;
};

}  // namespace

void encode(const RecordedOperation& recorded, CodecState& state, std::vector<std::uint8_t>& bytes) {
  Writer writer(bytes);
  // A Writer changes nothing.
  auto& unchanged = const_cast<RecordedOperation&>(recorded);
  Codec<Writer>(writer, state).transfer(unchanged.operation, unchanged);
}

void decode(const std::uint8_t*& at, const std::uint8_t* end, CodecState& state, Operation& operation,
            RecordedPart& recorded) {
  Reader reader(at, end);
  Codec<Reader>(reader, state).transfer(operation, recorded);
  at = reader.at();
}

}  // namespace morgana
