#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "benchmarks/kernels/common/traffic.h"

namespace morgana::kernels {

/// What messages are made of.
enum class Element { int32, float32, float64 };

template <typename T>
concept Number = std::same_as<T, std::int32_t> || std::same_as<T, float> || std::same_as<T, double>;

template <Number T>
constexpr Element element_of() {
  if constexpr (std::same_as<T, std::int32_t>) return Element::int32;
  if constexpr (std::same_as<T, float>) return Element::float32;
  return Element::float64;
}

constexpr std::size_t bytes_of(Element element) {
  return element == Element::float64 ? 8 : 4;
}

/// The workers of a kernel as each of them sees the others: all that a numerical core knows of message
/// passing. A face (MPI, PVM) implements it. Messages between two workers with the same tag stay in order.
/// An empty message is not sent, and receiving one does nothing.
class Team {
 public:
  Team(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool first() const { return rank_ == 0; }

  /// Starts a message; it never waits for the receiver. `values` must stay as they are until finish().
  /// @param to  0 <= to < size(); may be rank() itself
  template <typename Range>
  void send(int to, int tag, const Range& values) {
    const std::span view(values);
    using Value = std::remove_cv_t<typename decltype(view)::value_type>;
    send_elements(to, tag, element_of<Value>(), view.data(), view.size());
  }

  /// Waits for a message of exactly as many values.
  template <typename Range>
  void receive(int from, int tag, Range&& values) {
    const std::span view(values);
    using Value = typename decltype(view)::value_type;
    if (!view.empty()) take(from, tag, element_of<Value>(), view.data(), view.size());
  }

  /// Waits until what was sent may be changed again.
  virtual void finish() = 0;

  /// The time of day in seconds; only differences mean anything.
  virtual double seconds() const = 0;

  /// What this worker has sent so far.
  const Traffic& traffic() const { return traffic_; }

 protected:
  virtual void post(int to, int tag, Element element, const void* values, std::size_t count) = 0;
  virtual void take(int from, int tag, Element element, void* values, std::size_t count) = 0;

 private:
  void send_elements(int to, int tag, Element element, const void* values, std::size_t count) {
    if (count == 0) return;
    traffic_.add(static_cast<std::int64_t>(count * bytes_of(element)));
    post(to, tag, element, values, count);
  }

  int rank_, size_;
  Traffic traffic_;
};

}  // namespace morgana::kernels
