#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "pvmshim/agent/frame.h"

namespace morgana {

/// What threads that receive leave to be sent by the one that acts. They never send: two agents that both
/// sent much would both wait for the other to receive.
class Replies {
 public:
  struct Reply {
    std::size_t agent;
    FrameKind kind;
    std::vector<std::byte> content;
  };

  void put(std::size_t agent, FrameKind kind, std::vector<std::byte> content) {
    const std::lock_guard lock(mutex_);
    replies_.push_back({agent, kind, std::move(content)});
  }
  /// In the order in which they were put.
  std::vector<Reply> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(replies_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Reply> replies_;
};

}  // namespace morgana
