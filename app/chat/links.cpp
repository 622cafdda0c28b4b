#include "app/chat/links.h"

#include <QDesktopServices>
#include <QRegularExpression>

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
  const QString said = text.trimmed();
  if (isMail(link)) {
    if (!hostNamedBy(said).isEmpty() && !said.contains(QLatin1Char('@'))) return true;
    return said.contains(QLatin1Char('@')) && !said.contains(QLatin1Char(' ')) && said.compare(link.path(), Qt::CaseInsensitive) != 0 &&
           said.compare(link.toString(), Qt::CaseInsensitive) != 0;
  }
  if (!link.userInfo().isEmpty()) return true;
  if (said.contains(QLatin1Char('@')) && !said.contains(QLatin1Char('/'))) return false;  // a mail address that links to a page
  const QString named = hostNamedBy(said);
  return !named.isEmpty() && named != hostOf(link);
}

bool Links::open(const QString& link) {
  const QUrl url(link);
  return mayBeOpened(url) && QDesktopServices::openUrl(url);
}

}  // namespace minerva::app
