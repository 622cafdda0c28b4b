// The replies to one HTTP request while they are written: pieces of text by choice, for clients of any protocol.
#pragma once

#include "core/serve/desk.h"
#include "core/serve/logprobs_json.h"
#include "core/serve/route.h"
#include "core/serve/shown_tokens.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minerva::serve {

// What is new of a call. Its parts follow one another, but the last ones of several calls may come together.
struct CallPart {
  std::size_t number = 0;                    // of the call in its reply
  bool begins = true;                        // the first part of the call
  std::string name;                          // of the tool
  std::string arguments;                     // what follows in argumentsOf()
  std::optional<text::ToolCall> whole = {};  // the last part has the call
};

// In the order of its members: what goes on with a call that has begun is a piece of its own before other text.
struct Piece {
  std::size_t choice = 0;
  std::string content, reasoning;
  std::vector<CallPart> calls;
  std::optional<engine::FinishReason> end;      // of this choice
  std::vector<TokenProbability> logprobs = {};  // of the tokens of `content`, if the request asks for them
  std::string stopString = {};                  // that ended it
  bool silent = false;                          // nothing came for How::silence; all else is empty
};

// Sums over the choices; the prompt of several choices counts once.
struct Usage {
  int promptTokens = 0, reusedTokens = 0, generatedTokens = 0, reasoningTokens = 0;
  double prefillMs = 0, decodeMs = 0;
};

class Generation {
 public:
  struct How {
    std::size_t choicesPerPrompt = 1;
    // The request offers no tools: calls stay in the text, as the model wrote them, apart from white space after them.
    bool callsAsText = false;
    bool oneCall = false;     // the reply ends behind its first call
    bool callPieces = false;  // calls come in parts; otherwise each is one
    std::chrono::seconds most{3600};
    std::chrono::milliseconds silence{0};  // 0: no piece tells of it
    std::function<bool()> gone{};
    const text::Tokenizer* tokenizer = nullptr;  // if the pieces are to have probabilities
    text::ChannelFormat channels{};              // of a chat with them
  };

  // Waits until the first request has started, so that what is wrong with it can still be told by the status, but no longer than
  // How::silence. Errors: those of Desk::submit and of the engine, cancelled (the client is gone, the time is over).
  [[nodiscard]] static Result<std::unique_ptr<Generation>> start(Desk& desk, std::vector<engine::Request> requests, How how);

  // The same over requests that have been submitted.
  [[nodiscard]] static Result<std::unique_ptr<Generation>> over(std::unique_ptr<Job> job, How how);

  // Errors as in start(); the requests are cancelled with the Generation.
  [[nodiscard]] Result<Piece> next();
  // The replies are long enough: they finish as though the model had ended them.
  void end();
  [[nodiscard]] bool done() const { return m_ended == m_job->count() && !m_later; }
  [[nodiscard]] const Usage& usage() const { return m_usage; }  // complete once done()
  // Of the first request that has; there at the first piece that is not silent.
  [[nodiscard]] const std::optional<engine::Started>& started() const { return m_started; }
  [[nodiscard]] std::size_t choices() const { return m_job->count(); }

 private:
  Generation(std::unique_ptr<Job> job, How how);
  [[nodiscard]] Result<void> lookForEnd();
  [[nodiscard]] Result<std::optional<engine::Event>> nextEvent();  // nullopt: silence
  [[nodiscard]] Piece pieceOf(const engine::TokenEvent& token, std::size_t choice);
  [[nodiscard]] std::vector<CallPart> callPartsOf(const engine::TokenEvent& token, std::size_t choice);
  [[nodiscard]] std::vector<TokenProbability> logprobsOf(const engine::TokenEvent& token, ShownTokens& tokens) const;
  [[nodiscard]] Piece take(const engine::Finished& finished, std::size_t choice);
  void keepOneCall(Piece& piece);
  [[nodiscard]] Piece withoutLater(Piece piece);

  std::unique_ptr<Job> m_job;
  const How m_how;
  std::vector<ShownTokens> m_tokens;  // by choice; none without probabilities
  std::optional<engine::Started> m_started;
  std::vector<bool> m_called;        // by choice: it has the one call that it may have
  std::vector<std::size_t> m_calls;  // by choice: calls that are complete
  std::optional<Piece> m_later;      // the rest of what an event tells
  const TimePoint m_began = Clock::now();
  TimePoint m_looked = m_began;  // for the client
  TimePoint m_told = m_began;    // the latest piece
  std::size_t m_ended = 0;
  Usage m_usage;
};

}  // namespace minerva::serve
