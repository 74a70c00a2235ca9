#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// GraphNode::nic of a send that an empty message is to answer, until MessageSizes has seen it.
constexpr std::uint8_t answered_send = 1;

/// One number for a communicator's messages of one tag: a schedule has no communicators. Messages of
/// MPI_COMM_WORLD keep their tags, the others have numbers from 1073741824 on, which
/// traces of a schedule's run can hold, too.
class ScheduleTags {
 public:
  /// @throws Error if there are more than 2^30
  Tag of(Context context, Tag tag) {
    if (context == world_context && tag >= Tag{0} && tag < first) return tag;
    const auto [found, fresh] = numbers_.try_emplace(std::pair(context, tag), 0);
    if (fresh) {
      if (numbers_.size() > std::size_t{1} << 30)
        throw Error("communicators and collectives of the trace need more tags than a schedule has");
      found.value() = static_cast<std::int32_t>(first) + static_cast<std::int32_t>(numbers_.size() - 1);
    }
    return Tag{found->second};
  }
  /// Of what answers messages of a tag of this schedule. @throws Error as of()
  Tag answer_to(Tag tag) { return of(any_context, tag); }

 private:
  struct Hash {
    std::size_t operator()(const std::pair<Context, Tag>& one) const {
      const std::uint64_t mixed = static_cast<std::uint64_t>(one.first) * 0x9e3779b97f4a7c15 ^
                                  static_cast<std::uint32_t>(one.second) * 0xd6e8feb86659fd93;
      return mixed ^ (mixed >> 32);
    }
  };
  static constexpr Tag first{1 << 30};
  tsl::robin_map<std::pair<Context, Tag>, std::int32_t, Hash> numbers_;
};

/// Between two ranks the first receive of a tag gets the first message: it is as long as that.
class FirstMessageSizes {
 public:
  void sent(Rank from, GraphNode& send) {
    const bool answered = send.nic == answered_send;
    send.nic = 0;
    sizes_[{from, send.peer, send.tag}].all.push_back(answered ? ~send.amount : send.amount);
  }
  /// @return whether the message is to be answered
  bool received(Rank by, GraphNode& receive) {
    const auto found = sizes_.find({receive.peer, by, receive.tag});
    if (found == sizes_.end()) return false;
    Line& line = found.value();
    if (line.next == line.all.size()) return false;
    const std::int64_t size = line.all[line.next++];
    receive.amount = size < 0 ? ~size : size;
    return size < 0;
  }

 private:
  struct Key {
    Rank from, to;
    Tag tag;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const std::uint64_t mixed =
          (std::uint64_t{static_cast<std::uint32_t>(key.from)} << 32 | static_cast<std::uint32_t>(key.to)) *
              0x9e3779b97f4a7c15 ^
          static_cast<std::uint32_t>(key.tag) * 0xd6e8feb86659fd93;
      return mixed ^ (mixed >> 29);
    }
  };
  struct Line {
    std::vector<std::int64_t> all;  ///< of those to be answered the complement
    std::size_t next = 0;
  };
  tsl::robin_map<Key, Line, Hash> sizes_;
};

}  // namespace morgana
