// Fortran's attributes. C and Fortran see each other's: a value that Fortran has set is for C the address of
// an integer, and a value that C has set is for Fortran the address itself, as an integer.

#include <memory>
#include <mutex>
#include <unordered_map>

#include "pvmshim/mpi/stand_in/openmpi/fortran.h"

namespace morgana::stand_in::fortran {
namespace {

using CopyAddress = void(Integer* object, Integer* keyval, Address* extra, Address* value, Address* copy,
                         Logical* flag, Integer* error);
using DeleteAddress = void(Integer* object, Integer* keyval, Address* value, Address* extra, Integer* error);
// Of MPI-1: MPI_KEYVAL_CREATE and MPI_ATTR_PUT.
using CopyInteger = void(Integer* object, Integer* keyval, Integer* extra, Integer* value, Integer* copy,
                         Logical* flag, Integer* error);
using DeleteInteger = void(Integer* object, Integer* keyval, Integer* value, Integer* extra, Integer* error);

/// The values that Fortran has set: MPICH stores the address of each.
class FortranValues {
 public:
  void* add(Address value) {
    auto cell = std::make_unique<Address>(value);
    Address* const place = cell.get();
    const std::lock_guard lock(changing_);
    cells_.emplace(place, std::move(cell));
    return place;
  }
  /// What an attribute is for Fortran, whoever has set it.
  Address read(void* stored) {
    const std::lock_guard lock(changing_);
    const auto found = cells_.find(stored);
    return found == cells_.end() ? reinterpret_cast<Address>(stored) : *found->second;
  }
  void remove(void* stored) {
    const std::lock_guard lock(changing_);
    cells_.erase(stored);
  }

 private:
  std::mutex changing_;
  std::unordered_map<const void*, std::unique_ptr<Address>> cells_;
};

FortranValues& values() {
  static FortranValues& all = *new FortranValues;  // MPI_COMM_SELF's attributes end with MPI
  return all;
}

struct AddressKeyval {
  using Copy = CopyAddress;
  using Delete = DeleteAddress;
  using Value = Address;
};
struct IntegerKeyval {
  using Copy = CopyInteger;
  using Delete = DeleteInteger;
  using Value = Integer;
};

/// What a keyval is created with. It lives on: an attribute may outlive its freed keyval.
template <typename Kind>
struct FortranKeyval {
  typename Kind::Copy* copy;
  typename Kind::Delete* erase;
  typename Kind::Value extra;
};

template <typename Kind>
int copy_for_fortran(int object, int keyval, void* extra, void* stored, void* copy, int* flag) {
  FortranKeyval<Kind> functions = *static_cast<const FortranKeyval<Kind>*>(extra);
  Integer object_number = fortran_number(from_mpich(object)), keyval_number = keyval_from_mpich(keyval);
  auto value = static_cast<typename Kind::Value>(values().read(stored));
  typename Kind::Value copied{};
  Integer error = MPI_SUCCESS;
  *flag = 0;
  functions.copy(&object_number, &keyval_number, &functions.extra, &value, &copied, flag, &error);
  if (error == MPI_SUCCESS && *flag != 0) *static_cast<void**>(copy) = values().add(copied);
  return error_to_mpich(error);
}

template <typename Kind>
int delete_for_fortran(int object, int keyval, void* stored, void* extra) {
  FortranKeyval<Kind> functions = *static_cast<const FortranKeyval<Kind>*>(extra);
  Integer object_number = fortran_number(from_mpich(object)), keyval_number = keyval_from_mpich(keyval);
  auto value = static_cast<typename Kind::Value>(values().read(stored));
  Integer error = MPI_SUCCESS;
  functions.erase(&object_number, &keyval_number, &value, &functions.extra, &error);
  if (error == MPI_SUCCESS) values().remove(stored);
  return error_to_mpich(error);
}

template <typename Kind, typename Create>
void create_fortran_keyval(Create create, typename Kind::Copy* copy, typename Kind::Delete* erase,
                           Integer* keyval, typename Kind::Value extra, Integer* error) {
  auto functions = std::make_unique<FortranKeyval<Kind>>(FortranKeyval<Kind>{copy, erase, extra});
  const int result = create(copy_for_fortran<Kind>, delete_for_fortran<Kind>, keyval, functions.get());
  if (result == MPI_SUCCESS) (void)functions.release();
  *error = error_from_mpich(result);
}

/// MPI's own attributes are addresses of integers to C, but for a window's memory.
Address predefined_value(Integer keyval, void* stored) {
  constexpr Integer window_base = 7, window_size = 8;
  if (keyval == window_base) return reinterpret_cast<Address>(stored);
  return keyval == window_size ? *static_cast<Address*>(stored) : *static_cast<Integer*>(stored);
}

template <typename Value, typename Get, typename Object>
void get_for_fortran(Get get, Object object, Integer keyval, Value* value, Logical* flag, Integer* error) {
  constexpr Integer last_predefined = 11;
  void* stored = nullptr;
  *error = get(object, keyval, &stored, flag);
  if (*error != MPI_SUCCESS || *flag == 0) return;
  *value = static_cast<Value>(keyval >= 0 && keyval <= last_predefined ? predefined_value(keyval, stored)
                                                                       : values().read(stored));
}

template <typename Set, typename Object>
void set_for_fortran(Set set, Object object, Integer keyval, Address value, Integer* error) {
  void* const stored = values().add(value);
  const int result = set(object, keyval_to_mpich(keyval), stored);
  if (result != MPI_SUCCESS) values().remove(stored);
  *error = error_from_mpich(result);
}

MPI_Comm comm_of(Integer number) {
  return to_mpich<MPI_Comm>(by_hand::MPI_Comm_f2c(number));
}
MPI_Win win_of(Integer number) {
  return to_mpich<MPI_Win>(by_hand::MPI_Win_f2c(number));
}
MPI_Datatype type_of(Integer number) {
  return to_mpich<MPI_Datatype>(by_hand::MPI_Type_f2c(number));
}

int get_of_type(MPI_Datatype type, int keyval, void* value, int* flag) {
  return error_from_mpich(targets().MPI_Type_get_attr(type, keyval_to_mpich(keyval), value, flag));
}

}  // namespace

MORGANA_ENTRY_POINT(keyval_create, CopyInteger* copy, DeleteInteger* erase, Integer* keyval, Integer* extra,
                    Integer* error) {
  create_fortran_keyval<IntegerKeyval>(targets().MPI_Comm_create_keyval, copy, erase, keyval, *extra, error);
}
MORGANA_ENTRY_POINT(comm_create_keyval, CopyAddress* copy, DeleteAddress* erase, Integer* keyval,
                    Address* extra, Integer* error) {
  create_fortran_keyval<AddressKeyval>(targets().MPI_Comm_create_keyval, copy, erase, keyval, *extra, error);
}
MORGANA_ENTRY_POINT(type_create_keyval, CopyAddress* copy, DeleteAddress* erase, Integer* keyval,
                    Address* extra, Integer* error) {
  create_fortran_keyval<AddressKeyval>(targets().MPI_Type_create_keyval, copy, erase, keyval, *extra, error);
}
MORGANA_ENTRY_POINT(win_create_keyval, CopyAddress* copy, DeleteAddress* erase, Integer* keyval,
                    Address* extra, Integer* error) {
  create_fortran_keyval<AddressKeyval>(targets().MPI_Win_create_keyval, copy, erase, keyval, *extra, error);
}

MORGANA_ENTRY_POINT(attr_get, Integer* comm, Integer* keyval, Integer* value, Logical* flag, Integer* error) {
  get_for_fortran(by_hand::MPI_Comm_get_attr, Comm{{by_hand::MPI_Comm_f2c(*comm)}}, *keyval, value, flag,
                  error);
}
MORGANA_ENTRY_POINT(comm_get_attr, Integer* comm, Integer* keyval, Address* value, Logical* flag,
                    Integer* error) {
  get_for_fortran(by_hand::MPI_Comm_get_attr, Comm{{by_hand::MPI_Comm_f2c(*comm)}}, *keyval, value, flag,
                  error);
}
MORGANA_ENTRY_POINT(win_get_attr, Integer* win, Integer* keyval, Address* value, Logical* flag,
                    Integer* error) {
  get_for_fortran(by_hand::MPI_Win_get_attr, Win{{by_hand::MPI_Win_f2c(*win)}}, *keyval, value, flag, error);
}
MORGANA_ENTRY_POINT(type_get_attr, Integer* type, Integer* keyval, Address* value, Logical* flag,
                    Integer* error) {
  get_for_fortran(get_of_type, type_of(*type), *keyval, value, flag, error);
}

MORGANA_ENTRY_POINT(attr_put, Integer* comm, Integer* keyval, Integer* value, Integer* error) {
  set_for_fortran(targets().MPI_Comm_set_attr, comm_of(*comm), *keyval, *value, error);
}
MORGANA_ENTRY_POINT(comm_set_attr, Integer* comm, Integer* keyval, Address* value, Integer* error) {
  set_for_fortran(targets().MPI_Comm_set_attr, comm_of(*comm), *keyval, *value, error);
}
MORGANA_ENTRY_POINT(win_set_attr, Integer* win, Integer* keyval, Address* value, Integer* error) {
  set_for_fortran(targets().MPI_Win_set_attr, win_of(*win), *keyval, *value, error);
}
MORGANA_ENTRY_POINT(type_set_attr, Integer* type, Integer* keyval, Address* value, Integer* error) {
  set_for_fortran(targets().MPI_Type_set_attr, type_of(*type), *keyval, *value, error);
}

}  // namespace morgana::stand_in::fortran

// The attribute functions that MPI itself has, under the names that a Fortran compiler gives them.
#define MORGANA_PREDEFINED(prefix, Value)                                                                    \
  extern "C" {                                                                                               \
  __attribute__((visibility("default"))) void prefix##null_copy_fn_(int*, int*, Value*, Value*, Value*,      \
                                                                    int* flag, int* error) {                 \
    *flag = 0;                                                                                               \
    *error = MPI_SUCCESS;                                                                                    \
  }                                                                                                          \
  __attribute__((visibility("default"))) void prefix##dup_fn_(int*, int*, Value*, Value* value, Value* copy, \
                                                              int* flag, int* error) {                       \
    *copy = *value;                                                                                          \
    *flag = 1;                                                                                               \
    *error = MPI_SUCCESS;                                                                                    \
  }                                                                                                          \
  __attribute__((visibility("default"))) void prefix##null_delete_fn_(int*, int*, Value*, Value*,            \
                                                                      int* error) {                          \
    *error = MPI_SUCCESS;                                                                                    \
  }                                                                                                          \
  }
MORGANA_PREDEFINED(mpi_, int)
MORGANA_PREDEFINED(mpi_comm_, MPI_Aint)
MORGANA_PREDEFINED(mpi_type_, MPI_Aint)
MORGANA_PREDEFINED(mpi_win_, MPI_Aint)
