#include "core/text/template/builtins/tests.h"

#include "core/text/template/builtins/filters.h"
#include "core/text/template/builtins/globals.h"
#include "core/text/template/builtins/methods.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"

namespace minerva::text::jinja {
namespace {

template <Kind kind>
bool isKind(Interpreter&, const Value& value, Arguments&) {
  return value.kind() == kind;
}

bool defined(Interpreter&, const Value& value, Arguments&) { return !value.isUndefined(); }
bool isTrue(Interpreter&, const Value& value, Arguments&) { return value.kind() == Kind::boolean && value.asBool(); }
bool isFalse(Interpreter&, const Value& value, Arguments&) { return value.kind() == Kind::boolean && !value.asBool(); }
bool number(Interpreter&, const Value& value, Arguments&) { return value.isNumber(); }
bool sequence(Interpreter&, const Value& value, Arguments&) {
  return value.isUndefined() || value.isString() || value.isSequence() || value.isDict() || value.as<RangeObject>();
}
bool iterable(Interpreter&, const Value& value, Arguments&) {
  if (value.kind() == Kind::instance) return value.instance().iterate().has_value();
  return !value.isNumber() && !value.isNone();
}
bool callable(Interpreter&, const Value& value, Arguments&) {
  return value.isUndefined() || (value.kind() == Kind::instance && value.instance().callable());
}
bool escaped(Interpreter&, const Value& value, Arguments&) { return value.isString() && value.string().markup; }

bool sameAs(Interpreter&, const Value& value, Arguments& arguments) {
  const BoundArguments bound("sameas", arguments, {"other"}, 1);
  if (value.kind() != bound[0].kind()) return false;
  if (value.kind() == Kind::string) return equals(value, bound[0]);
  return value.object() ? value.object() == bound[0].object() : equals(value, bound[0]);
}

Value remainder(Interpreter& interpreter, const Value& value, const Value& by) { return modulo(interpreter.heap(), value, by); }
bool odd(Interpreter& interpreter, const Value& value, Arguments&) {
  return equals(remainder(interpreter, value, Value::integer(2)), Value::integer(1));
}
bool even(Interpreter& interpreter, const Value& value, Arguments&) {
  return equals(remainder(interpreter, value, Value::integer(2)), Value::integer(0));
}
bool divisibleBy(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("divisibleby", arguments, {"num"}, 1);
  return equals(remainder(interpreter, value, bound[0]), Value::integer(0));
}

bool holdsByMethod(Interpreter& interpreter, const Value& value, const char* method) {
  const Value text = interpreter.string(toText(interpreter.heap(), value));
  return truthy(interpreter.call(*findMethod(interpreter, text, method), {}));
}
bool lower(Interpreter& interpreter, const Value& value, Arguments&) { return holdsByMethod(interpreter, value, "islower"); }
bool upper(Interpreter& interpreter, const Value& value, Arguments&) { return holdsByMethod(interpreter, value, "isupper"); }

bool isFilter(Interpreter& interpreter, const Value& value, Arguments&) { return findFilter(toText(interpreter.heap(), value)) != nullptr; }
bool isTest(Interpreter& interpreter, const Value& value, Arguments&) { return findTest(toText(interpreter.heap(), value)) != nullptr; }

struct Operator {
  const char* text;
};
constexpr Operator eq{"=="}, ne{"!="}, lt{"<"}, le{"<="}, gt{">"}, ge{">="}, in{"in"};
template <const Operator& op>
bool compared(Interpreter&, const Value& value, Arguments& arguments) {
  const BoundArguments bound("test", arguments, {"other"}, 1);
  return compareWith(op.text, value, bound[0]);
}
bool undefined(Interpreter&, const Value& value, Arguments&) { return value.isUndefined(); }

// clang-format off
constexpr TestEntry testTable[] = {
    {"defined", defined}, {"undefined", undefined}, {"none", isKind<Kind::none>}, {"boolean", isKind<Kind::boolean>},
    {"true", isTrue}, {"false", isFalse}, {"integer", isKind<Kind::integer>}, {"float", isKind<Kind::real>},
    {"number", number}, {"string", isKind<Kind::string>}, {"mapping", isKind<Kind::dict>}, {"sequence", sequence},
    {"iterable", iterable}, {"callable", callable}, {"escaped", escaped}, {"sameas", sameAs},
    {"odd", odd}, {"even", even}, {"divisibleby", divisibleBy}, {"lower", lower}, {"upper", upper},
    {"filter", isFilter}, {"test", isTest},
    {"==", compared<eq>}, {"eq", compared<eq>}, {"equalto", compared<eq>}, {"!=", compared<ne>}, {"ne", compared<ne>},
    {"<", compared<lt>}, {"lt", compared<lt>}, {"lessthan", compared<lt>}, {"<=", compared<le>}, {"le", compared<le>},
    {">", compared<gt>}, {"gt", compared<gt>}, {"greaterthan", compared<gt>}, {">=", compared<ge>}, {"ge", compared<ge>},
    {"in", compared<in>},
};
// clang-format on

}  // namespace

const TestEntry* findTest(std::string_view name) {
  for (const TestEntry& entry : testTable)
    if (name == entry.name) return &entry;
  return nullptr;
}

}  // namespace minerva::text::jinja
