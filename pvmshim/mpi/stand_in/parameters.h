#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pvmshim/mpi/stand_in/constants.h"
#include "pvmshim/mpi/stand_in/handles.h"
#include "pvmshim/mpi/stand_in/status.h"
#include "pvmshim/mpi/stand_in/targets.h"

// The kinds of parameters that the program's calls have. Each is a class of one member, which a call passes
// as it would pass that member: so the table of calls names kinds, and the compiler checks that each becomes
// what MPICH declares.

namespace morgana::stand_in {

template <typename Kind>
struct In {
  Handle* given;
};
template <typename Kind>
struct Out {
  Handle** given;
};
template <typename Kind>
struct InOut {
  Handle** given;
};

struct Comm : In<MPI_Comm> {};
struct Type : In<MPI_Datatype> {};
struct Group : In<MPI_Group> {};
struct Op : In<MPI_Op> {};
struct Request : In<MPI_Request> {};
struct Handler : In<MPI_Errhandler> {};
struct Info : In<MPI_Info> {};
struct Win : In<MPI_Win> {};
struct Session : In<MPI_Session> {};
struct File {
  Handle* given;
};
struct CommOut : Out<MPI_Comm> {};
struct TypeOut : Out<MPI_Datatype> {};
struct GroupOut : Out<MPI_Group> {};
struct OpOut : Out<MPI_Op> {};
struct RequestOut : Out<MPI_Request> {};
struct HandlerOut : Out<MPI_Errhandler> {};
struct InfoOut : Out<MPI_Info> {};
struct WinOut : Out<MPI_Win> {};
struct SessionOut : Out<MPI_Session> {};
struct FileOut {
  Handle** given;
};
struct CommInOut : InOut<MPI_Comm> {};
struct TypeInOut : InOut<MPI_Datatype> {};
struct GroupInOut : InOut<MPI_Group> {};
struct OpInOut : InOut<MPI_Op> {};
struct RequestInOut : InOut<MPI_Request> {};
struct HandlerInOut : InOut<MPI_Errhandler> {};
struct InfoInOut : InOut<MPI_Info> {};
struct WinInOut : InOut<MPI_Win> {};
struct SessionInOut : InOut<MPI_Session> {};
struct FileInOut {
  Handle** given;
};
struct MessageOut {
  Handle** given;
};
struct MessageInOut {
  Handle** given;
};

// What calls by hand get as it comes: the table's names say more than their types.
using CommPlace = Handle**;
using RequestPlace = Handle**;
using OpPlace = Handle**;
using HandlerPlace = Handle**;
using MessagePlace = Handle**;
using RequestList = Handle**;
using TypeList = Handle* const*;
using TypePlaces = Handle**;
using InfoList = Handle* const*;

/// A range of ranks: first, last, stride.
using Triple = int[3];
/// A buffer, MPI_BOTTOM or MPI_IN_PLACE.
struct Buffer {
  void* given;
};
/// Weights of edges, MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY.
struct Weights {
  int* given;
};
struct StatusIn {
  const Status* given;
};
struct StatusInOut {
  Status* given;
};
/// A status that the call fills in, or MPI_STATUS_IGNORE.
struct StatusOut {
  Status* given;
};

/// A number that is a constant to one of the interfaces.
template <int (*to_mpichs)(int)>
struct Number {
  int given;
};
using Rank = Number<rank_to_mpich>;
using Code = Number<error_to_mpich>;
using Keyval = Number<keyval_to_mpich>;
using Assertions = Number<assertions_to_mpich>;
using Lock = Number<lock_to_mpich>;
using SplitType = Number<split_type_to_mpich>;
using TypeClass = Number<type_class_to_mpich>;
using Order = Number<order_to_mpich>;

/// One that the call gives back.
template <int (*from_mpichs)(int)>
struct NumberOut {
  int* given;
};
using RankOut = NumberOut<rank_from_mpich>;
using CodeOut = NumberOut<error_from_mpich>;
using TopologyOut = NumberOut<topology_from_mpich>;
using CombinerOut = NumberOut<combiner_from_mpich>;
struct KeyvalInOut {
  int* given;
};

/// What a parameter is for MPICH, for the time of the call: get() before it and finish() after it.
template <typename Theirs>
class Conversion {
 public:
  explicit Conversion(Theirs given) : given_(given) {}
  Theirs get() { return given_; }
  void finish(bool) {}

 private:
  Theirs given_;
};

template <typename Parameter, typename Kind>
class HandleIn {
 public:
  explicit HandleIn(Parameter handle) : given_(handle.given) {}
  Kind get() { return to_mpich<Kind>(given_); }
  void finish(bool) {}

 private:
  const Handle* given_;
};

template <typename Parameter, typename Kind>
class HandleOut {
 public:
  explicit HandleOut(Parameter handle) : given_(handle.given) {}
  Kind* get() { return given_ == nullptr ? nullptr : &made_; }
  void finish(bool succeeded) {
    if (succeeded && given_ != nullptr) *given_ = handle_of(made_);
  }

 private:
  Handle** given_;
  Kind made_{};
};

/// The handle changes where MPICH's does; a failed call may have changed it, too.
template <typename Parameter, typename Kind>
class HandleInOut {
 public:
  explicit HandleInOut(Parameter handle)
      : given_(handle.given), before_(given_ == nullptr ? Kind{} : to_mpich<Kind>(*given_)), now_(before_) {}
  Kind* get() { return given_ == nullptr ? nullptr : &now_; }
  void finish(bool) {
    if (now_ != before_) *given_ = handle_of(now_);
  }

 private:
  Handle** given_;
  Kind before_, now_;
};

#define MORGANA_KIND(name, kind)                                          \
  template <>                                                             \
  class Conversion<name> : public HandleIn<name, kind> {                  \
   public:                                                                \
    using HandleIn::HandleIn;                                             \
  };                                                                      \
  template <>                                                             \
  class Conversion<name##Out> : public HandleOut<name##Out, kind> {       \
   public:                                                                \
    using HandleOut::HandleOut;                                           \
  };                                                                      \
  template <>                                                             \
  class Conversion<name##InOut> : public HandleInOut<name##InOut, kind> { \
   public:                                                                \
    using HandleInOut::HandleInOut;                                       \
  };
MORGANA_KIND(Comm, MPI_Comm)
MORGANA_KIND(Type, MPI_Datatype)
MORGANA_KIND(Group, MPI_Group)
MORGANA_KIND(Op, MPI_Op)
MORGANA_KIND(Request, MPI_Request)
MORGANA_KIND(Handler, MPI_Errhandler)
MORGANA_KIND(Info, MPI_Info)
MORGANA_KIND(Win, MPI_Win)
MORGANA_KIND(Session, MPI_Session)
MORGANA_KIND(File, MPI_File)
#undef MORGANA_KIND

template <>
class Conversion<MessageOut> {
 public:
  explicit Conversion(MessageOut message) : given_(message.given) {}
  MPI_Message* get() { return &made_; }
  void finish(bool succeeded) {
    if (succeeded && given_ != nullptr) *given_ = message_from_mpich(made_);
  }

 private:
  Handle** given_;
  MPI_Message made_ = MPI_MESSAGE_NULL;
};

/// A received message is one no more.
template <>
class Conversion<MessageInOut> {
 public:
  explicit Conversion(MessageInOut message)
      : given_(message.given), before_(to_mpich<MPI_Message>(*given_)), now_(before_) {}
  MPI_Message* get() { return &now_; }
  void finish(bool) {
    if (now_ == before_) return;
    forget_message(*given_);
    *given_ = message_from_mpich(now_);
  }

 private:
  Handle** given_;
  MPI_Message before_, now_;
};

inline void* buffer_to_mpich(void* buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer) == in_place_address ? MPI_IN_PLACE : buffer;
}

template <>
class Conversion<Buffer> {
 public:
  explicit Conversion(Buffer buffer) : given_(buffer.given) {}
  void* get() { return buffer_to_mpich(given_); }
  void finish(bool) {}

 private:
  void* given_;
};

template <>
class Conversion<Weights> {
 public:
  explicit Conversion(Weights weights) : given_(weights.given) {}
  int* get() {
    switch (reinterpret_cast<std::uintptr_t>(given_)) {
      case unweighted_address:
        return unweighted();
      case empty_weights_address:
        return empty_weights();
      default:
        return given_;
    }
  }
  void finish(bool) {}

 private:
  int* given_;
};

template <>
class Conversion<StatusIn> {
 public:
  explicit Conversion(StatusIn status) : status_(to_mpich(*status.given)) {}
  const MPI_Status* get() { return &status_; }
  void finish(bool) {}

 private:
  MPI_Status status_;
};

template <>
class Conversion<StatusInOut> {
 public:
  explicit Conversion(StatusInOut status) : given_(status.given), status_(to_mpich(*given_)) {}
  MPI_Status* get() { return &status_; }
  void finish(bool) { from_mpich(status_, *given_, true); }

 private:
  Status* given_;
  MPI_Status status_;
};

/// What a call leaves as it was (one that completes nothing; of a file, all but the number of bytes) stays
/// the program's.
template <>
class Conversion<StatusOut> {
 public:
  explicit Conversion(StatusOut status) : given_(status.given) {
    if (given_ != nullptr) status_ = untouched_status();
  }
  MPI_Status* get() { return given_ == nullptr ? MPI_STATUS_IGNORE : &status_; }
  void finish(bool) {
    if (given_ != nullptr) take_over(status_, *given_);
  }

 private:
  Status* given_;
  MPI_Status status_;
};

template <int (*to_mpichs)(int)>
class Conversion<Number<to_mpichs>> {
 public:
  explicit Conversion(Number<to_mpichs> number) : given_(number.given) {}
  int get() { return to_mpichs(given_); }
  void finish(bool) {}

 private:
  int given_;
};

template <int (*from_mpichs)(int)>
class Conversion<NumberOut<from_mpichs>> {
 public:
  explicit Conversion(NumberOut<from_mpichs> number) : given_(number.given) {}
  int* get() { return given_; }
  void finish(bool succeeded) {
    if (succeeded && given_ != nullptr) *given_ = from_mpichs(*given_);
  }

 private:
  int* given_;
};

template <>
class Conversion<KeyvalInOut> {
 public:
  explicit Conversion(KeyvalInOut keyval) : given_(keyval.given) {
    if (given_ != nullptr) keyval_ = keyval_to_mpich(*given_);
  }
  int* get() { return given_ == nullptr ? nullptr : &keyval_; }
  void finish(bool) {
    if (given_ != nullptr) *given_ = keyval_from_mpich(keyval_);
  }

 private:
  int* given_;
  int keyval_ = 0;
};

/// What a call of MPICH's gives back is an error code, or a value of another type.
template <typename Result>
Result result_from_mpich(Result result) {
  if constexpr (std::is_same_v<Result, int>)
    return error_from_mpich(result);
  else
    return result;
}

/// Carries out a call of the program: its parameters become MPICH's.
template <typename Result, typename... Ours, typename... Theirs>
inline Result carry_out(Result (*target)(Ours...), Theirs... given) {
  return [&](auto... conversions) {
    const Result result = target(static_cast<Ours>(conversions.get())...);
    bool succeeded = true;
    if constexpr (std::is_same_v<Result, int>) succeeded = result == MPI_SUCCESS;
    (conversions.finish(succeeded), ...);
    return result_from_mpich(result);
  }(Conversion<Theirs>(given)...);
}

/// A parameter as it came, for a call that MPICH makes itself: it has passed its own type.
template <typename Ours, typename Theirs>
Ours as_it_came(const Theirs& given) {
  if constexpr (std::is_integral_v<Ours> && std::is_integral_v<Theirs>) {
    return static_cast<Ours>(given);
  } else {
    static_assert(sizeof(Ours) <= sizeof(Theirs));  // NOLINT(bugprone-sizeof-expression): of pointers, too
    Ours ours;
    std::memcpy(&ours, &given, sizeof ours);  // NOLINT(bugprone-sizeof-expression): of pointers, too
    return ours;
  }
}

template <typename Result, typename... Ours, typename... Theirs>
inline Result pass_on(Result (*target)(Ours...), Theirs... given) {
  return target(as_it_came<Ours>(given)...);
}

}  // namespace morgana::stand_in

#if defined(MORGANA_STANDARD_ABI)
#include "pvmshim/mpi/stand_in/abi/kinds.h"
#else
#include "pvmshim/mpi/stand_in/openmpi/kinds.h"
#endif
