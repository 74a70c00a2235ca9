// A rank's file: protocol buffers after et_def.proto, with the attributes of PyTorch's converter and of
// ASTRA-sim.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <utility>

#include "emulator/core/error.h"
#include "traces/import/chakra_form.h"

namespace morgana::chakra {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr std::size_t longest_name_shown = 60;

std::string_view text_of(pbf_reader& from) {
  const protozero::data_view view = from.get_view();
  return {view.data(), view.size()};
}

/// Numbers that may be packed or not. A field of another kind is no concern of ours.
void add_numbers(pbf_reader& from, std::vector<std::uint64_t>& to) {
  if (from.has_wire_type(pbf_wire_type::varint)) {
    to.push_back(from.get_uint64());
  } else if (from.has_wire_type(pbf_wire_type::length_delimited)) {
    for (const std::uint64_t one : from.get_packed_uint64()) to.push_back(one);
  } else {
    from.skip();
  }
}

/// An attribute's value as far as we read it.
struct Attribute {
  std::string_view name;
  std::optional<std::int64_t> number;  ///< of all numbers and truth values
  std::optional<std::string_view> text;
  std::string_view list;  ///< of a list of truth values: its bytes
  bool is_bool_list = false;
};

std::optional<std::int64_t> whole(double value) {
  constexpr double beyond = 9.2e18;
  if (!(std::abs(value) < beyond)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// The numbers of AttributeProto's fields are those of et_def.proto.
Attribute read_attribute(std::string_view bytes) {
  Attribute attribute;
  pbf_reader in(bytes.data(), bytes.size());
  while (in.next()) {
    const std::uint32_t field = in.tag();
    switch (in.wire_type()) {
      case pbf_wire_type::varint: {
        const std::uint64_t raw = in.get_uint64();
        if (field == 15 || field == 17)
          attribute.number = protozero::decode_zigzag64(raw);  // sint32, sint64
        else if (field == 7)
          attribute.number = static_cast<std::int32_t>(raw);  // int32
        else if (field == 9 || field == 11 || field == 13 || field == 27)
          attribute.number = static_cast<std::int64_t>(raw);  // int64, uint32, uint64, bool
        break;
      }
      case pbf_wire_type::fixed32: {
        const std::uint32_t raw = in.get_fixed32();
        if (field == 5) attribute.number = whole(std::bit_cast<float>(raw));
        if (field == 19) attribute.number = raw;
        if (field == 23) attribute.number = static_cast<std::int32_t>(raw);
        break;
      }
      case pbf_wire_type::fixed64: {
        const std::uint64_t raw = in.get_fixed64();
        if (field == 3) attribute.number = whole(std::bit_cast<double>(raw));
        if (field == 21 || field == 25) attribute.number = static_cast<std::int64_t>(raw);
        break;
      }
      case pbf_wire_type::length_delimited: {
        const std::string_view view = text_of(in);
        if (field == 1) attribute.name = view;
        if (field == 29 || field == 31) attribute.text = view;
        if (field == 28) {
          attribute.is_bool_list = true;
          attribute.list = view;
        }
        break;
      }
      default:
        in.skip();
    }
  }
  return attribute;
}

/// Whether all of the truth values are set.
bool all_set(std::string_view list) {
  std::vector<std::uint64_t> values;
  pbf_reader in(list.data(), list.size());
  while (in.next()) {
    if (in.tag() == 1)
      add_numbers(in, values);
    else
      in.skip();
  }
  return std::ranges::all_of(values, [](std::uint64_t value) { return value != 0; });
}

class RankReader {
 public:
  explicit RankReader(const std::filesystem::path& file) : in_(file) { raw_.file = file; }

  RawRank read(const std::function<void(double)>& progress) {
    const std::optional<std::string_view> first = in_.next();
    if (!first) in_.refuse("the file is empty");
    guarded([&] { read_metadata(*first); });
    constexpr std::size_t nodes_between_reports = 1 << 10;
    while (const std::optional<std::string_view> message = in_.next()) {
      guarded([&] { read_node(*message); });
      if (raw_.nodes.size() % nodes_between_reports == 0 && progress) progress(in_.share());
    }
    return std::move(raw_);
  }

 private:
  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (const protozero::exception& broken) {
      in_.refuse(broken.what());
    }
  }

  void read_metadata(std::string_view message) {
    pbf_reader in(message.data(), message.size());
    while (in.next()) {
      if (!in.has_wire_type(pbf_wire_type::length_delimited) || in.tag() > 2)
        in_.refuse("the file does not begin with GlobalMetadata");
      in.skip();
    }
  }

  void read_node(std::string_view message) {
    raw_node_ = {};
    raw_node_.first_data = raw_.data.size();
    raw_node_.first_ctrl = raw_.ctrl.size();
    name_ = values_ = {};
    type_ = 0;
    comm_type_.reset();
    source_.reset();
    destination_.reset();
    size_.reset();
    tensor_size_ = 0;
    tid_ = no_stream;
    partial_dimensions_ = false;
    Node& node = raw_node_.node;
    std::uint64_t duration = 0;
    std::vector<std::string_view>& attributes = attributes_;
    attributes.clear();
    pbf_reader in(message.data(), message.size());
    while (in.next()) {
      const bool is_varint = in.has_wire_type(pbf_wire_type::varint);
      const bool is_text = in.has_wire_type(pbf_wire_type::length_delimited);
      const std::uint32_t field = in.tag();
      if (field == 1 && is_varint)
        node.id = in.get_uint64();
      else if (field == 2 && is_text)
        name_ = text_of(in);
      else if (field == 3 && is_varint)
        type_ = in.get_uint64();
      else if (field == 4)
        add_numbers(in, raw_.ctrl);
      else if (field == 5)
        add_numbers(in, raw_.data);
      else if (field == 7 && is_varint)
        duration = in.get_uint64();
      else if (field == 8 && is_text)
        values_ = values_of(text_of(in));
      else if (field == 10 && is_text)
        attributes.push_back(text_of(in));
      else
        in.skip();
    }
    constexpr std::uint64_t last_type = 7;
    if (type_ == 0 || type_ > last_type)
      refuse(fmt::format("its type is {}; types are 1 (METADATA) to {} (COMM_COLL)", type_, last_type));
    node.type = static_cast<NodeType>(type_);
    node.microseconds = checked(duration, most_microseconds, "duration_micros");
    for (const std::string_view one : attributes) take(read_attribute(one));
    if (node.stream == no_stream) node.stream = tid_;
    finish(node);
    raw_.nodes.push_back(std::move(raw_node_));
    if (raw_.nodes.size() > most_nodes_of_rank) refuse("the file has too many nodes: split it");
  }

  static std::string_view values_of(std::string_view inputs) {
    std::string_view values;
    pbf_reader in(inputs.data(), inputs.size());
    while (in.next()) {
      if (in.tag() == 1 && in.has_wire_type(pbf_wire_type::length_delimited))
        values = text_of(in);
      else
        in.skip();
    }
    return values;
  }

  void take(const Attribute& attribute) {
    Node& node = raw_node_.node;
    if (attribute.name == "pg_name") {
      if (attribute.text)
        raw_node_.group = *attribute.text;
      else if (attribute.number)
        raw_node_.group = std::to_string(*attribute.number);
      return;
    }
    if (attribute.name == "involved_dim" && attribute.is_bool_list) {
      partial_dimensions_ = !all_set(attribute.list);
      return;
    }
    if (!attribute.number) return;
    const std::int64_t number = *attribute.number;
    if (attribute.name == "is_cpu_op")
      node.on_cpu = number != 0;
    else if (attribute.name == "comm_type")
      comm_type_ = number;
    else if (attribute.name == "comm_size")
      size_ = checked(number, most_bytes, "comm_size");
    else if (attribute.name == "tensor_size")
      tensor_size_ = checked(number, most_bytes, "tensor_size");
    else if (attribute.name == "num_ops")
      node.operations = checked(number, most_operations, "num_ops");
    else if (attribute.name == "comm_src")
      source_ = number;
    else if (attribute.name == "comm_dst")
      destination_ = number;
    else if (attribute.name == "comm_tag")
      node.tag = static_cast<std::uint32_t>(checked(number, most_tag, "comm_tag"));
    else if (attribute.name == "stream")
      node.stream = std::max(number, no_stream);
    else if (attribute.name == "tid")
      tid_ = std::max(number, no_stream);
  }

  template <class Number>
  std::int64_t checked(Number number, std::int64_t most, const char* what) const {
    if (std::cmp_less(number, 0) || std::cmp_greater(number, most))
      refuse(fmt::format("{} is {}; it lies between 0 and {}", what, number, most));
    return static_cast<std::int64_t>(number);
  }

  std::int32_t rank_in(std::int64_t number, const char* what) const {
    if (number < 0 || number > std::numeric_limits<std::int32_t>::max())
      refuse(fmt::format("{} is {}, which is not a rank", what, number));
    return static_cast<std::int32_t>(number);
  }

  /// What belongs to its type.
  void finish(Node& node) {
    // A launch: what goes over the network is a node of its own, on the GPU.
    const auto only_launches = [&](bool says_what) {
      if (says_what || !node.on_cpu) return false;
      node.type = NodeType::compute;
      return true;
    };
    switch (node.type) {
      case NodeType::metadata:
        define_groups();
        return;
      case NodeType::memory_load:
      case NodeType::memory_store:
      case NodeType::compute:
        node.bytes = tensor_size_;
        return;
      case NodeType::send:
      case NodeType::receive: {
        const bool sends = node.type == NodeType::send;
        const std::optional<std::int64_t>& peer = sends ? destination_ : source_;
        if (only_launches(peer.has_value())) return;
        const char* what = sends ? "comm_dst" : "comm_src";
        if (!peer) refuse(fmt::format("it has no {}", what));
        if (!size_) refuse("it has no comm_size");
        node.peer = rank_in(*peer, what);
        node.bytes = *size_;
        return;
      }
      case NodeType::collective:
        if (!only_launches(comm_type_.has_value())) finish_collective(node);
        return;
      case NodeType::invalid:
        return;
    }
  }

  void finish_collective(Node& node) {
    constexpr std::int64_t last = static_cast<std::int64_t>(CollectiveType::barrier);
    if (!comm_type_) refuse("it has no comm_type");
    if (*comm_type_ < 0 || *comm_type_ > last)
      refuse(fmt::format("its comm_type is {}; they are 0 (ALL_REDUCE) to {} (BARRIER)", *comm_type_, last));
    node.collective = static_cast<CollectiveType>(*comm_type_);
    if (!size_ && node.collective != CollectiveType::barrier) refuse("it has no comm_size");
    // A barrier's tensor has one element, whatever size a trace gives it (PyTorch,
    // ProcessGroupNCCL::barrier).
    node.bytes = node.collective == CollectiveType::barrier ? 0 : size_.value_or(0);
    if (source_) {
      node.peer = rank_in(*source_, "comm_src");
      raw_node_.has_root = true;
    }
    if (partial_dimensions_ && raw_node_.group.empty())
      refuse(
          "its involved_dim leaves out dimensions, which networks here do not have; name its ranks by "
          "pg_name");
  }

  void define_groups() {
    if (values_.find("pg_name") == std::string_view::npos) return;
    try {
      for (auto& [name, members] : groups_in(values_)) raw_.groups[name] = std::move(members);
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(fmt::format("{}: {}", node_text(raw_.file, raw_node_.node.id, name_), what));
  }

  static constexpr std::size_t most_nodes_of_rank = (std::size_t{1} << 31) - 2;

  MessageFile in_;
  RawRank raw_;
  // Of the node that is being read:
  RawNode raw_node_;
  std::string_view name_, values_;
  std::uint64_t type_ = 0;
  std::optional<std::int64_t> comm_type_, source_, destination_, size_;
  std::int64_t tensor_size_ = 0, tid_ = no_stream;
  bool partial_dimensions_ = false;
  std::vector<std::string_view> attributes_;
};

}  // namespace

std::string_view name_of(CollectiveType type) {
  constexpr std::array<std::string_view, 10> names{
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  return names[static_cast<std::size_t>(type)];
}

RawRank read_rank(const std::filesystem::path& file, const std::function<void(double)>& progress) {
  return RankReader(file).read(progress);
}

std::string name_in(const std::filesystem::path& file, std::uint64_t id) {
  try {
    MessageFile in(file);
    in.next();
    while (const std::optional<std::string_view> message = in.next()) {
      std::uint64_t found = 0;
      std::string_view name;
      pbf_reader fields(message->data(), message->size());
      while (fields.next()) {
        if (fields.tag() == 1 && fields.has_wire_type(pbf_wire_type::varint))
          found = fields.get_uint64();
        else if (fields.tag() == 2 && fields.has_wire_type(pbf_wire_type::length_delimited))
          name = text_of(fields);
        else
          fields.skip();
      }
      if (found == id) return std::string(name);
    }
  } catch (const Error&) {  // the file has changed since it was read: the id must do
  } catch (const protozero::exception&) {
  }
  return {};
}

std::string node_text(const std::filesystem::path& file, std::uint64_t id, std::string_view name) {
  std::string shown(name.substr(0, longest_name_shown));
  // Bytes of control, and of characters that may be cut in two.
  for (char& one : shown)
    if (static_cast<unsigned char>(one) < ' ' || static_cast<unsigned char>(one) >= 0x7F) one = '?';
  if (shown.size() < name.size()) shown += "...";
  if (shown.empty()) return fmt::format("{}: node {}", file.string(), id);
  return fmt::format("{}: node {} (\"{}\")", file.string(), id, shown);
}

std::string where(const RankTrace& rank, const Node& node) {
  return node_text(rank.file, node.id, name_in(rank.file, node.id));
}

}  // namespace morgana::chakra
