// A ChatController with its dependencies, on a folder that can be reopened; its models are checked by
// QAbstractItemModelTester.
#pragma once

#include "app/chat/chat_controller.h"
#include "app/chat/store_thread.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "patience.h"
#include "scripted_source.h"
#include "utf8.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

namespace minerva::app {

struct Bench {
  explicit Bench(const QString& folder)
      : settings(folder + s("/settings.ini")),
        store(folder + s("/chat.sqlite")),
        chat(&source, &store, &presets),
        messageTester(chat.messages(), QAbstractItemModelTester::FailureReportingMode::QtTest),
        listTester(chat.conversations(), QAbstractItemModelTester::FailureReportingMode::QtTest) {
    QSignalSpy opened(&chat, &ChatController::opened);
    if (!opened.wait(patienceMs)) qFatal("the store did not open");
  }
  ~Bench() { chat.flush(); }

  void reply(const char* text) {
    source.say(s(text));
    source.end(engine::FinishReason::endOfTurn);
  }
  [[nodiscard]] QVariant at(int row, int role) { return chat.messages()->data(chat.messages()->index(row), role); }
  [[nodiscard]] QStringList texts() {
    QStringList all;
    for (int row = 0; row < chat.messages()->count(); ++row) all << at(row, MessageModel::TextRole).toString();
    return all;
  }
  Settings settings;
  Presets presets{&settings};
  StoreThread store;
  ScriptedSource source;
  ChatController chat;
  QAbstractItemModelTester messageTester, listTester;
};

}  // namespace minerva::app
