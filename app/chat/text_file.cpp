#include "app/chat/text_file.h"

#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>

#include <algorithm>
#include <optional>

namespace minerva::app {
namespace {

struct Kind {
  QByteArrayView begins;
  const char* what;
};
// Common formats that are not text, only used to name them in errors. The checks below decide whether a file is text.
constexpr Kind kinds[] = {{"%PDF-", "a PDF document (it begins with %PDF)"},
                          {"PK\x03\x04", "a ZIP archive or an office document"},
                          {"\xD0\xCF\x11\xE0", "an old office document"},
                          {"\x7F"
                           "ELF",
                           "an executable (ELF)"},
                          {"\x89PNG", "a picture (PNG)"},
                          {"\xFF\xD8\xFF", "a picture (JPEG)"},
                          {"GIF8", "a picture (GIF)"},
                          {"RIFF", "a picture or sound (RIFF)"},
                          {"OggS", "sound or video (Ogg)"},
                          {"\x1F\x8B", "a compressed file (gzip)"},
                          {"BZh", "a compressed file (bzip2)"},
                          {"\xFD"
                           "7zXZ",
                           "a compressed file (xz)"},
                          {"\x28\xB5\x2F\xFD", "a compressed file (zstd)"},
                          {"SQLite format 3", "a database (SQLite)"},
                          {"GGUF", "a model (GGUF)"}};
constexpr qsizetype headBytes = 65536;
constexpr QByteArrayView pdf = "%PDF-", gguf = "GGUF";

// Windows-1252 from 0x80 to 0x9F; 0: undefined.
constexpr char16_t windows[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
                                  0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
                                  0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

bool isControl(unsigned char c) { return c == 0x7F || (c < 0x20 && !(c >= '\b' && c <= '\r') && c != 0x1B); }

std::unexpected<minerva::Error> noText(const QByteArray& bytes, const QString& name, std::string found) {
  const bool isModel = bytes.startsWith(gguf);
  for (const Kind& kind : kinds)
    if (bytes.startsWith(kind.begins)) found = kind.what;
  return fail({.kind = ErrorKind::unsupported,
               .what = "the file " + name.toStdString() + " is not text",
               .where = name.toStdString(),
               .expected = "a text file (UTF-8, UTF-16 or Windows-1252)",
               .actual = std::move(found),
               .hint = isModel ? "open it as a model: drop it into the window, or press Ctrl+O" : "save it as plain text first"});
}

std::string hexPlace(qsizetype at) { return "byte " + std::to_string(at + 1); }

// Position of the first invalid UTF-8 byte, number of invalid bytes, number of multi-byte characters.
struct Utf8 {
  std::optional<qsizetype> wrongAt;
  qsizetype wrong = 0, several = 0;
};

Utf8 lookedAtAsUtf8(const QByteArray& bytes) {
  Utf8 seen;
  const auto at = [&](qsizetype i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
  for (qsizetype i = 0; i < bytes.size();) {
    const unsigned first = at(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const int more = first >= 0xC2 && first < 0xE0 ? 1 : first >= 0xE0 && first < 0xF0 ? 2 : first >= 0xF0 && first < 0xF5 ? 3 : 0;
    bool right = more > 0;
    for (int k = 1; k <= more; ++k) right = right && (at(i + k) & 0xC0U) == 0x80;
    const unsigned second = at(i + 1);
    right = right && !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F) && !(first == 0xF0 && second < 0x90) &&
            !(first == 0xF4 && second > 0x8F);
    if (!right && !seen.wrongAt) seen.wrongAt = i;
    (right ? seen.several : seen.wrong) += 1;
    i += right ? 1 + more : 1;
  }
  return seen;
}

QString fromWindows1252(const QByteArray& bytes) {
  QString text(bytes.size(), Qt::Uninitialized);
  for (qsizetype i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    text[i] = c >= 0x80 && c < 0xA0 ? QChar(windows[c - 0x80]) : QChar(ushort{c});
  }
  return text;
}

// At most 30% non-ASCII bytes, and no control or undefined characters.
bool isPlausibleWindows1252(const QByteArray& bytes) {
  qsizetype high = 0;
  for (const char byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (isControl(c) || (c >= 0x80 && c < 0xA0 && windows[c - 0x80] == 0)) return false;
    high += c >= 0x80 ? 1 : 0;
  }
  return 10 * high <= 3 * bytes.size();
}

Result<QString> decoded(const QByteArray& bytes, const QString& name) {
  if (const auto marked = QStringConverter::encodingForData(bytes)) {
    QStringDecoder decoder(*marked);  // removes the byte order mark
    QString text = decoder(bytes);
    if (text.contains(QChar(u'\0'))) return noText(bytes, name, "a binary file (it contains a NUL character)");
    // The decoder does not report a character truncated at the end, because it waits for more input.
    const int unit = *marked == QStringConverter::Utf8 ? 1 : *marked <= QStringConverter::Utf16BE ? 2 : 4;
    const bool whole = unit == 1 ? !lookedAtAsUtf8(bytes).wrongAt : bytes.size() % unit == 0;
    if (!decoder.hasError() && text.isValidUtf16() && whole) return text;
    return fail({.kind = ErrorKind::corrupt,
                 .what = "the file " + name.toStdString() + " is damaged",
                 .where = name.toStdString(),
                 .expected = std::string("valid ") + QStringConverter::nameForEncoding(*marked) + ", as its byte order mark says",
                 .actual = "invalid bytes",
                 .hint = "save it again as UTF-8"});
  }
  if (const qsizetype zero = bytes.indexOf('\0'); zero >= 0) return noText(bytes, name, "a binary file (" + hexPlace(zero) + " is 0)");
  if (bytes.startsWith(pdf)) return noText(bytes, name, {});
  const auto controls = std::count_if(bytes.begin(), bytes.end(), [](char c) { return isControl(static_cast<unsigned char>(c)); });
  if (100 * controls > bytes.size()) return noText(bytes, name, "a binary file (" + std::to_string(controls) + " control characters)");
  const Utf8 utf8 = lookedAtAsUtf8(bytes);
  if (!utf8.wrongAt) return QString::fromUtf8(bytes);
  if (utf8.several > utf8.wrong)
    return fail({.kind = ErrorKind::corrupt,
                 .what = "the file " + name.toStdString() + " is damaged",
                 .where = name.toStdString(),
                 .expected = "valid UTF-8, like most of the file",
                 .actual = hexPlace(*utf8.wrongAt) + " is invalid (" + std::to_string(utf8.wrong) + " in total)",
                 .hint = "save it again as UTF-8"});
  if (isPlausibleWindows1252(bytes)) return fromWindows1252(bytes);
  return noText(bytes, name, "an unsupported encoding");
}

std::string megabytes(qint64 bytes) { return QString::number(static_cast<double>(bytes) / 1e6, 'f', 1).toStdString() + " MB"; }

// most: what the other files leave.
Result<void> fits(const std::string& name, const QString& where, qint64 bytes, qint64 most) {
  if (bytes > attachmentLimitBytes)
    return fail({.kind = ErrorKind::limit,
                 .what = "the file " + name + " is too large to attach",
                 .where = where.toStdString(),
                 .expected = megabytes(attachmentLimitBytes) + " at most",
                 .actual = megabytes(bytes),
                 .hint = "attach the part that matters"});
  if (bytes > most)
    return fail({.kind = ErrorKind::limit,
                 .what = "the file " + name + " is too large to attach with the others",
                 .where = where.toStdString(),
                 .expected = megabytes(attachmentLimitBytes) + " in total at most",
                 .actual = megabytes(attachmentLimitBytes - most + bytes),
                 .hint = "remove another one, or send them one after another"});
  return {};
}

}  // namespace

Result<QString> textOf(const QByteArray& bytes, const QString& name) {
  if (bytes.isEmpty())
    return fail({.kind = ErrorKind::unsupported,
                 .what = "the file " + name.toStdString() + " is empty",
                 .where = name.toStdString(),
                 .expected = "text",
                 .actual = "0 bytes"});
  MINERVA_ASSIGN(QString text, decoded(bytes, name));
  if (text.isEmpty()) return textOf({}, name);  // only a byte order mark
  text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
  return text.replace(QLatin1Char('\r'), QLatin1Char('\n'));
}

Result<Attachment> attachmentWithin(const QString& name, const QString& text, qint64 most) {
  Attachment file = attachmentOf(name, text);
  MINERVA_TRY(fits(name.toStdString(), name, file.bytes, most));
  return file;
}

Result<Attachment> readTextFile(const QString& path, qint64 most) {
  const QFileInfo info(path);
  const std::string name = info.fileName().toStdString();
  const auto refused = [&](ErrorKind kind, std::string what, std::string expected, std::string actual, std::string hint) {
    return fail({.kind = kind,
                 .what = "the file " + name + std::move(what),
                 .where = path.toStdString(),
                 .expected = std::move(expected),
                 .actual = std::move(actual),
                 .hint = std::move(hint)});
  };
  if (!info.exists()) return refused(ErrorKind::notFound, " does not exist", {}, {}, "it may have been moved; choose it again");
  if (!info.isFile())
    return refused(ErrorKind::unsupported, " is not a file", "a text file", info.isDir() ? "a folder" : "a device",
                   info.isDir() ? "choose the files in it" : "choose a file");
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return refused(ErrorKind::io, " cannot be read", {}, file.errorString().toStdString(), "check that you have permission to read it");
  const QByteArray bytes = file.read(std::min(most, attachmentLimitBytes) + 1);  // file sizes are not reliable: some special files report 0
  if (file.error() != QFile::NoError)
    return refused(ErrorKind::io, " cannot be read", {}, file.errorString().toStdString(), "check the disk");
  if (bytes.size() > attachmentLimitBytes) {
    // If the file is no text at all, that is the better error.
    if (auto begin = textOf(bytes.left(headBytes), info.fileName()); !begin && begin.error().kind == ErrorKind::unsupported)
      return fail(std::move(begin.error()));
  }
  MINERVA_TRY(fits(name, path, std::max<qint64>(file.size(), bytes.size()), most));
  MINERVA_ASSIGN(const QString text, textOf(bytes, info.fileName()));
  return attachmentOf(info.fileName(), text);
}

bool isModelFile(const QString& path) {
  if (QFileInfo(path).isDir() || path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ||
      path.endsWith(QLatin1String(".safetensors"), Qt::CaseInsensitive))
    return true;
  QFile file(path);
  return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly) && file.read(gguf.size()) == gguf;
}

}  // namespace minerva::app
