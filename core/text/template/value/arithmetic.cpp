// Arithmetic operators of operations.h.
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"

#include <cmath>

namespace minerva::text::jinja {
namespace {

[[noreturn]] void failOperands(const char* op, const Value& a, const Value& b) {
  if (a.isUndefined()) failUndefined(a);
  if (b.isUndefined()) failUndefined(b);
  raise("unsupported operand type(s) for " + std::string(op) + ": '" + typeName(a) + "' and '" + typeName(b) + "'");
}
[[noreturn]] void failTooLarge() { raiseLimit("an integer of more than 127 bits"); }

Value addInts(Int a, Int b) {
  Int sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) failTooLarge();
  return Value::integer(sum);
}
Value multiplyInts(Int a, Int b) {
  Int product = 0;
  if (__builtin_mul_overflow(a, b, &product)) failTooLarge();
  return Value::integer(product);
}

Value repeat(Heap& heap, const Value& sequence, Int times) {
  times = times < 0 ? 0 : times;
  const std::size_t size = sequence.isString() ? sequence.text().size() : sequence.items().size() * sizeof(Value);
  if (size > 0 && times > static_cast<Int>(std::size_t{1} << 40) / static_cast<Int>(size)) heap.check(std::size_t{1} << 40);
  heap.check(size * static_cast<std::size_t>(size ? times : 0));
  if (sequence.isString()) {
    std::string text;
    text.reserve(size * static_cast<std::size_t>(size ? times : 0));
    for (Int i = 0; size && i < times; ++i) text += sequence.text();
    return makeString(heap, std::move(text), sequence.string().markup);
  }
  std::vector<Value> items;
  for (Int i = 0; size && i < times; ++i) items.insert(items.end(), sequence.items().begin(), sequence.items().end());
  return sequence.kind() == Kind::list ? makeList(heap, std::move(items)) : makeTuple(heap, std::move(items));
}

Value addStrings(Heap& heap, const Value& a, const Value& b) {
  const bool markup = a.string().markup || b.string().markup;
  heap.check(a.text().size() + b.text().size());
  const auto part = [&](const Value& v) { return markup && !v.string().markup ? escapeHtml(v.text()) : v.text(); };
  return makeString(heap, markup ? part(a) + part(b) : a.text() + b.text(), markup);
}

double floorMod(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return rest == 0 ? std::copysign(0.0, b) : rest;
}

}  // namespace

Value add(Heap& heap, const Value& a, const Value& b) {
  if (a.isInt() && b.isInt()) return addInts(a.asInt(), b.asInt());
  if (a.isNumber() && b.isNumber()) return Value::real(a.asReal() + b.asReal());
  if (a.isUndefined() || b.isUndefined()) failOperands("+", a, b);
  if (a.isString()) {
    if (!b.isString()) raise("can only concatenate str (not \"" + typeName(b) + "\") to str");
    return addStrings(heap, a, b);
  }
  if (a.isSequence()) {
    if (a.kind() != b.kind()) raise("can only concatenate " + typeName(a) + " (not \"" + typeName(b) + "\") to " + typeName(a));
    heap.check((a.items().size() + b.items().size()) * sizeof(Value));
    std::vector<Value> items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    return a.kind() == Kind::list ? makeList(heap, std::move(items)) : makeTuple(heap, std::move(items));
  }
  failOperands("+", a, b);
}

Value subtract(Heap&, const Value& a, const Value& b) {
  if (a.isInt() && b.isInt()) {
    Int difference = 0;
    if (__builtin_sub_overflow(a.asInt(), b.asInt(), &difference)) failTooLarge();
    return Value::integer(difference);
  }
  if (a.isNumber() && b.isNumber()) return Value::real(a.asReal() - b.asReal());
  failOperands("-", a, b);
}

Value multiply(Heap& heap, const Value& a, const Value& b) {
  if (a.isInt() && b.isInt()) return multiplyInts(a.asInt(), b.asInt());
  if (a.isNumber() && b.isNumber()) return Value::real(a.asReal() * b.asReal());
  if (a.isUndefined() || b.isUndefined()) failOperands("*", a, b);
  const bool sequenceA = a.isString() || a.isSequence();
  const bool sequenceB = b.isString() || b.isSequence();
  if (sequenceA && b.isInt()) return repeat(heap, a, b.asInt());
  if (sequenceB && a.isInt()) return repeat(heap, b, a.asInt());
  if (sequenceA || sequenceB) raise("can't multiply sequence by non-int of type '" + typeName(sequenceA ? b : a) + "'");
  failOperands("*", a, b);
}

Value divide(Heap&, const Value& a, const Value& b) {
  if (!a.isNumber() || !b.isNumber()) failOperands("/", a, b);
  if (b.asReal() == 0) raise("division by zero");
  return Value::real(a.asReal() / b.asReal());
}

Value floorDivide(Heap&, const Value& a, const Value& b) {
  if (!a.isNumber() || !b.isNumber()) failOperands("//", a, b);
  if (a.isInt() && b.isInt()) {
    const Int x = a.asInt(), y = b.asInt();
    if (y == 0) raise("division by zero");
    if (y == -1) return negate(a);
    Int quotient = x / y;
    if (x % y != 0 && (x < 0) != (y < 0)) --quotient;
    return Value::integer(quotient);
  }
  const double x = a.asReal(), y = b.asReal();
  if (y == 0) raise("division by zero");
  const double quotient = (x - floorMod(x, y)) / y;
  return Value::real(std::isfinite(quotient) ? std::round(quotient) == 0 ? std::copysign(0.0, x / y) : std::round(quotient) : quotient);
}

Value modulo(Heap& heap, const Value& a, const Value& b) {
  if (a.isString()) return makeString(heap, formatPercent(heap, a.text(), b));
  if (!a.isNumber() || !b.isNumber()) failOperands("%", a, b);
  if (a.isInt() && b.isInt()) {
    const Int y = b.asInt();
    if (y == 0) raise("integer modulo by zero");
    if (y == -1) return Value::integer(0);
    Int rest = a.asInt() % y;
    if (rest != 0 && (rest < 0) != (y < 0)) rest += y;
    return Value::integer(rest);
  }
  if (b.asReal() == 0) raise("float modulo by zero");
  return Value::real(floorMod(a.asReal(), b.asReal()));
}

Value power(Heap&, const Value& a, const Value& b) {
  if (!a.isNumber() || !b.isNumber()) failOperands("** or pow()", a, b);
  if (a.isInt() && b.isInt() && b.asInt() >= 0) {
    Int result = 1, base = a.asInt(), exponent = b.asInt();
    if (base == 0 || base == 1) return Value::integer(exponent == 0 ? 1 : base);
    if (base == -1) return Value::integer(exponent % 2 == 0 ? 1 : -1);
    if (exponent > 127) failTooLarge();
    for (; exponent > 0; --exponent)
      if (__builtin_mul_overflow(result, base, &result)) failTooLarge();
    return Value::integer(result);
  }
  const double x = a.asReal(), y = b.asReal();
  if (x == 0 && y < 0) raise("zero to a negative power");
  if (x < 0 && std::trunc(y) != y) raise("complex numbers are not supported");
  const double result = std::pow(x, y);
  if (std::isinf(result) && std::isfinite(x) && std::isfinite(y)) raise("(34, 'Numerical result out of range')");
  return Value::real(result);
}

Value negate(const Value& a) {
  if (a.isUndefined()) failUndefined(a);
  if (a.kind() == Kind::real) return Value::real(-a.asReal());
  if (!a.isInt()) raise("bad operand type for unary -: '" + typeName(a) + "'");
  Int result = 0;
  if (__builtin_sub_overflow(Int{0}, a.asInt(), &result)) failTooLarge();
  return Value::integer(result);
}

Value positive(const Value& a) {
  if (a.isUndefined()) failUndefined(a);
  if (a.kind() == Kind::real) return a;
  if (!a.isInt()) raise("bad operand type for unary +: '" + typeName(a) + "'");
  return Value::integer(a.asInt());
}

}  // namespace minerva::text::jinja
