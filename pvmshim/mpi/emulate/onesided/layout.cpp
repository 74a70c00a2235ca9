#include "pvmshim/mpi/emulate/onesided/layout.h"

#include <algorithm>
#include <cstdlib>

#include "pvmshim/mpi/emulate/requests.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {

DatatypeCopy::DatatypeCopy(MPI_Datatype of_program)
    : type_(of_program), is_copy_(!is_predefined(of_program)) {
  if (is_copy_) real().MPI_Type_dup(of_program, &type_);
}

DatatypeCopy::~DatatypeCopy() {
  if (is_copy_) real().MPI_Type_free(&type_);
}

Layout::Layout(MPI_Count count, MPI_Datatype type, Bytes bytes) {
  const auto wanted = static_cast<std::size_t>(bytes.count());
  if (wanted == 0) return;
  if (is_plain(type)) {
    span_ = wanted;
    pieces_ = {{0, wanted}};
    is_packed_ = true;
    return;
  }
  MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  real().MPI_Type_get_extent_x(type, &lower, &extent);
  real().MPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
  const MPI_Count stride = extent * (count - 1);
  first_ = true_lower + std::min<MPI_Count>(stride, 0);  // extents may be negative
  span_ = static_cast<std::size_t>(true_extent + std::abs(stride));
  if (span_ == wanted)
    pieces_ = {{0, wanted}};
  else
    find_pieces(count, type, wanted);
}

// MPICH alone knows its datatypes: what it changes when it unpacks ones over zeros belongs to the data.
void Layout::find_pieces(MPI_Count count, MPI_Datatype type, std::size_t bytes) {
  const std::vector<std::byte> ones(bytes, std::byte{0xff});
  std::vector<std::byte> image(span_);
  unpack(ones, image.data() - first_, count, type);
  auto begin = image.begin();
  while ((begin = std::find(begin, image.end(), std::byte{0xff})) != image.end()) {
    const auto end = std::find(begin, image.end(), std::byte{0});
    pieces_.push_back(
        {static_cast<std::size_t>(begin - image.begin()), static_cast<std::size_t>(end - begin)});
    begin = end;
  }
}

MPI_Datatype element_type(MPI_Datatype type) {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;
  real().MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return type;
  std::vector<int> of_integers(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> of_addresses(static_cast<std::size_t>(addresses));
  std::vector<MPI_Count> of_counts(static_cast<std::size_t>(counts));
  std::vector<MPI_Datatype> parts(static_cast<std::size_t>(types));
  real().MPI_Type_get_contents_c(type, integers, addresses, counts, types, of_integers.data(),
                                 of_addresses.data(), of_counts.data(), parts.data());
  MPI_Datatype found = MPI_DATATYPE_NULL;
  for (MPI_Datatype& part : parts) {
    MPI_Count size = 0;
    real().MPI_Type_size_x(part, &size);
    if (found == MPI_DATATYPE_NULL && size > 0) found = element_type(part);
    if (!is_predefined(part)) real().MPI_Type_free(&part);
  }
  return found;
}

}  // namespace morgana::mpi::emulated
