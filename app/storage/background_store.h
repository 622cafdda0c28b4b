// A store on a thread of its own, so that the window never waits for the disk. Work is done in the order it was posted.
//
// Store: `static Result<std::unique_ptr<Store>> open(const QString& file)`. A file that cannot be used is left alone, and
// what is kept lasts in memory until the end.
#pragma once

#include "core/base/error.h"

#include <QDir>
#include <QFileInfo>
#include <QObject>
#include <QThread>

#include <spdlog/spdlog.h>

#include <functional>
#include <memory>

namespace minerva::app {

enum class StoreTrouble { notKept, workFailed };  // only in memory from now on; one piece of work came to nothing

template <class Store>
class BackgroundStore {
 public:
  using Work = std::function<Result<void>(Store&)>;
  using Tell = std::function<void(const Error& error, StoreTrouble trouble)>;

  // owner: on whose thread `tell` and answers are called, unless it is gone by then; it outlives this object.
  BackgroundStore(QObject* owner, const QString& name, QString file, Tell tell)
      : m_owner(owner), m_worker(new QObject), m_file(std::move(file)), m_tell(std::move(tell)) {
    m_worker->moveToThread(&m_thread);
    m_thread.setObjectName(name);
    QObject::connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
  }
  BackgroundStore(const BackgroundStore&) = delete;
  BackgroundStore& operator=(const BackgroundStore&) = delete;
  // What was posted before is done first.
  ~BackgroundStore() {
    QMetaObject::invokeMethod(
        m_worker, [this] { m_store.reset(); }, Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
  }

  void post(Work work) {
    QMetaObject::invokeMethod(
        m_worker,
        [this, work = std::move(work)] {
          if (!m_store && !open()) return;
          if (const Result<void> done = work(*m_store); !done) say(done.error(), StoreTrouble::workFailed);
        },
        Qt::QueuedConnection);
  }
  // For work: what the owner is to do with its result.
  void answer(std::function<void()> call) { QMetaObject::invokeMethod(m_owner, std::move(call), Qt::QueuedConnection); }

 private:
  bool open() {
    QDir().mkpath(QFileInfo(m_file).absolutePath());
    auto store = Store::open(m_file);
    if (!store) {
      say(store.error(), StoreTrouble::notKept);
      store = Store::open(QStringLiteral(":memory:"));
    }
    if (store) m_store = std::move(*store);
    return m_store != nullptr;
  }
  void say(const Error& error, StoreTrouble trouble) {
    spdlog::error("{}", error.message());
    answer([this, error, trouble] { m_tell(error, trouble); });
  }

  QObject* m_owner;
  QThread m_thread;
  QObject* m_worker;  // lives on the thread
  QString m_file;
  Tell m_tell;
  std::unique_ptr<Store> m_store;  // used on the thread alone
};

}  // namespace minerva::app
