#include "core/serve/model_shelf.h"

#include "core/base/start_thread.h"
#include "core/serve/model_name.h"
#include "core/serve/refusal.h"

#include <algorithm>
#include <new>

namespace minerva::serve {
namespace {

constexpr std::chrono::milliseconds lookForClientOfModel{50};

Error stoppingError() { return {.kind = ErrorKind::cancelled, .what = "The server is stopping", .where = "server"}; }

// An exception that came through would leave the shelf loading for ever, and a driver without a thread would refuse for ever.
Result<std::unique_ptr<LoadedModel>> loadedWith(const ModelShelf::Load& load, const ShelfItem& item, const ModelShelf::LoadHow& how) {
  try {
    MINERVA_ASSIGN(std::unique_ptr<LoadedModel> made, load(item, how));
    if (made->driver) MINERVA_TRY(made->driver->started());
    return made;
  } catch (const std::bad_alloc&) {
    return fail({.kind = ErrorKind::outOfMemory, .what = "There is not enough memory to load the model", .where = item.path.string()});
  } catch (const std::exception& error) {
    return fail({.what = "The load broke off", .where = item.path.string(), .actual = error.what()});
  }
}

void noteLoaded(const LoadedModel& model, ModelShelf::Listed& listed) {
  if (model.driver) {
    listed.text = model.driver->model().info();
    listed.header = headerOf(model.driver->model());
    return;
  }
  listed.other = model.embedder ? model.embedder->info() : model.reranker->info();
  const std::string typeName = listed.header ? listed.header->typeName : std::string();
  listed.header = headerOf(*listed.other, model.embedder ? ModelKind::vectors : ModelKind::scores);
  listed.header->typeName = typeName;  // EmbedderInfo has none
}

void addTo(Figures& sum, const Figures& more) {
  sum.accepted += more.accepted;
  sum.refused += more.refused;
  sum.finished += more.finished;
  sum.cancelled += more.cancelled;
  sum.failed += more.failed;
  sum.promptTokens += more.promptTokens;
  sum.reusedTokens += more.reusedTokens;
  sum.generatedTokens += more.generatedTokens;
  sum.prefillSeconds += more.prefillSeconds;
  sum.decodeSeconds += more.decodeSeconds;
  sum.ttftSeconds += more.ttftSeconds;
  sum.underway += more.underway;
  sum.kvHeld += more.kvHeld;
}

}  // namespace

ModelShelf::ModelShelf(std::vector<ShelfItem> items, Load load, How how) : m_load(std::move(load)), m_how(how) {
  for (ShelfItem& item : items) {
    auto entry = std::make_unique<Entry>();
    entry->listed.name = item.name;
    entry->listed.header = item.header;
    entry->item = std::move(item);
    m_entries.push_back(std::move(entry));
  }
  // Without it models stay until others need their place.
  (void)startThread(m_unusedWatch, [this](const std::stop_token& stop) { watchUnused(stop); });
}

ModelShelf::~ModelShelf() { stop(); }

Result<ModelShelf::Entry*> ModelShelf::find(const std::string& name) {
  auto found = std::ranges::find_if(m_entries, [&](const auto& entry) { return entry->item.name == name; });
  if (found == m_entries.end())
    found = std::ranges::find_if(m_entries, [&](const auto& entry) { return isNameOf(name, entry->item.name); });
  if (found != m_entries.end()) return found->get();
  std::string names;
  for (const auto& one : m_entries) names += (names.empty() ? "" : ", ") + one->item.name;
  return fail({.kind = ErrorKind::notFound,
               .what = name.empty() ? "The request names no model" : "This server does not have the model",
               .where = modelField,
               .expected = "one of " + names,
               .actual = name.empty() ? "none" : name.substr(0, 100)});
}

Result<std::shared_ptr<LoadedModel>> ModelShelf::take(const std::string& name, const std::function<bool()>& gone) {
  Lock lock(m_mutex);
  MINERVA_ASSIGN(Entry* const entry, find(name));
  const std::uint64_t attempt = entry->attempts;
  for (;;) {
    if (m_stopping.stop_requested()) return fail(stoppingError());
    // A model whose GPU was lost makes place for a new one when those who use it have heard of it.
    const std::optional<Error> loss = entry->listed.state == State::here ? entry->model->loss() : std::nullopt;
    if (entry->listed.state == State::here && !loss) return lend(*entry);
    if (loss && entry->users == 0) {
      entry->losses.note(entry->item.name, *loss);
      letGo(lock, *entry);
    }
    if (entry->listed.state == State::away && entry->attempts > attempt && entry->error) return fail(*entry->error);
    if (entry->listed.state == State::away && !m_isLoading) MINERVA_TRY(load(lock, *entry, gone));
    else MINERVA_TRY(wait(lock, gone));
  }
}

std::shared_ptr<LoadedModel> ModelShelf::lend(Entry& entry) {
  ++entry.users;
  entry.isReleased = false;
  return {entry.model.get(), [this, &entry](LoadedModel*) {
            const std::scoped_lock lock(m_mutex);
            --entry.users;
            entry.lastUsed = Clock::now();
            m_changed.notify_all();
          }};
}

Result<void> ModelShelf::wait(Lock& lock, const std::function<bool()>& gone) {
  m_changed.wait_for(lock, lookForClientOfModel);
  if (m_stopping.stop_requested()) return fail(stoppingError());
  if (!gone) return {};
  lock.unlock();
  const bool left = gone();
  lock.lock();
  if (left) return fail({.kind = ErrorKind::cancelled, .what = "The client has closed its connection", .where = "connection"});
  return {};
}

std::string ModelShelf::inUse() const {
  std::string names;
  for (const auto& entry : m_entries)
    if (entry->users > 0) names += (names.empty() ? "" : ", ") + entry->item.name;
  return names;
}

ModelShelf::Beside ModelShelf::beside() const {
  Beside all;
  for (const auto& entry : m_entries) {
    if (!entry->model) continue;
    const std::uint64_t bytes = entry->model->bytes();
    ++all.models;
    all.bytes += bytes;
    if (entry->model->backend && entry->model->backend->info().id != "cpu") all.gpuBytes += bytes;
  }
  return all;
}

Result<void> ModelShelf::load(Lock& lock, Entry& entry, const std::function<bool()>& gone) {
  entry.listed.state = State::loading;
  const TimePoint until = Clock::now() + m_how.room;
  Result<bool> again = true;
  while (again && *again) again = tryToLoad(lock, entry, until, gone);
  if (again) ++entry.attempts;  // of a client that went away nothing is known to those who wait: the next of them loads
  entry.lastUsed = Clock::now();
  entry.listed.state = entry.model ? State::here : State::away;
  m_changed.notify_all();
  MINERVA_TRY(again);
  return {};
}

Result<bool> ModelShelf::tryToLoad(Lock& lock, Entry& entry, TimePoint until, const std::function<bool()>& gone) {
  while (m_isLoading) MINERVA_TRY(wait(lock, gone));
  m_isLoading = true;
  const bool hadLosses = entry.losses.count(entry.item.name) > 0;
  const std::string whyCpu = entry.losses.whyCpu(entry.item.name);
  const Beside others = beside();
  lock.unlock();
  Result<std::unique_ptr<LoadedModel>> made = loadedWith(m_load, entry.item, {whyCpu, others, m_stopping.get_token()});
  lock.lock();
  m_isLoading = false;
  m_changed.notify_all();
  if (made) {
    entry.model = std::move(*made);
    entry.error.reset();
    entry.failedAlone.reset();
    noteLoaded(*entry.model, entry.listed);
    return false;
  }
  entry.error = std::move(made.error());
  // A GPU that was lost and then is not there, or not usable, is lost once more.
  const ErrorKind kind = entry.error->kind;
  const bool lost = kind == ErrorKind::deviceLost || (hadLosses && (kind == ErrorKind::notFound || kind == ErrorKind::unsupported));
  if (lost && whyCpu.empty()) entry.losses.note(entry.item.name, *entry.error);
  if (lost) return whyCpu.empty();
  if (kind != ErrorKind::outOfMemory) return false;
  // Other programs may have had the memory: what was too large for all of it is tried again later.
  const bool knownAlone = entry.failedAlone && Clock::now() - *entry.failedAlone < m_how.alone;
  if (others.models == 0) entry.failedAlone = Clock::now();
  MINERVA_ASSIGN(const bool again, knownAlone ? false : makeRoom(lock, entry, until, gone));
  if (!inUse().empty()) entry.error->hint = "Other models are in use: " + inUse();
  return again;
}

// Lets the model go whose last use is the longest ago. False: there is none but models in use, and none became free in time. Others may
// load meanwhile.
Result<bool> ModelShelf::makeRoom(Lock& lock, const Entry& entry, TimePoint until, const std::function<bool()>& gone) {
  bool left = false;  // another one was just leaving
  for (;;) {
    Entry* oldest = nullptr;
    bool inUse = m_isLoading, leaving = false;
    for (const auto& one : m_entries) {
      if (one.get() == &entry || one->listed.state == State::away) continue;
      leaving = leaving || one->listed.state == State::leaving;
      inUse = inUse || one->users > 0;
      const bool free = one->listed.state == State::here && one->users == 0;
      if (free && (oldest == nullptr || one->lastUsed < oldest->lastUsed)) oldest = one.get();
    }
    if (oldest != nullptr) letGo(lock, *oldest);
    if (oldest != nullptr || (left && !leaving)) return true;
    left = leaving;
    if ((!inUse && !leaving) || Clock::now() > until) return false;
    MINERVA_TRY(wait(lock, gone));
  }
}

void ModelShelf::letGo(Lock& lock, Entry& entry) {
  entry.listed.state = State::leaving;
  entry.isReleased = false;
  std::unique_ptr<LoadedModel> model = std::move(entry.model);
  lock.unlock();
  Figures figures;
  if (model->driver) {
    model->driver->stop();
    figures = model->driver->figures();
    figures.kvHeld = 0;
  }
  model.reset();
  lock.lock();
  addTo(entry.past, figures);
  entry.listed.state = State::away;
  m_changed.notify_all();
}

Result<void> ModelShelf::release(const std::string& name) {
  const std::scoped_lock lock(m_mutex);
  MINERVA_ASSIGN(Entry* const entry, find(name));
  entry->isReleased = true;
  m_changed.notify_all();
  return {};
}

bool ModelShelf::isDue(const Entry& entry) const {
  if (entry.listed.state != State::here || entry.users > 0) return false;
  return entry.isReleased || (m_how.idle.count() > 0 && Clock::now() - entry.lastUsed >= m_how.idle);
}

void ModelShelf::watchUnused(const std::stop_token& stop) {
  using std::chrono::milliseconds;
  const milliseconds pause =
      m_how.idle.count() > 0 ? std::clamp(m_how.idle / 4, milliseconds(10), milliseconds(1000)) : milliseconds(3600'000);
  const auto due = [this](const auto& entry) { return isDue(*entry); };
  for (Lock lock(m_mutex); !stop.stop_requested();) {
    m_changed.wait_for(lock, stop, pause, [&] { return std::ranges::any_of(m_entries, due); });
    for (const auto& entry : m_entries)
      if (isDue(*entry) && !stop.stop_requested()) letGo(lock, *entry);
  }
}

std::vector<ModelShelf::Listed> ModelShelf::list() const {
  const std::scoped_lock lock(m_mutex);
  std::vector<Listed> out;
  for (const auto& entry : m_entries) out.push_back(entry->listed);
  return out;
}

Figures ModelShelf::figures() const {
  const std::scoped_lock lock(m_mutex);
  Figures sum;
  for (const auto& entry : m_entries) {
    addTo(sum, entry->past);
    if (entry->model && entry->model->driver) addTo(sum, entry->model->driver->figures());
  }
  return sum;
}

void ModelShelf::stop() {
  m_stopping.request_stop();
  m_changed.notify_all();
  const std::scoped_lock lock(m_mutex);
  for (const auto& entry : m_entries)
    if (entry->model && entry->model->driver) entry->model->driver->stop();
}

}  // namespace minerva::serve
