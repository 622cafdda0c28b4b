// A text file that belongs to a message: a value, and how it stands in what the model reads.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace minerva::app {

struct Attachment {
  QString name, text;
  qint64 bytes = 0;  // of the text, in UTF-8
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

[[nodiscard]] Attachment attachmentOf(const QString& name, const QString& text);

// What a message says with its files: each with its name, inside a fence of more backticks than stand together anywhere in
// it, then the person's own text.
[[nodiscard]] QString withAttachments(const QList<Attachment>& files, const QString& text);

// The same text in parts of about so many characters, cut between lines, for lists that lay out what they show. A line
// that is longer than a part is cut.
[[nodiscard]] QStringList partsOf(const QString& text, qsizetype length = 8192);

}  // namespace minerva::app
