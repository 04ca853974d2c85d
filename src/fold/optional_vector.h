#pragma once
// Vector that takes the room of a pointer where it has no elements.

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace skelgen::fold {

/// A vector, or one null pointer in the place of an empty one: most nodes of a program have neither body nor list.
template <typename T>
class OptionalVector {
 public:
  using Vector = std::vector<T>;

  OptionalVector() = default;
  OptionalVector(std::initializer_list<T> all) : OptionalVector(Vector(all)) {}
  OptionalVector(Vector all) : all_(all.empty() ? nullptr : std::make_unique<Vector>(std::move(all))) {}
  OptionalVector(const OptionalVector& other) : all_(other.all_ ? std::make_unique<Vector>(*other.all_) : nullptr) {}
  OptionalVector(OptionalVector&&) noexcept = default;
  OptionalVector& operator=(const OptionalVector& other) { return *this = OptionalVector(other); }
  OptionalVector& operator=(OptionalVector&&) noexcept = default;
  ~OptionalVector() = default;

  operator const Vector&() const { return vector(); }
  const Vector& vector() const {
    static const Vector none;
    return all_ ? *all_ : none;
  }
  Vector take() && { return all_ ? std::move(*std::exchange(all_, nullptr)) : Vector(); }

  bool empty() const { return !all_; }
  std::size_t size() const { return vector().size(); }
  const T& operator[](std::size_t i) const { return (*all_)[i]; }
  T& operator[](std::size_t i) { return (*all_)[i]; }
  const T& at(std::size_t i) const { return vector().at(i); }
  auto begin() const { return vector().begin(); }
  auto end() const { return vector().end(); }
  T* begin() { return all_ ? all_->data() : nullptr; }
  T* end() { return all_ ? all_->data() + all_->size() : nullptr; }

  void push_back(T value) {
    if (!all_) all_ = std::make_unique<Vector>();
    all_->push_back(std::move(value));
  }
  void clear() { all_.reset(); }

  friend bool operator==(const OptionalVector& a, const OptionalVector& b) { return a.vector() == b.vector(); }

 private:
  std::unique_ptr<Vector> all_;  // never empty
};

}  // namespace skelgen::fold
