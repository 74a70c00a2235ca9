#pragma once

#include "pvmshim/pvm/api.h"

#include <cstddef>
#include <optional>

namespace morgana::pvm {

/// What one element of a type (PVM_BYTE ... PVM_ULONG) is made of: complex numbers are two words.
struct Element {
  std::size_t word;  ///< bytes in memory
  std::size_t words;
  std::size_t xdr_word;  ///< bytes in XDR; bytes themselves go there without their type, four by four

  constexpr std::size_t size() const { return word * words; }
  constexpr std::size_t xdr_size() const { return xdr_word * words; }
};

/// Nothing for PVM_STR and what is no type.
constexpr std::optional<Element> element_of(int type) {
  switch (type) {
    case PVM_BYTE:
      return Element{1, 1, 1};
    case PVM_SHORT:
    case PVM_USHORT:
      return Element{sizeof(short), 1, 4};
    case PVM_INT:
    case PVM_UINT:
      return Element{sizeof(int), 1, 4};
    case PVM_LONG:
    case PVM_ULONG:
      return Element{sizeof(long), 1, 4};
    case PVM_FLOAT:
      return Element{sizeof(float), 1, 4};
    case PVM_DOUBLE:
      return Element{sizeof(double), 1, 8};
    case PVM_CPLX:
      return Element{sizeof(float), 2, 4};
    case PVM_DCPLX:
      return Element{sizeof(double), 2, 8};
    default:
      return std::nullopt;
  }
}

}  // namespace morgana::pvm
