// The memory of one rendering: limits the memory in use, the execution time and the stack depth.
//
// Objects are reference counted. They are freed in a loop rather than recursively, so that long chains cannot overflow the
// stack. Objects that can be part of a reference cycle (scopes with macros, namespaces) are `Container`s, which are cleared
// when the rendering ends. Single-threaded. Throws TemplateError of kind limit.
#pragma once

#include "core/text/template/template_error.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace minerva::text::jinja {

class Heap;

class Object {
 public:
  explicit Object(Heap& heap) : m_heap(heap) {}
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void retain() { ++m_references; }
  void release();
  [[nodiscard]] Heap& heap() const { return m_heap; }

 private:
  friend class Heap;
  Heap& m_heap;
  Object* m_nextDead = nullptr;
  std::uint32_t m_references = 0;
  std::size_t m_bytes = 0;
};

// An object that can be part of a reference cycle. clear() must drop every reference it holds.
class Container : public Object {
 public:
  explicit Container(Heap& heap);
  ~Container() override;
  virtual void clear() = 0;

 private:
  friend class Heap;
  Container* m_previous = nullptr;
  Container* m_next = nullptr;
};

class Heap {
 public:
  struct Limits {
    std::chrono::steady_clock::time_point deadline;
    std::size_t bytes = 0;
  };
  explicit Heap(Limits limits);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // Creates a T that uses about `extra` further bytes. The caller must put it into a Ref at once.
  template <class T, class... Args>
  T* make(std::size_t extra, Args&&... args) {
    reserve(sizeof(T) + extra);
    T* object = nullptr;
    try {
      object = new T(*this, std::forward<Args>(args)...);
    } catch (...) {
      free(sizeof(T) + extra);
      throw;
    }
    object->m_bytes = sizeof(T) + extra;
    return object;
  }
  // For objects that grow after their creation.
  void grow(Object& object, std::size_t bytes) {
    reserve(bytes);
    object.m_bytes += bytes;
  }

  void reserve(std::size_t bytes);  // charges this much memory; call it before allocating
  void free(std::size_t bytes) { m_live -= bytes; }
  void check(std::size_t bytes) const;  // throws if this much memory would exceed the limit; call it before building a temporary
  void work(std::size_t units) {        // a unit is about one byte processed, or a small step; checks the deadline from time to time
    m_work += units;
    if (m_work >= workBetweenChecks) checkTime();
  }
  void checkStack() const;  // throws if the recursion is too deep
  [[nodiscard]] std::size_t live() const { return m_live; }
  void limitTo(std::size_t bytes) { m_limits.bytes = bytes; }

 private:
  friend class Object;
  friend class Container;
  static constexpr std::size_t workBetweenChecks = 1u << 20;
  void checkTime();
  void bury(Object* object);

  Limits m_limits;
  std::size_t m_live = 0;
  std::size_t m_work = 0;
  const char* m_stackStart;
  Object* m_dead = nullptr;
  bool m_burying = false;
  Container* m_containers = nullptr;
};

// Shared ownership of an Object.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(T* object) : m_object(object) {
    if (m_object) m_object->retain();
  }  // NOLINT: implicit, since every new object is put into a Ref
  Ref(const Ref& other) : Ref(other.m_object) {}
  Ref(Ref&& other) noexcept : m_object(other.m_object) { other.m_object = nullptr; }
  ~Ref() {
    if (m_object) m_object->release();
  }
  Ref& operator=(Ref other) noexcept {
    T* kept = m_object;
    m_object = other.m_object;
    other.m_object = kept;
    return *this;
  }
  [[nodiscard]] T* get() const { return m_object; }
  T* operator->() const { return m_object; }
  T& operator*() const { return *m_object; }
  explicit operator bool() const { return m_object != nullptr; }

 private:
  T* m_object = nullptr;
};

}  // namespace minerva::text::jinja
