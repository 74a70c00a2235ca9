#include "pvmshim/mpi/emulate/files/files.h"

#include <map>
#include <utility>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

std::map<MPI_File, JointFile>& joint_files() {
  static std::map<MPI_File, JointFile> files;
  return files;
}

}  // namespace

const JointFile* joint_file(MPI_File file) {
  const auto found = joint_files().find(file);
  return found == joint_files().end() ? nullptr : &found->second;
}

int File_open(MPI_Comm handle, const char* name, int mode, MPI_Info info, MPI_File* file) {
  constexpr Call call = Call::MPI_File_open;
  const auto comm = communicator(handle, name_of(call));
  if (comm == nullptr || comm->is_inter() || comm->size() == 1)
    return real().MPI_File_open(handle, name, mode, info, file);
  const Visit visit(me().live);
  enter_together(call, CallPart::first, comm->context());
  const int result = real().MPI_File_open(handle, name, mode, info, file);
  leave_together();
  if (result != MPI_SUCCESS) {
    end_call(call);
    return result;
  }
  const Context context = me().communicators.next_derived(Derived::file, *comm);
  Operation created = context_operation(call, CallPart::last, *comm);
  created.context = context;
  me().live.post(created);
  joint_files()[*file] = {comm, context};
  return result;
}

int with_file(Call call, MPI_File file, const MpichCall& by_mpich) {
  const JointFile* joint = joint_file(file);
  if (joint == nullptr) return by_mpich();
  const Visit visit(me().live);
  enter_together(call, CallPart::first, joint->context);
  finish_pending(joint->context);
  const int result = by_mpich();
  leave_together();
  end_call(call);
  return result;
}

int with_file(Call call, const MPI_File* file, const MpichCall& by_mpich) {
  const MPI_File closed = file == nullptr ? MPI_FILE_NULL : *file;
  const int result = with_file(call, closed, by_mpich);
  if (result == MPI_SUCCESS) joint_files().erase(closed);
  return result;
}

}  // namespace morgana::mpi::emulated
