#include "core/text/template/builtins/filters.h"
#include "core/text/template/builtins/tests.h"
#include "core/text/template/syntax/parser_state.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace minerva::text::jinja {
namespace {

Int parseInteger(const std::string& digits, Position position) {
  int base = 10;
  std::size_t at = 0;
  if (digits.size() > 2 && digits[0] == '0') {
    const char prefix = static_cast<char>(digits[1] | 32);
    base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
    if (base != 10) at = 2;
  }
  Int value = 0;
  for (; at < digits.size(); ++at) {
    const int c = digits[at] | 32;
    if (__builtin_mul_overflow(value, Int{base}, &value) ||
        __builtin_add_overflow(value, Int{c >= 'a' ? c - 'a' + 10 : digits[at] - '0'}, &value))
      raiseLimit("an integer of more than 127 bits", position);
  }
  return value;
}

const char* kindName(ExprKind kind) {
  switch (kind) {
    case ExprKind::none:
    case ExprKind::boolean:
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::string: return "const";
    case ExprKind::list: return "list";
    case ExprKind::dict: return "dict";
    default: return "expression";
  }
}

}  // namespace

Expr* Parser::unary(ExprKind kind, Expr* a, Position position) {
  Expr* node = make(kind, position);
  node->a = a;
  return node;
}
Expr* Parser::binary(ExprKind kind, Expr* a, Expr* b, Position position) {
  Expr* node = unary(kind, a, position);
  node->b = b;
  return node;
}

Expr* Parser::conditional() {
  const Nesting nesting(*this);
  const Position position = current().position;
  Expr* result = logicalOr();
  while (skipName("if")) {
    Expr* condition = logicalOr();
    Expr* otherwise = skipName("else") ? conditional() : nullptr;
    result = binary(ExprKind::conditional, condition, result, position);
    result->c = otherwise;
  }
  return result;
}

Expr* Parser::logicalOr() {
  Expr* left = logicalAnd();
  for (Position position = current().position; skipName("or"); position = current().position)
    left = binary(ExprKind::logicalOr, left, logicalAnd(), position);
  return left;
}
Expr* Parser::logicalAnd() {
  Expr* left = logicalNot();
  for (Position position = current().position; skipName("and"); position = current().position)
    left = binary(ExprKind::logicalAnd, left, logicalNot(), position);
  return left;
}
Expr* Parser::logicalNot() {
  const Nesting nesting(*this);
  const Position position = current().position;
  if (skipName("not")) return unary(ExprKind::logicalNot, logicalNot(), position);
  return compare();
}

Expr* Parser::compare() {
  Expr* left = sum();
  Expr* node = nullptr;
  for (;;) {
    const Position position = current().position;
    std::string op;
    if (isOp("==") || isOp("!=") || isOp("<") || isOp("<=") || isOp(">") || isOp(">=")) op = take().text;
    else if (skipName("in")) op = "in";
    else if (isName("not") && ahead().type == TokenType::name && ahead().text == "in") {
      take();
      take();
      op = "notin";
    } else {
      return node ? node : left;
    }
    if (!node) node = unary(ExprKind::compare, left, position);
    node->operators.push_back(std::move(op));
    node->items.push_back(sum());
  }
}

Expr* Parser::sum() {
  Expr* left = concat();
  for (;;) {
    const Position position = current().position;
    if (skipOp("+")) left = binary(ExprKind::add, left, concat(), position);
    else if (skipOp("-")) left = binary(ExprKind::subtract, left, concat(), position);
    else return left;
  }
}

Expr* Parser::concat() {
  Expr* first = product();
  if (!isOp("~")) return first;
  Expr* node = make(ExprKind::concat, current().position);
  node->items.push_back(first);
  while (skipOp("~")) node->items.push_back(product());
  return node;
}

Expr* Parser::product() {
  Expr* left = power();
  for (;;) {
    const Position position = current().position;
    if (skipOp("*")) left = binary(ExprKind::multiply, left, power(), position);
    else if (skipOp("/")) left = binary(ExprKind::divide, left, power(), position);
    else if (skipOp("//")) left = binary(ExprKind::floorDivide, left, power(), position);
    else if (skipOp("%")) left = binary(ExprKind::modulo, left, power(), position);
    else return left;
  }
}

// Left-associative, and binds looser than a sign: as in Jinja, unlike Python.
Expr* Parser::power() {
  Expr* left = unary(true);
  for (Position position = current().position; skipOp("**"); position = current().position)
    left = binary(ExprKind::power, left, unary(true), position);
  return left;
}

Expr* Parser::unary(bool withFilter) {
  const Nesting nesting(*this);
  const Position position = current().position;
  Expr* node = nullptr;
  if (skipOp("-")) node = unary(ExprKind::negate, unary(false), position);
  else if (skipOp("+")) node = unary(ExprKind::plus, unary(false), position);
  else node = primary(false);
  node = postfix(node);
  return withFilter ? filtersAndTests(node) : node;
}

Expr* Parser::name(bool withNamespace) {
  const Token& token = take();
  const std::string& text = token.text;
  if (text == "true" || text == "True" || text == "false" || text == "False") {
    Expr* node = make(ExprKind::boolean, token.position);
    node->boolean = text[0] == 't' || text[0] == 'T';
    return node;
  }
  if (text == "none" || text == "None") return make(ExprKind::none, token.position);
  const bool reference = withNamespace && isOp(".");
  Expr* node = make(reference ? ExprKind::namespaceTarget : ExprKind::name, token.position);
  node->name = m_program.intern(text);
  if (reference) {
    take();
    node->text = expect(TokenType::name).text;
    return node;
  }
  node->text = text;
  for (Signature* macro : m_macros) {
    macro->usesCaller = macro->usesCaller || text == "caller";
    macro->usesKwargs = macro->usesKwargs || text == "kwargs";
    macro->usesVarargs = macro->usesVarargs || text == "varargs";
  }
  return node;
}

Expr* Parser::primary(bool withNamespace) {
  const Token& token = current();
  if (token.type == TokenType::name) return name(withNamespace);
  if (token.type == TokenType::string) {
    Expr* node = make(ExprKind::string, token.position);
    node->constant = m_program.constants++;
    while (current().type == TokenType::string) node->text += take().text;
    return node;
  }
  if (token.type == TokenType::integer) {
    Expr* node = make(ExprKind::integer, token.position);
    node->integer = parseInteger(take().text, node->position);
    return node;
  }
  if (token.type == TokenType::real) {
    Expr* node = make(ExprKind::real, token.position);
    const std::string& digits = take().text;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), node->real);
    if (parsed.ec == std::errc::result_out_of_range) {  // from_chars does not set the value: infinity or zero
      const std::size_t exponent = digits.find_first_of("eE");
      const bool tiny = exponent != std::string::npos && digits.find('-', exponent) != std::string::npos;
      node->real = tiny ? 0.0 : HUGE_VAL;
    }
    return node;
  }
  if (skipOp("(")) {
    Expr* node = tuple(false, true, "", true, false);
    expectOp(")");
    return node;
  }
  if (isOp("[")) return list();
  if (isOp("{")) return dict();
  raise("unexpected '" + describe(token) + "'", token.position);
}

Expr* Parser::tuple(bool simplified, bool withConditional, std::string_view endName, bool parentheses, bool withNamespace) {
  const Position position = current().position;
  std::vector<Expr*> items;
  bool isTuple = false;
  for (;;) {
    if (!items.empty()) expectOp(",");
    const TokenType type = current().type;
    if (type == TokenType::variableEnd || type == TokenType::blockEnd || isOp(")") || (!endName.empty() && isName(endName))) break;
    items.push_back(simplified ? primary(withNamespace) : withConditional ? conditional() : logicalOr());
    if (!isOp(",")) break;
    isTuple = true;
  }
  if (!isTuple && !items.empty()) return items[0];
  if (!isTuple && !parentheses) raise("Expected an expression, got '" + describe(current()) + "'", current().position);
  Expr* node = make(ExprKind::tuple, position);
  node->items = std::move(items);
  return node;
}

Expr* Parser::list() {
  Expr* node = make(ExprKind::list, take().position);
  while (!isOp("]")) {
    if (!node->items.empty()) expectOp(",");
    if (isOp("]")) break;
    node->items.push_back(expression());
  }
  expectOp("]");
  return node;
}

Expr* Parser::dict() {
  Expr* node = make(ExprKind::dict, take().position);
  while (!isOp("}")) {
    if (!node->items.empty()) expectOp(",");
    if (isOp("}")) break;
    node->items.push_back(expression());
    expectOp(":");
    node->items.push_back(expression());
  }
  expectOp("}");
  return node;
}

Expr* Parser::postfix(Expr* node) {
  for (;;) {
    if (isOp(".") || isOp("[")) {
      node = subscript(node);
    } else if (isOp("(")) {
      node = unary(ExprKind::call, node, current().position);
      callArguments(node);
    } else {
      return node;
    }
  }
}

Expr* Parser::filtersAndTests(Expr* node) {
  for (;;) {
    if (isOp("|")) {
      node = filter(node, false);
    } else if (isName("is")) {
      node = test(node);
    } else if (isOp("(")) {
      node = unary(ExprKind::call, node, current().position);
      callArguments(node);
    } else {
      return node;
    }
  }
}

Expr* Parser::subscript(Expr* object) {
  const Token& token = take();
  if (token.text == ".") {
    const Token& what = take();
    if (what.type == TokenType::name) {
      Expr* node = unary(ExprKind::attribute, object, token.position);
      node->text = what.text;
      return node;
    }
    if (what.type != TokenType::integer) raise("expected name or number", what.position);
    Expr* index = make(ExprKind::integer, what.position);
    index->integer = parseInteger(what.text, what.position);
    return binary(ExprKind::item, object, index, token.position);
  }
  std::vector<Expr*> items;
  while (!isOp("]")) {
    if (!items.empty()) expectOp(",");
    items.push_back(subscribed());
  }
  expectOp("]");
  Expr* index = items.size() == 1 ? items[0] : nullptr;
  if (!index) {
    index = make(ExprKind::tuple, token.position);
    if (std::any_of(items.begin(), items.end(), [](const Expr* e) { return e->kind == ExprKind::slice; }))
      raise("a slice in a tuple of subscripts is not supported", token.position);
    index->items = std::move(items);
  }
  return binary(ExprKind::item, object, index, token.position);
}

Expr* Parser::subscribed() {
  const Position position = current().position;
  Expr* parts[3] = {nullptr, nullptr, nullptr};
  if (!isOp(":")) {
    parts[0] = expression();
    if (!isOp(":")) return parts[0];
  }
  expectOp(":");
  const auto ends = [&] { return isOp("]") || isOp(","); };
  if (!isOp(":") && !ends()) parts[1] = expression();
  if (skipOp(":") && !ends()) parts[2] = expression();
  Expr* node = make(ExprKind::slice, position);
  node->items.assign(parts, parts + 3);
  return node;
}

void Parser::callArguments(Expr* call) {
  const Position position = current().position;
  const auto ensure = [&](bool right) {
    if (!right) raise("invalid syntax for function call expression", position);
  };
  expectOp("(");
  for (bool first = true; !isOp(")"); first = false) {
    if (!first) {
      expectOp(",");
      if (isOp(")")) break;
    }
    if (skipOp("*")) {
      ensure(!call->dynamicArguments && !call->dynamicKeywords);
      call->dynamicArguments = expression();
    } else if (skipOp("**")) {
      ensure(!call->dynamicKeywords);
      call->dynamicKeywords = expression();
    } else if (current().type == TokenType::name && ahead().type == TokenType::op && ahead().text == "=") {
      ensure(!call->dynamicKeywords);
      const std::string key = take().text;
      take();
      Expr* value = expression();
      for (const auto& [other, unused] : call->keywords)
        if (other == key) raise("keyword argument repeated: " + key, position);
      call->keywords.emplace_back(key, value);
    } else {
      ensure(!call->dynamicArguments && !call->dynamicKeywords && call->keywords.empty());
      call->items.push_back(expression());
    }
  }
  expectOp(")");
}

Expr* Parser::filter(Expr* node, bool startInline) {
  while (isOp("|") || startInline) {
    if (!startInline) take();
    startInline = false;
    const Token& token = expect(TokenType::name);
    node = unary(ExprKind::filter, node, token.position);
    node->text = token.text;
    while (skipOp(".")) node->text += "." + expect(TokenType::name).text;
    node->filter = findFilter(node->text);
    if (isOp("(")) callArguments(node);
  }
  return node;
}

Expr* Parser::test(Expr* object) {
  const Position position = take().position;
  const bool negated = skipName("not");
  const Token& token = expect(TokenType::name);
  Expr* node = unary(ExprKind::test, object, token.position);
  node->text = token.text;
  while (skipOp(".")) node->text += "." + expect(TokenType::name).text;
  node->test = findTest(node->text);
  const TokenType type = current().type;
  if (isOp("(")) {
    callArguments(node);
  } else if ((type == TokenType::name || type == TokenType::string || type == TokenType::integer || type == TokenType::real || isOp("[") ||
              isOp("{")) &&
             !isName("else") && !isName("or") && !isName("and")) {
    if (isName("is")) raise("You cannot chain multiple tests with is", current().position);
    node->items.push_back(postfix(primary(false)));
  }
  return negated ? unary(ExprKind::logicalNot, node, position) : node;
}

const Token& Parser::targetName() {
  const Token& token = expect(TokenType::name);
  for (const char* word : {"true", "false", "none", "True", "False", "None"})
    if (token.text == word) raise("can't assign to 'name'", token.position);
  return token;
}

void Parser::checkTarget(const Expr* target) {
  if (target->kind == ExprKind::name || target->kind == ExprKind::namespaceTarget) return;
  if (target->kind != ExprKind::tuple) raise(std::string("can't assign to '") + kindName(target->kind) + "'", target->position);
  const Nesting nesting(*this);
  for (const Expr* item : target->items) checkTarget(item);
}

Expr* Parser::target(std::string_view endName, bool withNamespace) {
  Expr* node = tuple(true, true, endName, false, withNamespace);
  checkTarget(node);
  return node;
}

}  // namespace minerva::text::jinja
