#include "pvmshim/channel/message_frames.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <vector>

#include "pvmshim/channel/frame_head.h"
#include "pvmshim/channel/marked_payload.h"

namespace morgana {
namespace {

struct BlockFrame {
  FrameHead head;
  std::uint64_t payload, mark, readers, size, begin;
};
struct MessageFrame {
  FrameHead head;
  std::uint64_t payload, context, tag;
};

constexpr std::size_t pieces_at_once = 512;

/// What is to be written, piece by piece.
class Pieces {
 public:
  explicit Pieces(int socket) : socket_(socket) {}

  bool add(const void* bytes, std::size_t size) {
    if (size == 0) return true;
    pieces_.push_back({const_cast<void*>(bytes), size});
    return pieces_.size() < pieces_at_once || send();
  }
  bool add(const BlockFrame& frame) { return add(&blocks_.emplace_back(frame), sizeof frame); }
  bool add(const MessageFrame& frame) { return add(&messages_.emplace_back(frame), sizeof frame); }

  bool send() {
    std::size_t first = 0;
    while (first < pieces_.size()) {
      msghdr what{};
      what.msg_iov = pieces_.data() + first;
      what.msg_iovlen = pieces_.size() - first;
      // The shims replace what a program calls to wait for a socket.
      const long sent = syscall(SYS_sendmsg, socket_, &what, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) {  // the program has changed all its descriptors, this one, too
        pollfd ready{socket_, POLLOUT, 0};
        (void)syscall(SYS_ppoll, &ready, 1, nullptr, nullptr, 0);
        continue;
      }
      if (sent < 0) return false;
      for (auto left = static_cast<std::size_t>(sent); left > 0;) {
        iovec& piece = pieces_[first];
        const std::size_t taken = std::min(left, piece.iov_len);
        piece.iov_base = static_cast<std::byte*>(piece.iov_base) + taken;
        piece.iov_len -= taken;
        left -= taken;
        if (piece.iov_len == 0) ++first;
      }
    }
    pieces_.clear();
    blocks_.clear();
    messages_.clear();
    return true;
  }

 private:
  int socket_;
  std::vector<iovec> pieces_;
  std::deque<BlockFrame> blocks_;
  std::deque<MessageFrame> messages_;
};

}  // namespace

bool send_messages(int socket, const PayloadArenas& arenas, std::span<const std::uint64_t> messages) {
  Pieces pieces(socket);
  for (const std::uint64_t handle : messages) {
    const std::uint64_t mark = arenas.mark(handle), payload = marked(handle, short_mark(mark));
    const std::span<const std::byte> data = arenas.data(handle);
    std::size_t begin = 0;
    do {
      const std::span<const std::byte> part =
          data.subspan(begin, std::min(largest_part, data.size() - begin));
      const BlockFrame frame{{FrameKind::block, -1, sizeof frame - sizeof frame.head + part.size()},
                             payload,
                             mark,
                             arenas.readers(handle),
                             data.size(),
                             begin};
      if (!pieces.add(frame) || !pieces.add(part.data(), part.size())) return false;
      begin += part.size();
    } while (begin < data.size());
    const MessageFrame frame{{FrameKind::message, static_cast<std::int32_t>(arenas.receiver(handle)),
                              sizeof frame - sizeof frame.head},
                             payload,
                             static_cast<std::uint64_t>(arenas.context(handle)),
                             static_cast<std::uint32_t>(arenas.tag(handle))};
    if (!pieces.add(frame)) return false;
  }
  return pieces.send();
}

}  // namespace morgana
