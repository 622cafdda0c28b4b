// Runs a store on a separate thread, so that the GUI thread never waits for the disk. Work is done in the order of
// post().
//
// Store must have `static Result<std::unique_ptr<Store>> open(const QString& file)`. If the file cannot be opened it is
// left unchanged, and data is kept in memory until exit.
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

enum class StoreTrouble { notKept, workFailed };  // notKept: data is in memory only from now on; workFailed: one piece of work failed

template <class Store>
class BackgroundStore {
 public:
  using Work = std::function<Result<void>(Store&)>;
  using Tell = std::function<void(const Error& error, StoreTrouble trouble)>;

  // owner: `tell` and answers are called on its thread. It must outlive this object; its pending calls are dropped when it
  // is destroyed.
  BackgroundStore(QObject* owner, const QString& name, QString file, Tell tell)
      : m_owner(owner), m_worker(new QObject), m_file(std::move(file)), m_tell(std::move(tell)) {
    m_worker->moveToThread(&m_thread);
    m_thread.setObjectName(name);
    QObject::connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
  }
  BackgroundStore(const BackgroundStore&) = delete;
  BackgroundStore& operator=(const BackgroundStore&) = delete;
  // Finishes the work posted before.
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
  // For use in work: runs `call` on the owner's thread, to pass it a result.
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
    answer([tell = m_tell, error, trouble] { tell(error, trouble); });  // may run after this object is gone
  }

  QObject* m_owner;
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  QString m_file;
  Tell m_tell;
  std::unique_ptr<Store> m_store;  // accessed on m_thread only
};

}  // namespace minerva::app
