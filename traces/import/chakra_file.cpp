// The outer form of an execution trace: lengths and messages.

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "emulator/core/error.h"
#include "traces/import/chakra_form.h"

namespace morgana::chakra {
namespace {

/// Of one message. A length is believed piece by piece, as the file has it.
constexpr std::uint64_t longest_message = std::uint64_t{1} << 30;
constexpr std::size_t piece = 1 << 20;
constexpr unsigned input_buffer = 1 << 17;

}  // namespace

MessageFile::MessageFile(const std::filesystem::path& file) : path_(file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown))
    throw Error(fmt::format("can't read {}: it is not a file", file.string()));
  size_ = std::filesystem::file_size(file, unknown);
  file_.reset(gzopen(file.c_str(), "rb"));
  if (!file_) throw Error(fmt::format("can't open {}", file.string()));
  gzbuffer(file_.get(), input_buffer);
}

void MessageFile::refuse(const std::string& what) const {
  throw Error(fmt::format("{}: message {}: {}; it is not an execution trace of Chakra, or was cut short",
                          path_.string(), messages_, what));
}

double MessageFile::share() const {
  return size_ == 0 ? 1
                    : std::min(1.0, static_cast<double>(gzoffset(file_.get())) / static_cast<double>(size_));
}

std::size_t MessageFile::read(char* to, std::size_t bytes) {
  const int count = gzread(file_.get(), to, static_cast<unsigned>(bytes));
  if (count < 0) {
    int number = 0;
    refuse(fmt::format("gzip: {}", gzerror(file_.get(), &number)));
  }
  return static_cast<std::size_t>(count);
}

std::optional<std::string_view> MessageFile::next() {
  std::uint64_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    char byte = 0;
    if (read(&byte, 1) == 0) {
      int number = 0;
      gzerror(file_.get(), &number);  // a gzip'ed file without its end
      if (shift == 0 && number == Z_OK) return std::nullopt;
      refuse("the file ends within a length");
    }
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) & 0x7F;
    if (shift > 28) refuse("its length is too long");
    length |= bits << shift;
    if ((static_cast<unsigned char>(byte) & 0x80) == 0) break;
  }
  if (length > longest_message) refuse(fmt::format("its length is {} bytes", length));
  message_.clear();
  while (message_.size() < length) {
    const std::size_t before = message_.size();
    const std::size_t wanted = std::min<std::size_t>(piece, length - before);
    message_.resize(before + wanted);
    const std::size_t got = read(message_.data() + before, wanted);
    if (got < wanted) refuse(fmt::format("the file has {} of its {} bytes", before + got, length));
  }
  ++messages_;
  return message_;
}

}  // namespace morgana::chakra
