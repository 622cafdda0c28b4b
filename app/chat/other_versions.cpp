#include "app/chat/other_versions.h"

#include "app/chat/chat_store.h"
#include "app/chat/conversation_import.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>

#include <spdlog/spdlog.h>

#include <algorithm>

namespace minerva::app {
namespace {

// Messages are numbered as saveImported() wants them.
ImportedConversation numbered(const Conversation& conversation, std::vector<Message> messages) {
  QHash<qint64, qint64> numbers{{0, 0}};
  for (const Message& message : messages) numbers.insert(message.id, numbers.size());
  for (Message& message : messages) {
    message.id = numbers.value(message.id);
    message.parent = numbers.value(message.parent);
  }
  ImportedConversation one{conversation, std::move(messages)};
  one.conversation.activeLeaf = numbers.value(conversation.activeLeaf);
  return one;
}

// By their ids in `other`: the folders of the same names here, which are made if there are none.
Result<QHash<qint64, qint64>> foldersHere(ChatStore& store, ChatStore& other) {
  MINERVA_ASSIGN(const std::vector<Folder> here, store.folders());
  MINERVA_ASSIGN(const std::vector<Folder> there, other.folders());
  MINERVA_ASSIGN(qint64 last, store.lastId());
  QHash<qint64, qint64> ids{{0, 0}};
  for (const Folder& folder : there) {
    const auto same = std::ranges::find(here, folder.name, &Folder::name);
    ids.insert(folder.id, same != here.end() ? same->id : ++last);
    if (same == here.end()) MINERVA_TRY(store.save(Folder{last, folder.name, folder.collapsed}));
  }
  return ids;
}

Result<int> takeAll(ChatStore& store, ChatStore& other) {
  MINERVA_ASSIGN(const std::vector<Conversation> conversations, other.conversations());
  MINERVA_ASSIGN(const auto folders, foldersHere(store, other));
  Imported read;
  for (const Conversation& conversation : conversations) {
    MINERVA_ASSIGN(std::vector<Message> messages, other.messages(conversation.id));
    ImportedConversation& one = read.conversations.emplace_back(numbered(conversation, std::move(messages)));
    one.conversation.folder = folders.value(conversation.folder);
  }
  MINERVA_TRY(leaveOutKnown(store, read));  // the program may have ended before the file had its new name
  MINERVA_ASSIGN(const qint64 last, store.lastId());
  std::vector<Conversation> saved;
  MINERVA_TRY(saveImported(store, read, last + 1, saved));
  return static_cast<int>(saved.size());
}

Result<int> takeFrom(ChatStore& store, const QString& file) {
  int taken = 0;
  {
    MINERVA_ASSIGN(const auto other, ChatStore::open(file));
    MINERVA_ASSIGN(taken, withSoundIndexes(*other, [&](ChatStore& opened) { return takeAll(store, opened); }));
  }
  const QString name = file + QStringLiteral(".imported-") + QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  QFile::rename(file, name);
  QFile::remove(file + QStringLiteral(".before-version-%1").arg(ChatStore::version));  // of a migration: the file itself is kept
  spdlog::info("{} conversations of {} were taken over; the file is now {}", taken, file.toStdString(), name.toStdString());
  return taken;
}

}  // namespace

QString fileOfVersion(const QString& file, int version) {
  return QFileInfo(file).absolutePath() + QStringLiteral("/conversations-version-%1.sqlite").arg(version);
}

Result<int> takeOtherVersions(ChatStore& store, const QString& file) {
  const QFileInfo place(file);
  Result<int> all = 0;
  for (const QFileInfo& other : place.absoluteDir().entryInfoList({QStringLiteral("conversations-version-*.sqlite")}, QDir::Files)) {
    const Result<int> taken = takeFrom(store, other.absoluteFilePath());
    if (!taken) spdlog::error("{}", taken.error().message());
    if (all && taken) *all += *taken;
    else if (all) all = taken;
  }
  return all;
}

}  // namespace minerva::app
