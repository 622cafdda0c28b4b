#include "core/text/template/builtins/filters.h"
#include "core/text/template/builtins/globals.h"
#include "core/text/template/builtins/methods.h"
#include "core/text/template/builtins/tests.h"
#include "core/text/template/interpreter/interpreter.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"

#include <algorithm>

namespace minerva::text::jinja {
namespace {

// The object's name in Jinja's "... has no attribute": "dict object", but "None".
std::string objectName(const Value& value) { return value.isNone() ? "None" : typeName(value) + " object"; }

}  // namespace

Value Interpreter::attribute(const Value& value, const std::string& name) {
  if (value.isUndefined()) failUndefined(value);
  if (auto method = findMethod(*this, value, name)) return std::move(*method);
  if (value.kind() == Kind::instance) {
    if (auto found = value.instance().attribute(*this, name)) return std::move(*found);
  } else if (value.isDict()) {
    if (const Value* found = value.dict().find(name)) return *found;
  }
  return undefined("'" + objectName(value) + "' has no attribute '" + name + "'");
}

Value Interpreter::item(const Value& value, const Value& key) {
  if (value.isUndefined()) failUndefined(value);
  if (value.isDict()) {
    if (isHashable(key))
      if (const Value* found = value.dict().find(key)) return *found;
  } else if (key.isInt()) {
    if (auto found = indexed(m_heap, value, key.asInt())) return std::move(*found);
  }
  if (!key.isString()) return undefined(objectName(value) + " has no element " + repr(m_heap, key));
  if (auto method = findMethod(*this, value, key.text())) return std::move(*method);
  if (value.kind() == Kind::instance)
    if (auto found = value.instance().attribute(*this, key.text())) return std::move(*found);
  return undefined("'" + objectName(value) + "' has no attribute '" + key.text() + "'");
}

Value Interpreter::evaluate(const Expr& expr, const Ref<Scope>& scope) {
  m_heap.work(16);
  m_heap.checkStack();
  switch (expr.kind) {
    case ExprKind::none: return Value();
    case ExprKind::boolean: return Value::boolean(expr.boolean);
    case ExprKind::integer: return Value::integer(expr.integer);
    case ExprKind::real: return Value::real(expr.real);
    case ExprKind::string: {
      Value& constant = m_constants[static_cast<std::size_t>(expr.constant)];
      if (constant.isNone()) constant = string(expr.text);
      return constant;
    }
    case ExprKind::name: return evaluateName(expr, scope);
    case ExprKind::list: return list(evaluateAll(expr.items, scope));
    case ExprKind::tuple: return makeTuple(m_heap, evaluateAll(expr.items, scope));
    case ExprKind::dict: return evaluateDict(expr, scope);
    case ExprKind::attribute: {
      const Value object = evaluate(*expr.a, scope);
      m_position = expr.position;
      return attribute(object, expr.text);
    }
    case ExprKind::item: return evaluateItem(expr, scope);
    case ExprKind::call: return evaluateCall(expr, scope, nullptr);
    case ExprKind::filter: return evaluateFilter(expr, scope, nullptr);
    case ExprKind::test: return Value::boolean(evaluateTest(expr, scope));
    case ExprKind::logicalNot: return Value::boolean(!truthy(evaluate(*expr.a, scope)));
    case ExprKind::logicalAnd: {
      Value left = evaluate(*expr.a, scope);
      return truthy(left) ? evaluate(*expr.b, scope) : left;
    }
    case ExprKind::logicalOr: {
      Value left = evaluate(*expr.a, scope);
      return truthy(left) ? left : evaluate(*expr.b, scope);
    }
    case ExprKind::conditional:
      if (truthy(evaluate(*expr.a, scope))) return evaluate(*expr.b, scope);
      if (expr.c) return evaluate(*expr.c, scope);
      return undefined("the inline if-expression on line " + std::to_string(expr.position.line) +
                       " evaluated to false and no else section was defined.");
    case ExprKind::concat: return evaluateConcat(expr, scope);
    case ExprKind::compare: return evaluateCompare(expr, scope);
    default: return evaluateOperator(expr, scope);
  }
}

Value Interpreter::evaluateOperator(const Expr& expr, const Ref<Scope>& scope) {
  const Value a = evaluate(*expr.a, scope);
  const Value b = expr.b ? evaluate(*expr.b, scope) : Value();
  m_position = expr.position;
  switch (expr.kind) {
    case ExprKind::negate: return jinja::negate(a);
    case ExprKind::plus: return positive(a);
    case ExprKind::add: return add(m_heap, a, b);
    case ExprKind::subtract: return subtract(m_heap, a, b);
    case ExprKind::multiply: return multiply(m_heap, a, b);
    case ExprKind::divide: return divide(m_heap, a, b);
    case ExprKind::floorDivide: return floorDivide(m_heap, a, b);
    case ExprKind::modulo: return modulo(m_heap, a, b);
    case ExprKind::power: return power(m_heap, a, b);
    default: raise("this expression has no value here", expr.position);
  }
}

Value Interpreter::evaluateName(const Expr& expr, const Ref<Scope>& scope) {
  if (const Value* found = scope->find(expr.name)) return *found;
  const auto known = m_globals.find(expr.text);
  if (known != m_globals.end()) return known->second;
  if (auto made = makeGlobal(m_heap, expr.text)) return m_globals.emplace(expr.text, std::move(*made)).first->second;
  m_position = expr.position;
  return undefined("'" + expr.text + "' is undefined");
}

Value Interpreter::evaluateItem(const Expr& expr, const Ref<Scope>& scope) {
  const Value object = evaluate(*expr.a, scope);
  if (expr.b->kind != ExprKind::slice) {
    const Value key = evaluate(*expr.b, scope);
    m_position = expr.position;
    return item(object, key);
  }
  Value parts[3];
  for (std::size_t i = 0; i < 3; ++i)
    if (expr.b->items[i]) parts[i] = evaluate(*expr.b->items[i], scope);
  m_position = expr.position;
  return sliced(m_heap, object, parts[0], parts[1], parts[2]);
}

Value Interpreter::evaluateConcat(const Expr& expr, const Ref<Scope>& scope) {
  std::string text;
  for (const Expr* part : expr.items) {
    const Value value = evaluate(*part, scope);
    m_position = expr.position;
    if (value.isString()) text += value.text();
    else text += toText(m_heap, value);
    m_heap.check(text.size());
  }
  return string(std::move(text));
}

Value Interpreter::evaluateCompare(const Expr& expr, const Ref<Scope>& scope) {
  Value left = evaluate(*expr.a, scope);
  for (std::size_t i = 0; i < expr.operators.size(); ++i) {
    Value right = evaluate(*expr.items[i], scope);
    m_position = expr.position;
    if (!compareWith(expr.operators[i], left, right)) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Value Interpreter::evaluateDict(const Expr& expr, const Ref<Scope>& scope) {
  Ref<DictObject> dict = makeDict(m_heap);
  for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
    Value key = evaluate(*expr.items[i], scope);
    Value value = evaluate(*expr.items[i + 1], scope);
    m_position = expr.position;
    dict->set(std::move(key), std::move(value));
  }
  return Value(dict);
}

std::vector<Value> Interpreter::evaluateAll(const std::vector<Expr*>& exprs, const Ref<Scope>& scope) {
  std::vector<Value> values;
  values.reserve(exprs.size());
  for (const Expr* expr : exprs) values.push_back(evaluate(*expr, scope));
  return values;
}

Arguments Interpreter::arguments(const Expr& call, const Ref<Scope>& scope) {
  Arguments result;
  result.positional = evaluateAll(call.items, scope);
  for (const auto& [name, value] : call.keywords) result.keywords.emplace_back(name, evaluate(*value, scope));
  if (call.dynamicArguments) {
    for (Value& value : toVector(m_heap, evaluate(*call.dynamicArguments, scope))) result.positional.push_back(std::move(value));
  }
  if (call.dynamicKeywords) {
    const Value extra = evaluate(*call.dynamicKeywords, scope);
    if (!extra.isDict()) raise("argument after ** must be a mapping, not " + typeName(extra), call.position);
    for (const auto& [key, value] : extra.dict().entries) {
      if (!key.isString()) raise("keywords must be strings", call.position);
      if (std::any_of(result.keywords.begin(), result.keywords.end(), [&](const auto& other) { return other.first == key.text(); }))
        raise("got multiple values for keyword argument '" + key.text() + "'", call.position);
      result.keywords.emplace_back(key.text(), value);
    }
  }
  return result;
}

Value Interpreter::evaluateCall(const Expr& expr, const Ref<Scope>& scope, const Value* caller) {
  const Value function = evaluate(*expr.a, scope);
  Arguments given = arguments(expr, scope);
  if (caller) given.keywords.emplace_back("caller", *caller);
  m_position = expr.position;
  return call(function, std::move(given));
}

Value Interpreter::call(const Value& function, Arguments given) {
  if (function.isUndefined()) failUndefined(function);
  if (function.kind() != Kind::instance || !function.instance().callable()) raise("'" + typeName(function) + "' object is not callable");
  m_heap.checkStack();
  const Position position = m_position;
  Value result = function.instance().call(*this, std::move(given));
  m_position = position;
  return result;
}

Value Interpreter::evaluateFilter(const Expr& expr, const Ref<Scope>& scope, const Value* start) {
  m_heap.checkStack();
  const Value value = !expr.a                                     ? *start
                      : start && expr.a->kind == ExprKind::filter ? evaluateFilter(*expr.a, scope, start)
                                                                  : evaluate(*expr.a, scope);
  if (!expr.filter) raise("No filter named '" + expr.text + "' found.", expr.position);
  Arguments given = arguments(expr, scope);
  m_position = expr.position;
  return expr.filter->function(*this, value, given);
}

bool Interpreter::evaluateTest(const Expr& expr, const Ref<Scope>& scope) {
  const Value value = evaluate(*expr.a, scope);
  if (!expr.test) raise("No test named '" + expr.text + "' found.", expr.position);
  Arguments given = arguments(expr, scope);
  m_position = expr.position;
  return expr.test->function(*this, value, given);
}

Value Interpreter::applyFilter(const std::string& name, const Value& value, Arguments given) {
  const FilterEntry* filter = findFilter(name);
  if (!filter) raise("No filter named '" + name + "'.");
  return filter->function(*this, value, given);
}

bool Interpreter::applyTest(const std::string& name, const Value& value, Arguments given) {
  const TestEntry* test = findTest(name);
  if (!test) raise("No test named '" + name + "'.");
  return test->function(*this, value, given);
}

}  // namespace minerva::text::jinja
