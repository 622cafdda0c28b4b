// A chat with a scripted source that counts words as tokens: a message costs its words plus one, and the context holds 100.
#pragma once

#include "app/chat/context_guard.h"
#include "app/chat/prompt_view.h"
#include "chat_bench.h"
#include "patience.h"

#include <algorithm>

namespace minerva::app {

struct CountedChat : Bench {
  explicit CountedChat(const QString& folder) : Bench(folder), guard(&chat, &source, &settings), prompt(&chat, &source) {
    source.counter = [this](const PromptQuestion& question) {
      PromptAnswer answer;
      answer.contextLength = contextLength;
      answer.bytesFree = 1e9;
      const auto costFrom = [&](int start) {
        int all = 0;
        const auto& messages = question.request.chat.messages;
        for (int i = 0; i < static_cast<int>(messages.size()); ++i)
          if (i >= start || messages[static_cast<std::size_t>(i)]["role"] == "system") all += cost(messages[static_cast<std::size_t>(i)]);
        return all;
      };
      answer.tokens = costFrom(0);
      if (!question.request.prompt.empty())
        answer.tokens = static_cast<int>(std::count(question.request.prompt.begin(), question.request.prompt.end(), ' ')) + 1;
      answer.fits = answer.tokens + question.room <= contextLength;
      for (const int start : question.starts) {
        if (answer.fits || costFrom(start) + question.room > contextLength) continue;
        answer.start = start;
        answer.tokensFromStart = costFrom(start);
        break;
      }
      for (int i = 0; i < static_cast<int>(question.request.chat.messages.size()); ++i)
        answer.parts.push_back({i, cost(question.request.chat.messages[static_cast<std::size_t>(i)])});
      if (question.wantsParts)
        for (const auto& message : question.request.chat.messages)
          for (int i = cost(message); i > 0; --i)
            answer.pieces.push_back(i == 1 ? PromptPiece{"<end>", true} : PromptPiece{"word ", false});
      answer.reusable = answer.tokens / 2;
      return answer;
    };
    ModelFacts model;
    model.path = s("x");
    model.contextLength = contextLength;
    model.modelContext = 400;
    model.stateBytesPerPosition = 1000;
    guard.setModel(model);
  }
  static int cost(const nlohmann::ordered_json& message) {
    return static_cast<int>(QString::fromStdString(message["content"].get<std::string>()).split(QLatin1Char(' ')).size()) + 1;
  }
  void say(int words, int replyWords) {
    guard.send(QStringList(words, s("w")).join(QLatin1Char(' ')));
    if (!QTest::qWaitFor([&] { return chat.isGenerating(); }, patienceMs)) qFatal("not sent");
    source.say(QStringList(replyWords, s("r")).join(QLatin1Char(' ')));
    source.end(engine::FinishReason::endOfTurn);
  }
  // Two turns of 11 and 21 tokens, then a question of 13: 77 of 100 tokens, plus 25 reserved for the reply.
  void fill() { fillFrom(0); }
  void fillFrom(int turns) {  // that many are there already
    for (int turn = turns; turn < 2; ++turn) say(10, 20);
    chat.setDraft(QStringList(12, s("q")).join(QLatin1Char(' ')));
    guard.send(chat.draft());
    if (!QTest::qWaitFor([&] { return guard.isBlocked(); }, patienceMs)) qFatal("not blocked");
  }
  int contextLength = 100;
  ContextGuard guard;
  PromptView prompt;
};

}  // namespace minerva::app
