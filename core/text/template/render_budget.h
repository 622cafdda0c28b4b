// Renders one template several times within the time of one rendering: a template is a file from anywhere.
#pragma once

#include "core/text/template/chat_template.h"

namespace minerva::text {

// Not thread-safe; the template must outlive it.
class RenderBudget {
 public:
  explicit RenderBudget(const ChatTemplate& chatTemplate, RenderLimits limits = {})
      : m_template(chatTemplate), m_limits(limits), m_end(std::chrono::steady_clock::now() + limits.time) {}

  // Errors: those of ChatTemplate::render(); limit for every request once one has hit a limit, or the time is over.
  [[nodiscard]] Result<std::string> render(const RenderRequest& request) {
    RenderLimits limits = m_limits;
    limits.time = std::chrono::duration_cast<std::chrono::milliseconds>(m_end - std::chrono::steady_clock::now());
    m_spent = m_spent || limits.time.count() <= 0;
    if (m_spent) return fail({.kind = ErrorKind::limit, .what = "The chat template takes too long", .where = "chat template"});
    auto rendered = m_template.render(request, limits);
    m_spent = !rendered && rendered.error().kind == ErrorKind::limit;
    return rendered;
  }
  [[nodiscard]] bool spent() const { return m_spent; }

 private:
  const ChatTemplate& m_template;
  RenderLimits m_limits;
  std::chrono::steady_clock::time_point m_end;
  bool m_spent = false;
};

}  // namespace minerva::text
