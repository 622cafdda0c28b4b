// The parser's implementation, shared by parser.cpp (statements) and parser_expressions.cpp.
#pragma once

#include "core/text/template/syntax/lexer.h"
#include "core/text/template/syntax/parser.h"

#include <initializer_list>

namespace minerva::text::jinja {

class Parser {
 public:
  Parser(std::vector<Token> tokens, Program& program) : m_tokens(std::move(tokens)), m_program(program) {}
  void run() { m_program.body = statements({}); }

 private:
  using Words = std::initializer_list<std::string_view>;
  class Nesting;

  // Tokens
  [[nodiscard]] const Token& current() const { return m_tokens[m_at]; }
  [[nodiscard]] const Token& ahead() const { return m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]; }
  const Token& take() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
  [[nodiscard]] bool isOp(std::string_view op) const { return current().type == TokenType::op && current().text == op; }
  [[nodiscard]] bool isName(std::string_view name) const { return current().type == TokenType::name && current().text == name; }
  bool skipOp(std::string_view op);
  bool skipName(std::string_view name);
  const Token& expect(TokenType type);
  void expectOp(std::string_view op);
  void expectName(std::string_view name);
  [[noreturn]] void failEnd(Words wanted);

  // Nodes
  Expr* make(ExprKind kind, Position position);
  Stmt* make(StmtKind kind, Position position);
  Expr* unary(ExprKind kind, Expr* a, Position position);
  Expr* binary(ExprKind kind, Expr* a, Expr* b, Position position);

  // Statements (parser.cpp)
  Body statements(Words end);  // stops at one of the words, which is not consumed
  Body block(Words end);       // %} and statements
  Body closedBlock(std::string_view end);
  Stmt* statement();
  Stmt* parseFor();
  Stmt* parseIf();
  Stmt* parseSet();
  Stmt* parseMacro();
  Stmt* parseCall();
  Stmt* parseFilterBlock();
  Stmt* parseWith();
  Stmt* parseBlock();
  Stmt* parsePrint();
  Stmt* parseNoLoader();
  void parseSignature(Signature& signature);
  void macroBody(Signature& signature, Body& body, std::string_view end);

  // Expressions (parser_expressions.cpp)
  Expr* expression() { return conditional(); }
  Expr* conditional();
  Expr* logicalOr();
  Expr* logicalAnd();
  Expr* logicalNot();
  Expr* compare();
  Expr* sum();
  Expr* concat();
  Expr* product();
  Expr* power();
  Expr* unary(bool withFilter);
  Expr* primary(bool withNamespace);
  Expr* name(bool withNamespace);
  Expr* tuple(bool simplified, bool withConditional, std::string_view endName, bool parentheses, bool withNamespace);
  Expr* list();
  Expr* dict();
  Expr* postfix(Expr* node);
  Expr* filtersAndTests(Expr* node);
  Expr* subscript(Expr* node);
  Expr* subscribed();
  Expr* filter(Expr* node, bool startInline);
  Expr* test(Expr* node);
  void callArguments(Expr* call);
  Expr* target(std::string_view endName, bool withNamespace);
  void checkTarget(const Expr* target);
  const Token& targetName();

  std::vector<Token> m_tokens;
  std::size_t m_at = 0;
  Program& m_program;
  int m_nesting = 0;
  std::vector<std::string> m_tags;                    // open statements, for messages
  std::vector<std::vector<std::string_view>> m_ends;  // the tags that would close them
  std::vector<Signature*> m_macros;                   // that enclose the current token
};

// Limits the nesting of the source, so that the recursive parser cannot overflow the stack.
class Parser::Nesting {
 public:
  explicit Nesting(Parser& parser) : m_parser(parser) {
    if (++m_parser.m_nesting > 150) raiseLimit("the template's source nests too deeply", m_parser.current().position);
  }
  ~Nesting() { --m_parser.m_nesting; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Parser& m_parser;
};

}  // namespace minerva::text::jinja
