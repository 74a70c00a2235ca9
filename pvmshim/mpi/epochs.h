#pragma once

#include <cstddef>
#include <vector>

namespace morgana::mpi {

/// Which of a window's epochs this process is in. A call that does not fit the others is refused (its method
/// returns false and changes nothing), by the rules that MPICH 4.0 keeps: after a fence any epoch may begin
/// until an access makes it one between fences; accesses are of one kind of epoch at a time; exposure by
/// MPI_Win_post is separate, but for fences.
class Epochs {
 public:
  /// @param members  of the window's group; targets are 0 .. members-1
  explicit Epochs(std::size_t members) : locked_(members), started_(members) {}

  /// @param goes_on  accesses may follow (no MPI_MODE_NOSUCCEED)
  bool fence(bool goes_on);

  bool start(const std::vector<int>& targets);
  bool complete();
  bool post();
  /// Whether MPI_Win_wait or MPI_Win_test may be called; end_exposure() once they have succeeded.
  bool is_posted() const { return exposure_ == Exposure::post; }
  void end_exposure() { exposure_ = Exposure::none; }

  bool lock(int target);
  bool unlock(int target);
  bool lock_all();
  bool unlock_all();

  /// An access to this target.
  bool access(int target);
  /// MPI_Win_flush and MPI_Win_flush_local of this target.
  bool flush(int target) const;
  /// MPI_Win_flush_all and MPI_Win_sync.
  bool is_passive() const { return access_ == Access::lock || access_ == Access::lock_all; }
  bool may_free() const;

 private:
  enum class Access { none, fenced, fence, start, lock, lock_all };
  enum class Exposure { none, fenced, fence, post };
  bool is_free() const { return access_ == Access::none || access_ == Access::fenced; }

  Access access_ = Access::none;
  Exposure exposure_ = Exposure::none;
  std::vector<bool> locked_, started_;
  int locks_ = 0;
};

}  // namespace morgana::mpi
