// Nonblocking collective accesses to files.

#include <memory>
#include <utility>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/files/files.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

/// A datatype for as long as an access is under way: the program may free its own as soon as the call
/// returns.
class KeptType {
 public:
  explicit KeptType(MPI_Datatype of_program) : type_(of_program), is_ours_(!is_predefined(of_program)) {
    if (is_ours_) real().MPI_Type_dup(of_program, &type_);
  }
  ~KeptType() {
    if (is_ours_) real().MPI_Type_free(&type_);
  }
  KeptType(const KeptType&) = delete;
  KeptType& operator=(const KeptType&) = delete;
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_;
  bool is_ours_;
};

/// What an access is given.
struct FileAccess {
  Call call;
  MPI_File file;
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;

  bool reads() const { return call == Call::MPI_File_iread_at_all || call == Call::MPI_File_iread_all; }
};

MPI_Offset position_in(MPI_File file) {
  MPI_Offset position = 0;
  real().MPI_File_get_position(file, &position);
  return position;
}

/// While it lives, MPICH moves on an access at a place, which must not move the rank's own pointer: MPICH 4.0
/// puts it back to where it stood when the access began.
class PointerKept {
 public:
  explicit PointerKept(MPI_File file) : file_(file), position_(position_in(file)) {}
  ~PointerKept() {
    if (position_in(file_) != position_) real().MPI_File_seek(file_, position_, MPI_SEEK_SET);
  }
  PointerKept(const PointerKept&) = delete;
  PointerKept& operator=(const PointerKept&) = delete;

 private:
  MPI_File file_;
  MPI_Offset position_;
};

/// The size of the items that a file's positions count.
MPI_Count size_of_items(MPI_File file) {
  MPI_Offset displacement = 0;
  MPI_Datatype item = MPI_DATATYPE_NULL, layout = MPI_DATATYPE_NULL;
  char representation[MPI_MAX_DATAREP_STRING] = "";
  real().MPI_File_get_view(file, &displacement, &item, &layout, representation);
  const MPI_Count size = packed_size(1, item).count();
  for (MPI_Datatype* one : {&item, &layout})
    if (!is_predefined(*one)) real().MPI_Type_free(one);
  return size;
}

/// Moves the rank's own pointer behind what is accessed. @return where it stood
MPI_Offset advance_pointer(const FileAccess& access) {
  const MPI_Offset before = position_in(access.file);
  const MPI_Count item = size_of_items(access.file), bytes = packed_size(access.count, access.type).count();
  if (item > 0) real().MPI_File_seek(access.file, bytes / item, MPI_SEEK_CUR);
  return before;
}

int start(const FileAccess& access, MPI_Offset place, MPI_Datatype type, MPI_Request* by_mpich) {
  const PointerKept pointer(access.file);
  return access.reads()
             ? real().MPI_File_iread_at_all_c(access.file, place, access.buffer, access.count, type, by_mpich)
             : real().MPI_File_iwrite_at_all_c(access.file, place, access.buffer, access.count, type,
                                               by_mpich);
}

int begin(const JointFile& joint, const FileAccess& access, MPI_Offset place, MPI_Request* request) {
  const auto kept = std::make_shared<const KeptType>(access.type);
  const auto test = [file = access.file, kept](MPI_Request* by_mpich, int* flag, MPI_Status* status) {
    const PointerKept pointer(file);
    return real().MPI_Test(by_mpich, flag, status);
  };
  std::shared_ptr<PendingInMpich> pending;
  if (has_pending(joint.context)) {
    pending = std::make_shared<PendingInMpich>(
        joint.context,
        [access, place, kept](MPI_Request* by_mpich) { return start(access, place, kept->type(), by_mpich); },
        test);
  } else {
    const MpichTraffic of_start;
    MPI_Request by_mpich = MPI_REQUEST_NULL;
    const int result = start(access, place, kept->type(), &by_mpich);
    if (result != MPI_SUCCESS) return result;
    pending = std::make_shared<PendingInMpich>(joint.context, by_mpich, test);
  }
  add_pending(access.call, CallPart::whole, joint.comm, pending, request);
  return MPI_SUCCESS;
}

}  // namespace

int with_file_request(Call call, const MpichCall& by_mpich, MPI_File file, MPI_Offset place,
                      const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
  const JointFile* joint = joint_file(file);
  if (joint == nullptr) return by_mpich();
  if (lacks_place(request) || place < 0 || !is_message(buffer, count, type)) return error_of_mpich(by_mpich);
  const LiveRank::Visit visit(me().live);
  return begin(*joint, {call, file, const_cast<void*>(buffer), count, type}, place, request);
}

int with_file_request(Call call, const MpichCall& by_mpich, MPI_File file, const void* buffer,
                      MPI_Count count, MPI_Datatype type, MPI_Request* request) {
  const JointFile* joint = joint_file(file);
  if (joint == nullptr) return by_mpich();
  if (lacks_place(request) || !is_message(buffer, count, type)) return error_of_mpich(by_mpich);
  const LiveRank::Visit visit(me().live);
  const FileAccess access{call, file, const_cast<void*>(buffer), count, type};
  return begin(*joint, access, advance_pointer(access), request);
}

}  // namespace morgana::mpi::emulated
