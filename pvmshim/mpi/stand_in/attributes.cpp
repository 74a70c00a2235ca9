// Attributes, generalised requests and data representations: MPICH gives their functions a word of the
// program's along, which is where ours find the program's.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "pvmshim/mpi/stand_in/by_hand.h"

namespace morgana::stand_in::by_hand {
namespace {

/// What a keyval is created with. It lives on: an attribute may outlive its freed keyval.
struct KeyvalFunctions {
  CopyAttribute* copy;
  DeleteAttribute* erase;
  void* extra;
};

/// To MPICH communicators, datatypes and windows are all numbers.
int copy_attribute(int object, int keyval, void* extra, void* value, void* copy, int* flag) {
  const auto& functions = *static_cast<const KeyvalFunctions*>(extra);
  *flag = 0;
  if (functions.copy == nullptr) return MPI_SUCCESS;
  if (reinterpret_cast<std::uintptr_t>(functions.copy) == duplicating_function) {
    *flag = 1;
    *static_cast<void**>(copy) = value;
    return MPI_SUCCESS;
  }
  return error_to_mpich(
      functions.copy(from_mpich(object), keyval_from_mpich(keyval), functions.extra, value, copy, flag));
}

int delete_attribute(int object, int keyval, void* value, void* extra) {
  const auto& functions = *static_cast<const KeyvalFunctions*>(extra);
  if (functions.erase == nullptr) return MPI_SUCCESS;
  return error_to_mpich(
      functions.erase(from_mpich(object), keyval_from_mpich(keyval), value, functions.extra));
}

template <typename Create>
int create_keyval(Create create, CopyAttribute* copy, DeleteAttribute* erase, int* keyval, void* extra) {
  auto functions = std::make_unique<KeyvalFunctions>(KeyvalFunctions{copy, erase, extra});
  const int result = create(copy_attribute, delete_attribute, keyval, functions.get());
  if (result == MPI_SUCCESS) (void)functions.release();
  return error_from_mpich(result);
}

/// Where a value stands, for as long as the process lives.
int* lasting(int value) {
  static std::mutex changing;
  static auto& all = *new std::map<int, int>;
  const std::lock_guard lock(changing);
  return &all.try_emplace(value, value).first->second;
}

/// @param value  where the attribute's value goes, a pointer
template <typename Get, typename Object>
int get_attribute(Get get, Object object, int keyval, void* value, int* flag) {
  const int result = get(object, keyval_to_mpich(keyval), value, flag);
  if (result != MPI_SUCCESS || *flag == 0) return error_from_mpich(result);
  // The values that are constants of the interface.
  int*& found = *static_cast<int**>(value);
  switch (keyval) {
    case keyval_io:
    case keyval_host:
      found = lasting(rank_from_mpich(*found));
      break;
    case keyval_window_flavor:
      found = lasting(window_flavor_from_mpich(*found));
      break;
    case keyval_window_model:
      found = lasting(window_model_from_mpich(*found));
      break;
    default:
      break;
  }
  return MPI_SUCCESS;
}

struct GrequestFunctions {
  GrequestQuery* query;
  GrequestFree* free;
  GrequestCancel* cancel;
  void* extra;
};

int query_grequest(void* extra, MPI_Status* status) {
  const auto& functions = *static_cast<const GrequestFunctions*>(extra);
  Status theirs{};
  from_mpich(*status, theirs, false);
  const int result = functions.query(functions.extra, &theirs);
  const int error = status->MPI_ERROR;
  *status = to_mpich(theirs);
  status->MPI_ERROR = error;
  return error_to_mpich(result);
}

int free_grequest(void* extra) {
  const std::unique_ptr<const GrequestFunctions> functions(static_cast<const GrequestFunctions*>(extra));
  return error_to_mpich(functions->free(functions->extra));
}

int cancel_grequest(void* extra, int completed) {
  const auto& functions = *static_cast<const GrequestFunctions*>(extra);
  return error_to_mpich(functions.cancel(functions.extra, completed));
}

/// @tparam Count  int, or MPI_Count
template <typename Count>
struct RepresentationFunctions {
  using Convert = int(void*, Handle*, Count, void*, MPI_Offset, void*);
  Convert* read;
  Convert* write;
  ExtentOfData* extent;
  void* extra;
};

template <typename Count>
int read_data(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* extra) {
  const auto& functions = *static_cast<const RepresentationFunctions<Count>*>(extra);
  return error_to_mpich(functions.read(user, from_mpich(type), count, file, position, functions.extra));
}
template <typename Count>
int write_data(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* extra) {
  const auto& functions = *static_cast<const RepresentationFunctions<Count>*>(extra);
  return error_to_mpich(functions.write(user, from_mpich(type), count, file, position, functions.extra));
}
template <typename Count>
int extent_of_data(MPI_Datatype type, MPI_Aint* extent, void* extra) {
  const auto& functions = *static_cast<const RepresentationFunctions<Count>*>(extra);
  return error_to_mpich(functions.extent(from_mpich(type), extent, functions.extra));
}

template <typename Count, typename Register>
int register_representation(Register call, const char* name, const RepresentationFunctions<Count>& given) {
  auto functions = std::make_unique<RepresentationFunctions<Count>>(given);
  const int result = call(name, given.read == nullptr ? nullptr : read_data<Count>,
                          given.write == nullptr ? nullptr : write_data<Count>,
                          given.extent == nullptr ? nullptr : extent_of_data<Count>, functions.get());
  if (result == MPI_SUCCESS) (void)functions.release();  // a representation stays until MPI ends
  return error_from_mpich(result);
}

template <typename Kind, typename Create, typename Function>
int create_handler(Create create, Function* function, Handle** made) {
  Kind handler{};
  const int result = create(function, &handler);
  if (result == MPI_SUCCESS) *made = from_mpich(handler);
  return error_from_mpich(result);
}

}  // namespace

int MPI_Comm_create_keyval(CopyAttribute* copy, DeleteAttribute* erase, int* keyval, void* extra) {
  return create_keyval(targets().MPI_Comm_create_keyval, copy, erase, keyval, extra);
}
int MPI_Type_create_keyval(CopyAttribute* copy, DeleteAttribute* erase, int* keyval, void* extra) {
  return create_keyval(targets().MPI_Type_create_keyval, copy, erase, keyval, extra);
}
int MPI_Win_create_keyval(CopyAttribute* copy, DeleteAttribute* erase, int* keyval, void* extra) {
  return create_keyval(targets().MPI_Win_create_keyval, copy, erase, keyval, extra);
}
int MPI_Keyval_create(CopyAttribute* copy, DeleteAttribute* erase, int* keyval, void* extra) {
  return create_keyval(targets().MPI_Keyval_create, copy, erase, keyval, extra);
}

int MPI_Comm_get_attr(Comm comm, int keyval, void* value, int* flag) {
  return get_attribute(targets().MPI_Comm_get_attr, to_mpich<MPI_Comm>(comm.given), keyval, value, flag);
}
int MPI_Win_get_attr(Win win, int keyval, void* value, int* flag) {
  return get_attribute(targets().MPI_Win_get_attr, to_mpich<MPI_Win>(win.given), keyval, value, flag);
}
int MPI_Attr_get(Comm comm, int keyval, void* value, int* flag) {
  return get_attribute(targets().MPI_Attr_get, to_mpich<MPI_Comm>(comm.given), keyval, value, flag);
}

int MPI_Grequest_start(GrequestQuery* query, GrequestFree* free, GrequestCancel* cancel, void* extra,
                       Handle** request) {
  auto functions = std::make_unique<GrequestFunctions>(GrequestFunctions{query, free, cancel, extra});
  MPI_Request made = MPI_REQUEST_NULL;
  const int result =
      targets().MPI_Grequest_start(query_grequest, free_grequest, cancel_grequest, functions.get(), &made);
  if (result == MPI_SUCCESS) {
    (void)functions.release();  // free_grequest has it from now on
    *request = from_mpich(made);
  }
  return error_from_mpich(result);
}

int MPI_Register_datarep(const char* name, ConvertData* read, ConvertData* write, ExtentOfData* extent,
                         void* extra) {
  return register_representation<int>(targets().MPI_Register_datarep, name, {read, write, extent, extra});
}

int MPI_Op_create(UserFunction* function, int commutes, Handle** made) {
  MPI_Op op = MPI_OP_NULL;
  const int result = targets().MPI_Op_create(operator_for(function), commutes, &op);
  if (result == MPI_SUCCESS) *made = from_mpich(op);
  return error_from_mpich(result);
}

#if defined(MORGANA_STANDARD_ABI)
int MPI_Register_datarep_c(const char* name, LargeConvertData* read, LargeConvertData* write,
                           ExtentOfData* extent, void* extra) {
  return register_representation<MPI_Count>(targets().MPI_Register_datarep_c, name,
                                            {read, write, extent, extra});
}
int MPI_Op_create_c(LargeUserFunction* function, int commutes, Handle** made) {
  MPI_Op op = MPI_OP_NULL;
  const int result = targets().MPI_Op_create_c(large_operator_for(function), commutes, &op);
  if (result == MPI_SUCCESS) *made = from_mpich(op);
  return error_from_mpich(result);
}
int MPI_Session_create_errhandler(HandleError* function, Handle** made) {
  return create_handler<MPI_Errhandler>(targets().MPI_Session_create_errhandler,
                                        session_handler_for(function), made);
}
#endif

int MPI_Comm_create_errhandler(HandleError* function, Handle** made) {
  return create_handler<MPI_Errhandler>(targets().MPI_Comm_create_errhandler,
                                        communicator_handler_for(function), made);
}
int MPI_Win_create_errhandler(HandleError* function, Handle** made) {
  return create_handler<MPI_Errhandler>(targets().MPI_Win_create_errhandler, window_handler_for(function),
                                        made);
}
int MPI_File_create_errhandler(HandleError* function, Handle** made) {
  return create_handler<MPI_Errhandler>(targets().MPI_File_create_errhandler, file_handler_for(function),
                                        made);
}

}  // namespace morgana::stand_in::by_hand
