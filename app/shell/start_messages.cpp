#include "app/shell/start_messages.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace minerva::app {

StartMessages* StartMessages::one = nullptr;

StartMessages::StartMessages() : m_before(qInstallMessageHandler(&StartMessages::hold)) { one = this; }

StartMessages::~StartMessages() {
  qInstallMessageHandler(m_before);
  one = nullptr;
  for (const Held& held : m_held) m_before(held.type, QMessageLogContext(nullptr, 0, nullptr, held.category), held.text);
}

void StartMessages::hold(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (type == QtFatalMsg) one->endWithoutDisplay(text);
  one->m_held.push_back({type, context.category, text});
}

// The first that the display's plugin said is the reason; the last is advice to install Qt again.
void StartMessages::endWithoutDisplay(const QString& text) const {
  const auto reason = std::ranges::find_if(
      m_held, [](const Held& held) { return held.category != nullptr && std::strncmp(held.category, "qt.qpa", 6) == 0; });
  const QString said = reason != m_held.end() ? reason->text : text.section(QLatin1Char('\n'), 0, 0);
  std::fprintf(stderr, "minerva: the display cannot be opened (%s); minerva -p \"...\" answers in the terminal\n",
               utf8::printable(said.trimmed().toStdString()).c_str());
  std::_Exit(1);
}

}  // namespace minerva::app
