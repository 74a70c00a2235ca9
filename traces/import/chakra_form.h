#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "traces/import/chakra.h"

namespace morgana::chakra {

constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
constexpr std::int64_t most_operations = std::int64_t{1} << 62;
/// Below the end of simulated time.
constexpr std::int64_t most_microseconds = 4'000'000'000'000;
/// Tags above are the collectives' own.
constexpr std::uint32_t most_tag = (std::uint32_t{1} << 30) - 1;
constexpr std::size_t most_ranks = 1'000'000;

/// Messages of protocol buffers one behind the other, each behind its length; perhaps gzip'ed.
class MessageFile {
 public:
  /// @throws Error if it can't be opened
  explicit MessageFile(const std::filesystem::path& file);
  /// The next message, valid until the call after; nothing at the end. @throws Error for a broken file
  std::optional<std::string_view> next();
  /// How much of the file is read, 0 to 1.
  double share() const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };
  std::size_t read(char* to, std::size_t bytes);

  std::filesystem::path path_;
  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> file_;
  std::uint64_t size_ = 0;
  std::uint64_t messages_ = 0;
  std::string message_;
};

/// The files of a trace by rank, and the file of its groups if there is one.
struct FileSet {
  std::vector<std::filesystem::path> ranks;
  std::optional<std::filesystem::path> groups;
};
/// @throws Error if ranks are missing, or files of several traces meant. Nothing: no such files
std::optional<FileSet> files_of(const std::filesystem::path& name);

/// What a file says, in its own order, before anything is known of the others.
struct RawNode {
  Node node;
  std::string group;  ///< pg_name
  std::size_t first_data = 0, first_ctrl = 0;
  bool has_root = false;
};
struct RawRank {
  std::filesystem::path file;
  std::vector<RawNode> nodes;
  std::vector<std::uint64_t> data, ctrl;  ///< ids, by node
  /// Groups that the file's metadata define; without members: all ranks.
  std::map<std::string, std::vector<std::int32_t>> groups;
};
RawRank read_rank(const std::filesystem::path& file, const std::function<void(double)>& progress);
/// The name of a node of that id; empty if the file has none any more.
std::string name_in(const std::filesystem::path& file, std::uint64_t id);
/// File, id and name for people.
std::string node_text(const std::filesystem::path& file, std::uint64_t id, std::string_view name);

using Groups = std::map<std::string, std::vector<std::int32_t>>;
/// {"0": [0, 1], ...} @throws Error naming the file
Groups read_group_file(const std::filesystem::path& file);
/// What PyTorch writes about its process groups: [{"pg_name": "0", "ranks": [0, 1]}], perhaps within the text
/// of a list. @throws Error without a place
Groups groups_in(std::string_view values);

/// Puts a rank's nodes in order. @param with_ctrl  whether ctrl_deps count
/// @return an id of nodes that wait for each other; nothing: there is none, and `to` is filled
std::optional<std::uint64_t> put_in_order(const RawRank& raw, bool with_ctrl, RankTrace& to,
                                          std::uint64_t& unknown_ctrl, std::vector<std::uint32_t>& places);

/// @throws Error for a message that is sent and not received, or the other way round
void check_messages(const Trace& trace);
/// Fills Trace::collectives. @throws Error where members of a group do different things
void match_collectives(Trace& trace);

}  // namespace morgana::chakra
