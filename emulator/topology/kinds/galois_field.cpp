#include "emulator/topology/kinds/galois_field.h"

#include <fmt/format.h>

#include "emulator/core/error.h"

namespace morgana::topology {
namespace {

constexpr unsigned largest_field = 1024;

}  // namespace

GaloisField::GaloisField(unsigned order) : order_(order) {
  if (order >= 2 && order <= largest_field) {
    base_ = 2;
    while (order % base_ != 0) ++base_;
    unsigned rest = order;
    for (; rest % base_ == 0; rest /= base_) ++digits_;
    if (rest != 1) digits_ = 0;
  }
  if (digits_ == 0) throw Error(fmt::format("{} is not a power of a prime up to {}", order, largest_field));
  // A ring of polynomials with an element whose powers are all others but zero is a field.
  unsigned modulus = 0;  // x^n plus this
  while (!find_primitive(modulus)) ++modulus;
  logarithms_.resize(order_);
  for (unsigned exponent = 0; exponent + 1 < order_; ++exponent) logarithms_[powers_[exponent]] = exponent;
}

bool GaloisField::find_primitive(unsigned modulus) {
  for (unsigned element = 1; element < order_; ++element) {
    std::vector<bool> met(order_);
    powers_.clear();
    for (unsigned power = 1; power != 0 && !met[power]; power = times(power, element, modulus)) {
      met[power] = true;
      powers_.push_back(power);
    }
    if (powers_.size() == order_ - 1) return true;
  }
  return false;
}

unsigned GaloisField::add(unsigned a, unsigned b) const {
  unsigned sum = 0;
  for (unsigned place = 1; place < order_; place *= base_) sum += (a / place + b / place) % base_ * place;
  return sum;
}

unsigned GaloisField::subtract(unsigned a, unsigned b) const {
  unsigned difference = 0;
  for (unsigned place = 1; place < order_; place *= base_)
    difference += (a / place % base_ + base_ - b / place % base_) % base_ * place;
  return difference;
}

unsigned GaloisField::multiply(unsigned a, unsigned b) const {
  return a == 0 || b == 0 ? 0 : power(logarithms_[a] + logarithms_[b]);
}

/// Of polynomials modulo x^n + `modulus`, by the digits of `b` from the highest down.
unsigned GaloisField::times(unsigned a, unsigned b, unsigned modulus) const {
  if (digits_ == 1) return a * b % order_;
  unsigned product = 0;
  for (unsigned place = order_ / base_; place > 0; place /= base_) {
    const unsigned carry = product / (order_ / base_);  // of x^n, which is -modulus
    product = product % (order_ / base_) * base_;
    for (unsigned n = 0; n < carry; ++n) product = subtract(product, modulus);
    for (unsigned n = 0; n < b / place % base_; ++n) product = add(product, a);
  }
  return product;
}

}  // namespace morgana::topology
