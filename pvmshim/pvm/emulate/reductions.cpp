// The operators that pvm_reduce is given: x becomes the combination of x and y. Of complex numbers the one
// with the greater or smaller modulus counts as the maximum or minimum.

#include <complex>

#include "pvmshim/pvm/api.h"

namespace {

struct Greater {
  template <typename T>
  void operator()(T& x, const T& y) const {
    if (y > x) x = y;
  }
  template <typename T>
  void operator()(std::complex<T>& x, const std::complex<T>& y) const {
    if (std::norm(y) > std::norm(x)) x = y;
  }
};

struct Smaller {
  template <typename T>
  void operator()(T& x, const T& y) const {
    if (y < x) x = y;
  }
  template <typename T>
  void operator()(std::complex<T>& x, const std::complex<T>& y) const {
    if (std::norm(y) < std::norm(x)) x = y;
  }
};

struct Sum {
  template <typename T>
  void operator()(T& x, const T& y) const {
    x = static_cast<T>(x + y);
  }
};

struct Product {
  template <typename T>
  void operator()(T& x, const T& y) const {
    x = static_cast<T>(x * y);
  }
};

template <typename T, typename Combine>
void combine(void* x, const void* y, int count, const Combine& combine_one) {
  auto* out = static_cast<T*>(x);
  const auto* in = static_cast<const T*>(y);
  for (int i = 0; i < count; ++i) combine_one(out[i], in[i]);
}

template <typename Combine>
int combine(int type, void* x, const void* y, int count, bool with_bytes) {
  const Combine one{};
  switch (type) {
    case PVM_BYTE:
      if (!with_bytes) return PvmBadParam;
      combine<char>(x, y, count, one);
      return PvmOk;
    case PVM_SHORT:
      combine<short>(x, y, count, one);
      return PvmOk;
    case PVM_INT:
      combine<int>(x, y, count, one);
      return PvmOk;
    case PVM_LONG:
      combine<long>(x, y, count, one);
      return PvmOk;
    case PVM_FLOAT:
      combine<float>(x, y, count, one);
      return PvmOk;
    case PVM_DOUBLE:
      combine<double>(x, y, count, one);
      return PvmOk;
    case PVM_CPLX:
      combine<std::complex<float>>(x, y, count, one);
      return PvmOk;
    case PVM_DCPLX:
      combine<std::complex<double>>(x, y, count, one);
      return PvmOk;
    default:
      return PvmBadParam;
  }
}

}  // namespace

void PvmMax(int* type, void* x, void* y, int* count, int* result) {
  *result = combine<Greater>(*type, x, y, *count, true);
}

void PvmMin(int* type, void* x, void* y, int* count, int* result) {
  *result = combine<Smaller>(*type, x, y, *count, true);
}

void PvmSum(int* type, void* x, void* y, int* count, int* result) {
  *result = combine<Sum>(*type, x, y, *count, false);
}

void PvmProduct(int* type, void* x, void* y, int* count, int* result) {
  *result = combine<Product>(*type, x, y, *count, false);
}
