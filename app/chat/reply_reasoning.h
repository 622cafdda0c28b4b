// Reasoning of the next replies, for the composer: what the loaded model's chat template knows, and what is in effect.
#pragma once

#include "core/text/reasoning_choice.h"

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <qqmlregistration.h>

#include <optional>

namespace minerva::app {

// QML value type `replyReasoning`.
struct ReplyReasoning {
  Q_GADGET
  QML_VALUE_TYPE(replyReasoning)
  Q_PROPERTY(bool switchable MEMBER switchable)  // it can be turned on and off
  Q_PROPERTY(bool on MEMBER on)
  // Weakest first; before them "", if the template's own effort is none of them. Empty: there is no choice.
  Q_PROPERTY(QStringList efforts MEMBER efforts)
  Q_PROPERTY(QString effort MEMBER effort)            // in effect; one of `efforts`, if there are any
  Q_PROPERTY(QString usualEffort MEMBER usualEffort)  // the template's own; "": unknown

 public:
  bool switchable = false, on = true;
  QStringList efforts;
  QString effort, usualEffort;

  friend bool operator==(const ReplyReasoning&, const ReplyReasoning&) = default;
};

// choice: the conversation's. What the template does not know is not in effect.
[[nodiscard]] ReplyReasoning replyReasoning(const text::ReasoningChoice& choice, const text::ReasoningControls& controls);

// How a choice is stored and exported: "on", "off"; "": as the model's template has it. Other texts, from a newer version, are read as "".
[[nodiscard]] QString switchText(const std::optional<bool>& on);
[[nodiscard]] std::optional<bool> switchFrom(const QString& text);

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::ReplyReasoning)
