#include "core/engine/inbox.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace minerva::engine {
namespace {

std::unexpected<Error> tooMany(std::size_t waiting, std::size_t most) {
  return fail({.kind = ErrorKind::limit,
               .what = "Too many requests are waiting",
               .where = "request",
               .expected = "at most " + std::to_string(most),
               .actual = std::to_string(waiting) + " and this one",
               .hint = "Send it again when some of them are done"});
}

std::unexpected<Error> withdrawn() {
  return fail({.kind = ErrorKind::cancelled, .what = "The request was cancelled before it began", .where = "request"});
}

std::unexpected<Error> noThread() {
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "The system has no thread to make the prompt on",
               .where = "request",
               .hint = "Close other programs and send it again"});
}

// On this thread an exception would end the program; it is one request's mishap.
Result<Prompt> madeWith(const PromptMaker& maker, const Request& request) {
  try {
    return maker.make(request);
  } catch (const std::bad_alloc&) {
    return fail({.kind = ErrorKind::outOfMemory, .what = "There is not enough memory to make the prompt", .where = "request"});
  } catch (const std::exception& error) {
    return fail({.what = "The prompt could not be made", .where = "request", .actual = error.what()});
  }
}

}  // namespace

Inbox::~Inbox() {
  const std::scoped_lock lock(m_mutex);
  m_toMake.clear();
}

RequestId Inbox::submit(Request request) {
  const std::scoped_lock lock(m_mutex);
  const RequestId id = ++m_lastId;
  Arrival arrival{id, std::move(request), Clock::now()};
  const std::size_t waiting = m_toMake.size() + (m_making ? 1 : 0) + m_made.size() + m_waiting;
  if (waiting >= m_most) {
    arrival.request = {};  // bounds the memory of senders that ignore the limit
    m_refused.push_back({std::move(arrival), tooMany(waiting, m_most)});
  } else {
    m_toMake.emplace(id, std::move(arrival));
    m_busy = m_busy || m_tasks.post([this] { makeAll(); });
    if (!m_busy) m_refused.push_back({std::move(m_toMake.extract(id).mapped()), noThread()});
  }
  m_changed.notify_all();
  return id;
}

void Inbox::makeAll() {
  for (std::unique_lock lock(m_mutex);;) {
    if (m_toMake.empty()) {
      m_busy = false;
      return;
    }
    Arrival arrival = std::move(m_toMake.extract(m_toMake.begin()).mapped());
    m_making = Arrival{arrival.id, {}, arrival.time};
    lock.unlock();
    Result<Prompt> prompt = madeWith(m_maker, arrival.request);
    lock.lock();
    if (m_making) m_made.push_back({std::move(arrival), std::move(prompt)});
    m_making.reset();
    m_changed.notify_all();
  }
}

void Inbox::cancel(RequestId id) {
  const std::scoped_lock lock(m_mutex);
  if (std::ranges::find(m_cancelled, id) == m_cancelled.end()) m_cancelled.push_back(id);
  m_changed.notify_all();
}

bool Inbox::waitForWork(std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  return m_changed.wait(lock, std::move(stop), [this] { return delivers(); });
}

Inbox::Delivery Inbox::take() {
  const std::scoped_lock lock(m_mutex);
  Delivery delivery{.made = std::exchange(m_made, {}), .withdrawn = {}, .cancelled = {}};
  for (const RequestId id : std::exchange(m_cancelled, {})) {
    if (const auto found = m_toMake.find(id); found != m_toMake.end()) {
      delivery.withdrawn.push_back({std::move(found->second), withdrawn()});
      m_toMake.erase(found);
    } else if (m_making && m_making->id == id) {
      delivery.withdrawn.push_back({std::move(*std::exchange(m_making, std::nullopt)), withdrawn()});
    } else {
      delivery.cancelled.push_back(id);
    }
  }
  m_waiting += delivery.made.size();
  std::ranges::move(std::exchange(m_refused, {}), std::back_inserter(delivery.made));
  return delivery;
}

bool Inbox::waitForPrompt(std::chrono::milliseconds most) {
  std::unique_lock lock(m_mutex);
  if (!delivers() && m_toMake.empty() && !m_making) return false;
  m_changed.wait_for(lock, most, [this] { return delivers(); });
  return true;
}

void Inbox::waitForPrompts() {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [this] { return m_toMake.empty() && !m_making; });
}

void Inbox::setWaiting(std::size_t requests) {
  const std::scoped_lock lock(m_mutex);
  m_waiting = requests;
}

}  // namespace minerva::engine
