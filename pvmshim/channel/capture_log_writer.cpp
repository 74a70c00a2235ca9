#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/capture_log_format.h"

namespace morgana {

/// The file is mapped and grows in pieces: what has been written is in it even if the process is killed, and
/// writing takes no system call but once a piece. A record's first word is stored last.
class CaptureLogWriter::Impl {
 public:
  Impl(const std::filesystem::path& folder, Rank rank)
      : path_(capture_log_path(folder, rank)),
        descriptor_(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
    if (descriptor_ < 0) fail("create");
    put(capture_log_head(rank));
  }

  ~Impl() {
    unmap();
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void write(const Operation& operation, SimTime begin, SimTime end, std::span<const Completed> completed) {
    words_.clear();
    words_.push_back(0);  // the length of all
    words_.push_back(static_cast<Word>(begin.ps()));
    words_.push_back(static_cast<Word>(end.ps()));
    encode(operation, words_);
    encode(completed, words_);
    words_[0] = words_.size();
    put(words_);
  }

  void close() {
    const std::array<Word, 1> end{capture_log_end};
    put(end);
    unmap();
    if (ftruncate(descriptor_, static_cast<off_t>((start_ + used_) * sizeof(Word))) != 0) fail("close");
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("close");
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 17;  // 1 MiB

  void put(std::span<const Word> record) {
    if (room_ - used_ < record.size()) map_next(record.size());
    std::copy(record.begin() + 1, record.end(), memory_ + used_ + 1);
    std::atomic_ref(memory_[used_]).store(record[0], std::memory_order_release);
    used_ += record.size();
  }

  /// Maps a piece that begins with the page of the first free word and has room for `wanted` more.
  void map_next(std::size_t wanted) {
    static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / sizeof(Word);
    unmap();
    start_ += used_ / page * page;
    used_ %= page;
    room_ = (used_ + std::max(piece, wanted) + page - 1) / page * page;
    const auto offset = static_cast<off_t>(start_ * sizeof(Word));
    const std::size_t size = room_ * sizeof(Word);
    // Allocated, not only made longer: a full disk must be an error here, not a signal later.
    if (const int why = posix_fallocate(descriptor_, offset, static_cast<off_t>(size)); why != 0) {
      errno = why;
      fail("write");
    }
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, offset);
    if (memory == MAP_FAILED) fail("map");
    memory_ = static_cast<Word*>(memory);
  }

  void unmap() {
    if (memory_ != nullptr) munmap(memory_, room_ * sizeof(Word));
    memory_ = nullptr;
  }

  [[noreturn]] void fail(const char* what) const {
    throw Error(fmt::format("can't {} the capture log {}: {}", what, path_.string(), strerror(errno)));
  }

  std::filesystem::path path_;
  int descriptor_;
  Word* memory_ = nullptr;
  std::size_t start_ = 0;  ///< of the mapped piece in the file, in words
  std::size_t room_ = 0;   ///< of the mapped piece
  std::size_t used_ = 0;   ///< of the mapped piece
  std::vector<Word> words_;
};

CaptureLogWriter::CaptureLogWriter(const std::filesystem::path& folder, Rank rank)
    : impl_(std::make_unique<Impl>(folder, rank)) {}
CaptureLogWriter::~CaptureLogWriter() = default;
void CaptureLogWriter::write(const Operation& operation, SimTime begin, SimTime end,
                             std::span<const Completed> completed) {
  impl_->write(operation, begin, end, completed);
}
void CaptureLogWriter::close() {
  impl_->close();
}

}  // namespace morgana
