#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace morgana::goal {

/// Whether one label comes before another: parts of digits are compared as numbers, all else by characters.
bool label_before(std::string_view one, std::string_view other);

/// The labels of one rank's lines, each of which is known by the number in which it was met first.
class Labels {
 public:
  static constexpr std::uint32_t no_node = ~std::uint32_t{0};
  struct Label {
    std::string_view name;
    std::uint32_t node = no_node;  ///< of the line that has it
    std::size_t line = 0;          ///< where it was met first
  };

  /// @param name  must stay where it is
  std::uint32_t number_of(std::string_view name, std::size_t line);
  Label& operator[](std::uint32_t number) { return labels_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(labels_.size()); }
  void clear();

 private:
  void grow();
  std::vector<Label> labels_;
  struct Place {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  ///< and 1 more; 0: free
  };
  std::vector<Place> places_;  ///< a power of two, at most half full; a label is at or behind its hash's
};

}  // namespace morgana::goal
