#include "app/chat/html_cut.h"

#include <utility>

namespace minerva::app {

HtmlCut cutHtml(QStringView html, qsizetype from, QStringList openTags, int character) {
  HtmlCut cut{from, from, openTags};
  int shown = 0;
  bool afterSpace = true;
  for (qsizetype i = from; i < html.size() && shown < character;) {
    const QChar c = html[i];
    if (c == u'<') {
      const qsizetype end = html.indexOf(u'>', i) + 1;
      if (end == 0) break;
      const QStringView tag = html.mid(i, end - i);
      if (tag == QLatin1String("<br>")) {
        ++shown;
        afterSpace = true;
        cut = {i, end, openTags};
      } else if (!tag.startsWith(QLatin1String("</"))) {
        openTags << tag.toString();
      } else if (!openTags.isEmpty()) {
        openTags.removeLast();
      }
      i = end;
    } else if (c == u' ') {
      if (!std::exchange(afterSpace, true)) ++shown;
      cut = {i, i + 1, openTags};
      ++i;
    } else {
      const qsizetype entityEnd = c == u'&' ? html.indexOf(u';', i) + 1 : 0;
      i = entityEnd > 0 ? entityEnd : i + 1;
      ++shown;
      afterSpace = false;
    }
    if (shown == character && cut.begin != i && i < html.size()) cut = {i, i, openTags};  // lines may also break inside words
  }
  return cut;
}

}  // namespace minerva::app
