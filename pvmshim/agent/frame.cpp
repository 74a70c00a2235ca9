#include "pvmshim/agent/frame.h"

#include <algorithm>

namespace morgana {

void append_frame(FrameKind kind, std::int32_t rank, std::span<const std::byte> content,
                  std::vector<std::byte>& bytes) {
  const FrameHead head{kind, rank, content.size()};
  const auto* const begin = reinterpret_cast<const std::byte*>(&head);
  bytes.insert(bytes.end(), begin, begin + sizeof head);
  bytes.insert(bytes.end(), content.begin(), content.end());
}

std::span<std::byte> FrameParser::room(std::size_t most) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (bytes_.size() < end_ + most) {
    if (begin_ > 0) {
      std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(begin_),
                bytes_.begin() + static_cast<std::ptrdiff_t>(end_), bytes_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    bytes_.resize(std::max(bytes_.size(), end_ + most));
  }
  return std::span(bytes_).subspan(end_, most);
}

void FrameParser::came(std::size_t bytes) {
  end_ += bytes;
}

bool FrameParser::next(Frame& frame) {
  FrameHead head{};
  if (end_ - begin_ < sizeof head) return false;
  std::memcpy(&head, bytes_.data() + begin_, sizeof head);
  if (head.kind > last_frame_kind) throw MalformedFrame("a frame is of no known kind");
  if (head.size > largest_) throw MalformedFrame("a frame is too large");
  if (end_ - begin_ - sizeof head < head.size) return false;
  const auto content = bytes_.begin() + static_cast<std::ptrdiff_t>(begin_ + sizeof head);
  frame.kind = head.kind;
  frame.rank = head.rank;
  frame.content.assign(content, content + static_cast<std::ptrdiff_t>(head.size));
  begin_ += sizeof head + static_cast<std::size_t>(head.size);
  return true;
}

}  // namespace morgana
