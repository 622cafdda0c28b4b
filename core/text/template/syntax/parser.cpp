#include "core/text/template/syntax/parser.h"

#include "core/text/template/syntax/parser_state.h"

#include <algorithm>

namespace minerva::text::jinja {

constexpr std::size_t largestSource = 1u << 20;

void parseTemplate(std::string_view source, Program& program) {
  if (source.size() > largestSource) raiseLimit("the template's source is larger than 1 MiB");
  Parser(tokenize(source), program).run();
  checkProgram(program);
}

bool Parser::skipOp(std::string_view op) { return isOp(op) ? (take(), true) : false; }
bool Parser::skipName(std::string_view name) { return isName(name) ? (take(), true) : false; }

const Token& Parser::expect(TokenType type) {
  if (current().type != type) {
    if (current().type == TokenType::end)
      raise("unexpected end of template, expected '" + describe({type, "name", {}}) + "'.", current().position);
    raise("expected token '" + describe({type, "name", {}}) + "', got '" + describe(current()) + "'", current().position);
  }
  return take();
}
void Parser::expectOp(std::string_view op) {
  if (!skipOp(op)) raise("expected token '" + std::string(op) + "', got '" + describe(current()) + "'", current().position);
}
void Parser::expectName(std::string_view name) {
  if (!skipName(name)) raise("expected token '" + std::string(name) + "', got '" + describe(current()) + "'", current().position);
}

Expr* Parser::make(ExprKind kind, Position position) { return &m_program.exprs.emplace_back(Expr{.kind = kind, .position = position}); }
Stmt* Parser::make(StmtKind kind, Position position) { return &m_program.stmts.emplace_back(Stmt{.kind = kind, .position = position}); }

void Parser::failEnd(Words) {
  std::string message =
      current().type == TokenType::end ? "Unexpected end of template." : "Encountered unknown tag '" + current().text + "'.";
  if (!m_ends.empty() && !m_ends.back().empty()) {
    std::string looking;
    for (const auto word : m_ends.back()) looking += (looking.empty() ? "'" : " or '") + std::string(word) + "'";
    const bool nesting = current().type != TokenType::end && std::any_of(m_ends.begin(), m_ends.end(), [&](const auto& words) {
                           return std::find(words.begin(), words.end(), current().text) != words.end();
                         });
    message += nesting ? " You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for " + looking + "."
                       : " Jinja was looking for the following tags: " + looking + ".";
  }
  if (!m_tags.empty()) message += " The innermost block that needs to be closed is '" + m_tags.back() + "'.";
  raise(message, current().position);
}

Body Parser::statements(Words end) {
  m_ends.emplace_back(end);
  Body body;
  Stmt* output = nullptr;
  while (current().type != TokenType::end) {
    const Token& token = current();
    if (token.type == TokenType::data) {
      Stmt* text = make(StmtKind::text, token.position);
      text->text = token.text;
      body.push_back(text);
      take();
    } else if (token.type == TokenType::variableBegin) {
      take();
      output = make(StmtKind::output, token.position);
      output->exprs.push_back(tuple(false, true, "", false, false));
      expect(TokenType::variableEnd);
      body.push_back(output);
    } else {
      expect(TokenType::blockBegin);
      if (current().type == TokenType::name && std::find(end.begin(), end.end(), current().text) != end.end()) {
        m_ends.pop_back();
        return body;
      }
      body.push_back(statement());
      expect(TokenType::blockEnd);
    }
  }
  if (end.size() > 0) failEnd(end);
  m_ends.pop_back();
  return body;
}

Body Parser::block(Words end) {
  skipOp(":");
  expect(TokenType::blockEnd);
  return statements(end);
}
Body Parser::closedBlock(std::string_view end) {
  Body body = block({end});
  take();
  return body;
}

Stmt* Parser::statement() {
  const Nesting nesting(*this);
  if (current().type != TokenType::name) raise("tag name expected", current().position);
  const std::string tag = current().text;
  const Position position = current().position;
  m_tags.push_back(tag);
  Stmt* result = nullptr;
  const auto simple = [&](StmtKind kind) {
    take();
    return make(kind, position);
  };
  if (tag == "for") result = parseFor();
  else if (tag == "if") result = parseIf();
  else if (tag == "set") result = parseSet();
  else if (tag == "macro") result = parseMacro();
  else if (tag == "call") result = parseCall();
  else if (tag == "filter") result = parseFilterBlock();
  else if (tag == "with") result = parseWith();
  else if (tag == "block") result = parseBlock();
  else if (tag == "print") result = parsePrint();
  else if (tag == "break") result = simple(StmtKind::breakLoop);
  else if (tag == "continue") result = simple(StmtKind::continueLoop);
  else if (tag == "include" || tag == "import" || tag == "from" || tag == "extends") result = parseNoLoader();
  else if (tag == "generation") {
    result = simple(StmtKind::scope);
    result->body = closedBlock("endgeneration");
  } else if (tag == "autoescape") {
    result = simple(StmtKind::autoescape);
    result->value = expression();
    result->body = closedBlock("endautoescape");
  } else {
    m_tags.pop_back();
    failEnd({});
  }
  m_tags.pop_back();
  return result;
}

Stmt* Parser::parseFor() {
  Stmt* loop = make(StmtKind::forLoop, take().position);
  loop->target = target("in", false);
  expectName("in");
  loop->value = tuple(false, false, "recursive", false, false);
  if (skipName("if")) loop->condition = expression();
  loop->recursive = skipName("recursive");
  loop->body = block({"endfor", "else"});
  if (take().text == "else") loop->otherwise = closedBlock("endfor");
  return loop;
}

Stmt* Parser::parseIf() {
  Stmt* branches = make(StmtKind::ifs, take().position);
  for (;;) {
    branches->exprs.push_back(tuple(false, false, "", false, false));
    branches->branches.push_back(block({"elif", "else", "endif"}));
    const std::string word = take().text;
    if (word == "elif") continue;
    if (word == "else") branches->otherwise = closedBlock("endif");
    return branches;
  }
}

Stmt* Parser::parseSet() {
  const Position position = take().position;
  Expr* assigned = target("", true);
  if (skipOp("=")) {
    Stmt* set = make(StmtKind::assign, position);
    set->target = assigned;
    set->value = tuple(false, true, "", false, false);
    return set;
  }
  Stmt* set = make(StmtKind::assignBlock, position);
  set->target = assigned;
  set->value = filter(nullptr, false);
  set->body = closedBlock("endset");
  return set;
}

void Parser::parseSignature(Signature& signature) {
  expectOp("(");
  bool defaults = false;
  while (!isOp(")")) {
    if (!signature.parameters.empty()) expectOp(",");
    Parameter parameter;
    parameter.text = targetName().text;
    parameter.name = m_program.intern(parameter.text);
    if (skipOp("=")) {
      parameter.fallback = expression();
      defaults = true;
    } else if (defaults) {
      raise("non-default argument follows default argument", current().position);
    }
    signature.parameters.push_back(std::move(parameter));
  }
  expectOp(")");
}

void Parser::macroBody(Signature& signature, Body& body, std::string_view end) {
  m_macros.push_back(&signature);
  body = closedBlock(end);
  m_macros.pop_back();
  for (const Parameter& parameter : signature.parameters) {  // a parameter of that name hides the special variable
    if (parameter.text == "caller") signature.usesCaller = false;
    if (parameter.text == "kwargs") signature.usesKwargs = false;
    if (parameter.text == "varargs") signature.usesVarargs = false;
  }
}

Stmt* Parser::parseMacro() {
  Stmt* macro = make(StmtKind::macro, take().position);
  macro->signature.name = targetName().text;
  macro->signature.nameId = m_program.intern(macro->signature.name);
  parseSignature(macro->signature);
  macroBody(macro->signature, macro->body, "endmacro");
  return macro;
}

Stmt* Parser::parseCall() {
  Stmt* call = make(StmtKind::callBlock, take().position);
  call->signature.name = "caller";
  if (isOp("(")) parseSignature(call->signature);
  call->value = expression();
  if (call->value->kind != ExprKind::call) raise("expected call", call->position);
  macroBody(call->signature, call->body, "endcall");
  return call;
}

Stmt* Parser::parseFilterBlock() {
  Stmt* block = make(StmtKind::filterBlock, take().position);
  block->value = filter(nullptr, true);
  block->body = closedBlock("endfilter");
  return block;
}

Stmt* Parser::parseWith() {
  Stmt* with = make(StmtKind::with, take().position);
  while (current().type != TokenType::blockEnd) {
    if (!with->targets.empty()) expectOp(",");
    with->targets.push_back(target("", false));
    expectOp("=");
    with->exprs.push_back(expression());
  }
  with->body = closedBlock("endwith");
  return with;
}

Stmt* Parser::parseBlock() {
  Stmt* block = make(StmtKind::block, take().position);
  block->text = expect(TokenType::name).text;
  block->scoped = skipName("scoped");
  skipName("required");
  if (isOp("-"))
    raise("Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.",
          current().position);
  if (!m_program.blocks.emplace(block->text, block).second) raise("block '" + block->text + "' defined twice", block->position);
  block->body = closedBlock("endblock");
  skipName(block->text);
  return block;
}

Stmt* Parser::parsePrint() {
  Stmt* print = make(StmtKind::output, take().position);
  while (current().type != TokenType::blockEnd) {
    if (!print->exprs.empty()) expectOp(",");
    print->exprs.push_back(expression());
  }
  return print;
}

// include, import, from, extends: a chat template has nothing to load. As in Jinja, executing the statement is an error.
Stmt* Parser::parseNoLoader() {
  Stmt* statement = make(StmtKind::noLoader, take().position);
  statement->value = expression();
  while (current().type != TokenType::blockEnd && current().type != TokenType::end) take();
  return statement;
}

}  // namespace minerva::text::jinja
