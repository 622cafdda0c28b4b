#include "app/chat/links.h"

#include <QDesktopServices>
#include <QRegularExpression>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qsizetype longestShown = 300;

bool isMail(const QUrl& link) { return link.scheme() == QLatin1String("mailto"); }

QString withoutWww(const QString& host) { return host.startsWith(QLatin1String("www.")) ? host.mid(4) : host; }

// The host in ASCII, without "www."; empty: none.
QString hostOf(const QUrl& url) { return withoutWww(url.host(QUrl::FullyEncoded).toLower()); }

// Names of files and programs such as "README.md" and "node.js", although some extensions are also top-level domains.
bool isFileName(const QString& text) {
  static const QStringList endings = QStringLiteral(
                                         "c cc cpp cs css csv gguf go h html ini java js json md pdf php pl png ps py qml rb rs "
                                         "safetensors sh so toml ts txt xml yaml yml zip")
                                         .split(QLatin1Char(' '));
  return !text.contains(QLatin1Char('/')) && !text.startsWith(QLatin1String("www.")) &&
         endings.contains(text.section(QLatin1Char('.'), -1).toLower());
}

// What is drawn as nothing: marks of format, and letters and marks that fonts leave empty.
bool isInvisible(char32_t c) {
  return QChar::category(c) == QChar::Other_Format || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF) || c == 0x034F ||
         c == 0x115F || c == 0x1160 || (c >= 0x180B && c <= 0x180F);
}

// The text as it is read: without what is not seen, and letters of other widths and styles as plain ones.
QString asRead(const QString& text) {
  // The full stop of Chinese and Japanese is a dot in addresses, and between Latin letters it is in one.
  static const QRegularExpression stop(QStringLiteral("(?<=[A-Za-z0-9])\\x{3002}(?=[A-Za-z0-9])"));
  QList<char32_t> seen;
  for (const uint c : text.normalized(QString::NormalizationForm_KC).toUcs4())
    if (!isInvisible(c)) seen << c;
  return QString::fromUcs4(seen.constData(), seen.size()).replace(stop, QStringLiteral("."));
}

// Letters shown in another order than they are read in, which no language needs.
bool isReordered(const QString& text) { return text.contains(QChar(0x202D)) || text.contains(QChar(0x202E)); }

// The words of a text without the punctuation around them: "bank.example" in "(see bank.example!)".
QStringList wordsOf(const QString& text) {
  static const QRegularExpression gap(QStringLiteral(R"(\s+)"), QRegularExpression::UseUnicodePropertiesOption);
  static const QRegularExpression around(QStringLiteral(R"(^[^\w]+|[^\w/]+$)"), QRegularExpression::UseUnicodePropertiesOption);
  QStringList words;
  for (QString word : text.split(gap))
    if (!word.remove(around).isEmpty()) words << word;
  return words;
}

// Whether a word among others is meant as an address, unlike "numpy.array": it says so, or ends as those do that people read.
bool isAddressAmongWords(const QString& word) {
  static const QRegularExpression said(
      QStringLiteral(R"(^[a-z][a-z0-9+.-]*://|^www\.|\.(com|org|net|edu|gov|mil|int|info|biz|app|dev|[a-z]{2})([/?#:]|$))"),
      QRegularExpression::CaseInsensitiveOption);
  return said.match(word).hasMatch();
}

// The host of a text that looks like an address: "https://a.example/b", "www.a.example", "a.example/b".
QString hostNamedBy(const QString& text) {
  if (isFileName(text)) return {};
  static const QRegularExpression address(QStringLiteral(R"(^(?:([a-z][a-z0-9+.-]*)://)?[^\s/?#]+\.[^\s/?#.]{2,}(?:[/?#:]\S*)?$)"),
                                          QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
  const auto match = address.match(text);
  if (!match.hasMatch()) return {};
  const bool whole = !match.captured(1).isEmpty();
  return hostOf(QUrl(whole ? text : QStringLiteral("https://") + text));
}

bool wordMisleads(const QString& word, const QUrl& link) {
  const bool mail = word.contains(QLatin1Char('@')) && !word.contains(QLatin1Char('/'));
  if (isMail(link) && mail)
    return word.compare(link.path(), Qt::CaseInsensitive) != 0 && word.compare(link.toString(), Qt::CaseInsensitive) != 0;
  const QString named = mail ? QString() : hostNamedBy(word);  // a mail address may link to a page
  return !named.isEmpty() && (isMail(link) || named != hostOf(link));
}

}  // namespace

bool mayBeOpened(const QUrl& link) {
  const QString scheme = link.scheme();  // lower case in QUrl
  if (isMail(link)) return link.isValid() && !link.path().isEmpty();
  return (scheme == QLatin1String("http") || scheme == QLatin1String("https")) && !link.host().isEmpty();
}

QString shownAddress(const QUrl& link) {
  const QString whole = link.toString(QUrl::FullyEncoded);
  return whole.size() <= longestShown ? whole : whole.left(longestShown) + QStringLiteral("...");
}

bool misleads(const QString& text, const QUrl& link) {
  if (isReordered(text) || (!isMail(link) && !link.userInfo().isEmpty())) return true;
  const QStringList words = wordsOf(asRead(text));
  return std::any_of(words.begin(), words.end(), [&](const QString& word) {
    return (words.size() == 1 || word.contains(QLatin1Char('@')) || isAddressAmongWords(word)) && wordMisleads(word, link);
  });
}

bool Links::open(const QString& link) {
  const QUrl url(link);
  return mayBeOpened(url) && QDesktopServices::openUrl(url);
}

}  // namespace minerva::app
