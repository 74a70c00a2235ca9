#include "pvmshim/mpi/emulate/argument_copies.h"

#include <utility>

#include "pvmshim/mpi/emulate/operators.h"
#include "pvmshim/mpi/emulate/requests.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {

ArgumentCopies::ArgumentCopies(ArgumentCopies&& other) noexcept
    : copies_(other.copies_),
      types_(std::exchange(other.types_, {})),
      ops_(std::exchange(other.ops_, {})),
      lists_(std::move(other.lists_)),
      type_lists_(std::move(other.type_lists_)) {}

ArgumentCopies::~ArgumentCopies() {
  for (MPI_Datatype& type : types_) real().MPI_Type_free(&type);
  for (const MPI_Op op : ops_) release_operator(op);
}

MPI_Datatype ArgumentCopies::type(MPI_Datatype of_program) {
  if (!copies_ || is_predefined(of_program)) return of_program;
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  real().MPI_Type_dup(of_program, &copy);
  types_.push_back(copy);
  return copy;
}

MPI_Op ArgumentCopies::op(MPI_Op of_program) {
  if (copies_) {
    keep_operator(of_program);
    ops_.push_back(of_program);
  }
  return of_program;
}

ListView ArgumentCopies::list(ListView of_program, int length) {
  if (!copies_ || !of_program.given()) return of_program;
  std::vector<MPI_Count> copy;
  copy.reserve(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i) copy.push_back(of_program[i]);
  return list(std::move(copy));
}

ListView ArgumentCopies::list(std::vector<MPI_Count> made) {
  return lists_.emplace_back(std::move(made)).data();
}

ItemsByRank ArgumentCopies::blocks(const ItemsByRank& of_program, int number) {
  if (!copies_) return of_program;
  ItemsByRank copy{list(of_program.counts, number), list(of_program.places, number), MPI_DATATYPE_NULL};
  if (of_program.types == nullptr) {
    copy.type = type(of_program.type);
    return copy;
  }
  std::vector<MPI_Datatype>& types = type_lists_.emplace_back();
  for (int i = 0; i < number; ++i) types.push_back(type(of_program.types[i], of_program.count(i)));
  copy.types = types.data();
  return copy;
}

}  // namespace morgana::mpi::emulated
