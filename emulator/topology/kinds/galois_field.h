#pragma once

#include <vector>

namespace morgana::topology {

/// The finite field of q elements, numbered from 0 (zero) and 1 (one): of q = p^n with p prime, the digits of
/// a number to the base p are the coefficients of a polynomial, the lowest first.
class GaloisField {
 public:
  /// @param order  q, a power of a prime, 2 .. 1024. @throws Error for any other number
  explicit GaloisField(unsigned order);
  unsigned order() const { return order_; }
  unsigned add(unsigned a, unsigned b) const;
  unsigned subtract(unsigned a, unsigned b) const;
  unsigned multiply(unsigned a, unsigned b) const;
  /// A power of a primitive element, whose powers 0 .. q - 2 are all elements but zero.
  unsigned power(unsigned exponent) const { return powers_[exponent % (order_ - 1)]; }

 private:
  bool find_primitive(unsigned modulus);
  unsigned times(unsigned a, unsigned b, unsigned modulus) const;

  unsigned order_, base_ = 0, digits_ = 0;  // q, p, n
  std::vector<unsigned> powers_;            // of the primitive element
  std::vector<unsigned> logarithms_;        // by element; of zero nothing
};

}  // namespace morgana::topology
