#include "core/text/template/value/heap.h"

namespace minerva::text::jinja {
namespace {

// Well below the stack size of Minerva's threads (8 MB, or 1 MB if a thread was created with a small stack).
constexpr std::ptrdiff_t stackLimit = 640 * 1024;

const char* stackNow() { return static_cast<const char*>(__builtin_frame_address(0)); }

}  // namespace

void Object::release() {
  if (--m_references == 0) m_heap.bury(this);
}

Container::Container(Heap& heap) : Object(heap), m_next(heap.m_containers) {
  if (m_next) m_next->m_previous = this;
  heap.m_containers = this;
}

Container::~Container() {
  if (m_previous) m_previous->m_next = m_next;
  else heap().m_containers = m_next;
  if (m_next) m_next->m_previous = m_previous;
}

Heap::Heap(Limits limits) : m_limits(limits), m_stackStart(stackNow()) {}

Heap::~Heap() {
  // Clearing a container may destroy others and itself, so it is retained, and the list head is read again each time.
  while (m_containers) {
    Container* container = m_containers;
    container->retain();
    container->clear();
    container->release();
    if (m_containers == container) {  // still referenced from outside: only unlink it
      m_containers = container->m_next;
      if (m_containers) m_containers->m_previous = nullptr;
      container->m_next = nullptr;
    }
  }
}

void Heap::reserve(std::size_t bytes) {
  check(bytes);
  m_live += bytes;
  work(bytes / 8 + 16);
}

void Heap::check(std::size_t bytes) const {
  if (bytes > m_limits.bytes || m_live > m_limits.bytes - bytes)
    raiseLimit("the template needs more memory than the limit of " + std::to_string(m_limits.bytes >> 20) + " MiB");
}

void Heap::checkTime() {
  m_work = 0;
  if (std::chrono::steady_clock::now() > m_limits.deadline) raiseLimit("the template took longer than its time limit");
}

void Heap::checkStack() const {
  const std::ptrdiff_t used = m_stackStart - stackNow();
  if (used > stackLimit || used < -stackLimit) raiseLimit("the template nests too deeply");
}

void Heap::bury(Object* object) {
  object->m_nextDead = m_dead;
  m_dead = object;
  if (m_burying) return;
  m_burying = true;
  while (m_dead) {
    Object* next = m_dead;
    m_dead = next->m_nextDead;
    m_live -= next->m_bytes;
    delete next;
  }
  m_burying = false;
}

}  // namespace minerva::text::jinja
