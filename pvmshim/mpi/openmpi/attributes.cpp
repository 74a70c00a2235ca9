// Attributes, generalised requests and data representations: MPICH gives their functions a word of the
// program's along, which is where ours find the program's.

#include <memory>

#include "pvmshim/mpi/openmpi/by_hand.h"

namespace morgana::openmpi::by_hand {
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

/// @param value  where the attribute's value goes, a pointer
template <typename Get, typename Object>
int get_attribute(Get get, Object object, int keyval, void* value, int* flag) {
  const int result = get(object, keyval_to_mpich(keyval), value, flag);
  if (result != MPI_SUCCESS || *flag == 0) return error_from_mpich(result);
  // The values that are constants of the interface.
  static int window_models[] = {0, 1};
  static thread_local int rank = 0;
  int*& found = *static_cast<int**>(value);
  if (keyval == keyval_io || keyval == keyval_host) {
    rank = rank_from_mpich(*found);
    found = &rank;
  } else if (keyval == keyval_window_model) {
    found = &window_models[*found == MPI_WIN_UNIFIED ? 0 : 1];
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

struct RepresentationFunctions {
  ConvertData* read;
  ConvertData* write;
  ExtentOfData* extent;
  void* extra;
};

int read_data(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* extra) {
  const auto& functions = *static_cast<const RepresentationFunctions*>(extra);
  return error_to_mpich(functions.read(user, from_mpich(type), count, file, position, functions.extra));
}
int write_data(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* extra) {
  const auto& functions = *static_cast<const RepresentationFunctions*>(extra);
  return error_to_mpich(functions.write(user, from_mpich(type), count, file, position, functions.extra));
}
int extent_of_data(MPI_Datatype type, MPI_Aint* extent, void* extra) {
  const auto& functions = *static_cast<const RepresentationFunctions*>(extra);
  return error_to_mpich(functions.extent(from_mpich(type), extent, functions.extra));
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
  auto functions =
      std::make_unique<RepresentationFunctions>(RepresentationFunctions{read, write, extent, extra});
  const int result = targets().MPI_Register_datarep(
      name, read == nullptr ? nullptr : read_data, write == nullptr ? nullptr : write_data,
      extent == nullptr ? nullptr : extent_of_data, functions.get());
  if (result == MPI_SUCCESS) (void)functions.release();  // a representation stays until MPI ends
  return error_from_mpich(result);
}

int MPI_Op_create(UserFunction* function, int commutes, Handle** made) {
  MPI_Op op = MPI_OP_NULL;
  const int result = targets().MPI_Op_create(operator_for(function), commutes, &op);
  if (result == MPI_SUCCESS) *made = from_mpich(op);
  return error_from_mpich(result);
}

int MPI_Comm_create_errhandler(HandleError* function, Handle** made) {
  return create_handler<MPI_Errhandler>(targets().MPI_Comm_create_errhandler,
                                        communicator_handler_for(function), made);
}
int MPI_Errhandler_create(HandleError* function, Handle** made) {
  return by_hand::MPI_Comm_create_errhandler(function, made);
}
int MPI_Win_create_errhandler(HandleError* function, Handle** made) {
  return create_handler<MPI_Errhandler>(targets().MPI_Win_create_errhandler, window_handler_for(function),
                                        made);
}
int MPI_File_create_errhandler(HandleError* function, Handle** made) {
  return create_handler<MPI_Errhandler>(targets().MPI_File_create_errhandler, file_handler_for(function),
                                        made);
}

}  // namespace morgana::openmpi::by_hand
