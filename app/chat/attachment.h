// A text file attached to a message, and how it is written into the prompt.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace minerva::app {

struct Attachment {
  QString name, text;
  qint64 bytes = 0;  // size of the text in UTF-8
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

[[nodiscard]] Attachment attachmentOf(const QString& name, const QString& text);

// The message as the model reads it: each file with its name, inside a fence of more backticks than any run of backticks
// in the file, then the user's text.
[[nodiscard]] QString withAttachments(const QList<Attachment>& files, const QString& text);

// Splits the text at line ends into parts of about `length` characters, for list views that lay out only visible rows.
// Lines longer than a part are split.
[[nodiscard]] QStringList partsOf(const QString& text, qsizetype length = 8192);

}  // namespace minerva::app
