// Copies of the built-in model. It writes thousands of tokens a second and fills its own 1,024 positions in a quarter of one, so a test
// that acts while a reply is being written needs a copy that lasts, however late the test comes.
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QString>

#include <functional>

namespace minerva::app {

inline void editFile(const QString& path, const std::function<void(QByteArray&)>& edit) {
  QFile file(path);
  if (!file.open(QIODevice::ReadWrite)) qFatal("no %s", qPrintable(path));
  QByteArray text = file.readAll();
  edit(text);
  if (!file.resize(0) || !file.seek(0) || file.write(text) != text.size()) qFatal("cannot write %s", qPrintable(path));
}

// context: the longest context of the copy; 0: the model's own.
inline QString copyOfBuiltIn(const QString& folder, const QString& name = QStringLiteral("copy"), int context = 0) {
  const QString copy = folder + u'/' + name;
  QDir().mkpath(copy);
  for (const QFileInfo& file : QDir(QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model")).entryInfoList(QDir::Files)) {
    QFile::copy(file.filePath(), copy + u'/' + file.fileName());
    QFile::setPermissions(copy + u'/' + file.fileName(), QFile::ReadOwner | QFile::WriteOwner);
  }
  if (context > 0)
    editFile(copy + QStringLiteral("/config.json"), [context](QByteArray& text) {
      text.replace("\"max_position_embeddings\": 1024", "\"max_position_embeddings\": " + QByteArray::number(context));
    });
  return copy;
}

constexpr int longWindedContext = 1 << 16;  // half a minute of a single reply at the very least

// A copy that goes on until its context is full: what ends a turn is a token that it never writes.
inline QString longWindedModel(const QString& folder, const QString& name = QStringLiteral("long-winded")) {
  const QString copy = copyOfBuiltIn(folder, name, longWindedContext);
  for (const char* file : {"/tokenizer.json", "/tokenizer_config.json"})
    editFile(copy + QLatin1String(file), [](QByteArray& text) {
      text.replace("<|end|>", "<|pause|>").replace("\"eos_token\": \"<|pause|>\"", "\"eos_token\": \"<|system|>\"");
    });
  for (const char* file : {"/config.json", "/generation_config.json"})
    editFile(copy + QLatin1String(file), [](QByteArray& text) { text.replace("\"eos_token_id\": 1", "\"eos_token_id\": 4"); });
  return copy;
}

}  // namespace minerva::app
