// A copy of the built-in model whose chat template can be asked to reason or not, or has efforts, or both.
#pragma once

#include "long_winded.h"

#include <QFile>
#include <QString>

namespace minerva::app {

// The template with both, effort "medium" and reasoning, as it writes "Hi": "<|bos|>(medium)<|user|>Hi<|end|><|assistant|>".
inline QString thinkingModel(const QString& folder, bool switchable, bool efforts) {
  const QString copy = copyOfBuiltIn(folder, QStringLiteral("thinking-%1%2").arg(switchable).arg(efforts));
  QByteArray text;
  if (efforts) text += "{% if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}";
  text += "{{ bos_token }}";
  if (efforts) text += "({{ reasoning_effort }})";
  text +=
      "{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{% endfor %}"
      "{% if add_generation_prompt %}<|assistant|>";
  if (switchable) text += "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}";
  QFile file(copy + QStringLiteral("/chat_template.jinja"));
  if (!file.open(QIODevice::WriteOnly) || file.write(text + "{% endif %}") < 0) qFatal("no template");
  return copy;
}

}  // namespace minerva::app
