#include "traces/otf2/anchor_check.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"

namespace morgana {
namespace {

// The file as OTF2 3.0.2 writes it: a mark, 'B' if numbers have their least byte first ('#' if their last),
// "OTF2", the kind of file, the format's and the library's versions; the sizes of chunks (two numbers of 8
// bytes), substrate and compression (a byte each), how many locations and global definitions there are (8
// bytes each). Then texts that end in a zero byte: machine, creator, description; the number of properties in
// 4 bytes, and a name and a value of each.
constexpr std::size_t byte_order_at = 1, magic_at = 2, format_at = 7, texts_at = 46;
// Behind them: the trace's identifier in 8 bytes, and two numbers of 4.
constexpr std::size_t behind_properties = 16;
constexpr char least_first = 'B', last_first = '#';
constexpr std::string_view magic = "OTF2";
constexpr char known_format = 3;

class Anchor {
 public:
  explicit Anchor(std::string_view bytes) : rest_(bytes.substr(texts_at)), order_(bytes[byte_order_at]) {}

  static bool is_known(std::string_view bytes) {
    return bytes.size() > texts_at && bytes.substr(magic_at).starts_with(magic) &&
           bytes[format_at] == known_format &&
           (bytes[byte_order_at] == least_first || bytes[byte_order_at] == last_first);
  }
  /// @return whether there was one
  bool skip_text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }
  std::size_t left() const { return rest_.size(); }
  std::uint32_t count() {
    constexpr std::size_t size = 4;
    if (rest_.size() < size) throw Error("its anchor file is damaged: it ends before its properties");
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t byte = order_ == least_first ? size - 1 - i : i;
      value = value << 8 | static_cast<unsigned char>(rest_[byte]);
    }
    rest_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view rest_;
  char order_;
};

}  // namespace

void check_anchor(const std::filesystem::path& file) {
  constexpr std::size_t largest = 64 * 1024 * 1024;
  const std::string bytes = read_at_most(file, largest);
  if (!Anchor::is_known(bytes)) return;
  Anchor anchor(bytes);
  for (const char* text : {"machine", "creator", "description"})
    if (!anchor.skip_text())
      throw Error(fmt::format("its anchor file is damaged: it ends within the {}", text));
  const std::uint32_t properties = anchor.count();
  for (std::uint32_t number = 0; number < properties; ++number)
    if (!anchor.skip_text() || !anchor.skip_text() || anchor.left() < behind_properties)
      throw Error(
          fmt::format("its anchor file is damaged: it announces {} properties and ends within number {}",
                      properties, number + 1));
}

}  // namespace morgana
