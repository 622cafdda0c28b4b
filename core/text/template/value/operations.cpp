#include "core/text/template/value/operations.h"

#include "core/text/template/builtins/globals.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <cmath>

namespace minerva::text::jinja {
namespace {

Heap& heapOf(const Value& value) { return value.object()->heap(); }

int sign(Int a, Int b) { return a < b ? -1 : a > b ? 1 : 0; }

int compareSequences(const std::vector<Value>& a, const std::vector<Value>& b, const char* op) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i)
    if (!equals(a[i], b[i])) return compareValues(a[i], b[i], op);
  return sign(static_cast<Int>(a.size()), static_cast<Int>(b.size()));
}

bool equalDicts(const DictObject& a, const DictObject& b) {
  if (a.entries.size() != b.entries.size()) return false;
  return std::all_of(a.entries.begin(), a.entries.end(), [&](const auto& entry) {
    const Value* other = b.find(entry.first);
    return other && equals(entry.second, *other);
  });
}

}  // namespace

void failUndefined(const Value& undefined) { raise(undefined.undefined().message); }

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::none: return false;
    case Kind::boolean:
    case Kind::integer: return value.asInt() != 0;
    case Kind::real: return value.asReal() != 0;
    case Kind::string: return !value.text().empty();
    case Kind::list:
    case Kind::tuple: return !value.items().empty();
    case Kind::dict: return !value.dict().entries.empty();
    case Kind::instance: return value.instance().length().value_or(1) != 0;
  }
  return true;
}

bool equals(const Value& a, const Value& b) {
  if (a.isInt() && b.isInt()) return a.asInt() == b.asInt();
  if (a.isNumber() && b.isNumber()) return a.asReal() == b.asReal();
  if (a.kind() != b.kind()) return false;
  if (a.object() && a.object() == b.object()) return true;
  switch (a.kind()) {
    case Kind::undefined:
    case Kind::none: return true;
    case Kind::string: heapOf(a).work(std::min(a.text().size(), b.text().size()) / 8); return a.text() == b.text();
    case Kind::list:
    case Kind::tuple: {
      heapOf(a).checkStack();
      heapOf(a).work(a.items().size() + 1);
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), equals);
    }
    case Kind::dict:
      heapOf(a).checkStack();
      heapOf(a).work(a.dict().entries.size() + 1);
      return equalDicts(a.dict(), b.dict());
    case Kind::instance: return equalRanges(a, b);
    default: return false;
  }
}

int compareValues(const Value& a, const Value& b, const char* op) {
  if (a.isInt() && b.isInt()) return sign(a.asInt(), b.asInt());
  if (a.isNumber() && b.isNumber()) {
    const double x = a.asReal(), y = b.asReal();
    if (std::isnan(x) || std::isnan(y)) return op[0] == '<' ? 1 : -1;  // every ordering comparison with NaN is false
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (a.isUndefined()) failUndefined(a);
  if (b.isUndefined()) failUndefined(b);
  if (a.isString() && b.isString()) {
    heapOf(a).work(std::min(a.text().size(), b.text().size()) / 8);
    const int order = a.text().compare(b.text());  // UTF-8 sorts like its code points
    return order;
  }
  if (a.isSequence() && a.kind() == b.kind()) {
    heapOf(a).checkStack();
    heapOf(a).work(1);
    return compareSequences(a.items(), b.items(), op);
  }
  raise("'" + std::string(op) + "' not supported between instances of '" + typeName(a) + "' and '" + typeName(b) + "'");
}

bool contains(const Value& container, const Value& item) {
  switch (container.kind()) {
    case Kind::undefined: return false;
    case Kind::string:
      if (!item.isString()) raise("'in <string>' requires string as left operand, not " + typeName(item));
      heapOf(container).work(container.text().size());
      return container.text().find(item.text()) != std::string::npos;
    case Kind::dict: return container.dict().find(item) != nullptr;
    case Kind::list:
    case Kind::tuple:
      heapOf(container).work(container.items().size());
      return std::any_of(container.items().begin(), container.items().end(), [&](const Value& other) { return equals(item, other); });
    case Kind::instance:
      if (auto pull = container.instance().iterate()) {
        Value other;
        while ((*pull)(other)) {
          heapOf(container).work(8);
          if (equals(item, other)) return true;
        }
        return false;
      }
      [[fallthrough]];
    default: raise("argument of type '" + typeName(container) + "' is not a container or iterable");
  }
}

bool compareWith(const std::string& op, const Value& a, const Value& b) {
  if (op == "==") return equals(a, b);
  if (op == "!=") return !equals(a, b);
  if (op == "in") return contains(b, a);
  if (op == "notin") return !contains(b, a);
  const int order = compareValues(a, b, op.c_str());
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  return op == ">" ? order > 0 : order >= 0;
}

bool isHashable(const Value& value) {
  if (value.kind() == Kind::list || value.kind() == Kind::dict) return false;
  if (value.kind() != Kind::tuple) return true;
  heapOf(value).checkStack();
  return std::all_of(value.items().begin(), value.items().end(), isHashable);
}

std::optional<std::size_t> lengthOf(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined: return 0;
    case Kind::string: return value.string().length();
    case Kind::list:
    case Kind::tuple: return value.items().size();
    case Kind::dict: return value.dict().entries.size();
    case Kind::instance: return value.instance().length();
    default: return std::nullopt;
  }
}

std::size_t requireLength(const Value& value) {
  if (const auto length = lengthOf(value)) return *length;
  raise("object of type '" + typeName(value) + "' has no len()");
}

Puller iterate(Heap& heap, const Value& value) {
  switch (value.kind()) {
    case Kind::undefined: return [](Value&) { return false; };
    case Kind::string:
      return [value, at = std::size_t{0}, &heap](Value& out) mutable {
        const std::string& text = value.text();
        if (at >= text.size()) return false;
        const std::size_t start = at;
        unicode::decode(text, at);
        out = makeString(heap, text.substr(start, at - start));
        return true;
      };
    case Kind::list:
    case Kind::tuple:
      return [value, at = std::size_t{0}](Value& out) mutable {
        if (at >= value.items().size()) return false;
        out = value.items()[at++];
        return true;
      };
    case Kind::dict:
      return [value, at = std::size_t{0}](Value& out) mutable {
        if (at >= value.dict().entries.size()) return false;
        out = value.dict().entries[at++].first;
        return true;
      };
    case Kind::instance:
      if (auto pull = value.instance().iterate()) return std::move(*pull);
      [[fallthrough]];
    default: raise("'" + typeName(value) + "' object is not iterable");
  }
}

std::vector<Value> toVector(Heap& heap, const Value& value) {
  if (value.isSequence()) {
    heap.check(value.items().size() * sizeof(Value));
    return value.items();
  }
  std::vector<Value> items;
  const Puller pull = iterate(heap, value);
  Value item;
  while (pull(item)) {
    items.push_back(std::move(item));
    heap.work(4);
    if ((items.size() & 1023) == 0) heap.check(items.size() * sizeof(Value));
  }
  return items;
}

std::string_view characters(const StringObject& text, std::size_t first, std::size_t last) {
  const std::string_view view = text.text;
  last = std::min(last, text.length());
  if (first >= last) return {};
  if (text.ascii()) return view.substr(first, last - first);
  text.heap().work(view.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < first; ++i) unicode::decode(view, at);
  const std::size_t start = at;
  for (std::size_t i = first; i < last; ++i) unicode::decode(view, at);
  return view.substr(start, at - start);
}

std::optional<Value> indexed(Heap& heap, const Value& value, Int index) {
  if (!value.isString() && !value.isSequence() && value.kind() != Kind::instance) return std::nullopt;
  const auto length = lengthOf(value);
  if (!length) return std::nullopt;
  if (index < 0) index += static_cast<Int>(*length);
  if (index < 0 || index >= static_cast<Int>(*length)) return std::nullopt;
  const auto at = static_cast<std::size_t>(index);
  if (value.isSequence()) return value.items()[at];
  if (value.isString()) return makeString(heap, std::string(characters(value.string(), at, at + 1)));
  return value.instance().item(index);
}

Value sliced(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step) {
  const bool range = value.kind() == Kind::instance && value.instance().item(0).has_value();
  if (!value.isString() && !value.isSequence() && !range) {
    if (value.isUndefined()) failUndefined(value);
    if (value.isDict()) raise("unhashable type: 'slice'");
    raise("'" + typeName(value) + "' object is not subscriptable");
  }
  for (const Value* part : {&start, &stop, &step}) {
    if (part->isUndefined()) failUndefined(*part);
    if (!part->isNone() && !part->isInt()) raise("slice indices must be integers or None or have an __index__ method");
  }
  const Int length = static_cast<Int>(*lengthOf(value));
  const Int by = step.isNone() ? 1 : step.asInt();
  if (by == 0) raise("slice step cannot be zero");
  const auto bound = [&](const Value& part, Int fallback) {
    if (part.isNone()) return fallback;
    Int at = part.asInt();
    if (at < 0) at += length;
    return std::clamp<Int>(at, by < 0 ? -1 : 0, by < 0 ? length - 1 : length);
  };
  const Int first = bound(start, by < 0 ? length - 1 : 0);
  const Int last = bound(stop, by < 0 ? -1 : length);
  if (value.isString() && by == 1) {
    return makeString(
        heap, std::string(characters(value.string(), static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last)))));
  }
  std::vector<Value> source = value.isString() ? toVector(heap, value) : std::vector<Value>();
  std::vector<Value> items;
  for (Int at = first; by > 0 ? at < last : at > last; at += by) {
    if (value.isSequence()) items.push_back(value.items()[static_cast<std::size_t>(at)]);
    else if (value.isString()) items.push_back(source[static_cast<std::size_t>(at)]);
    else items.push_back(*value.instance().item(at));
    heap.work(8);
    if ((items.size() & 1023) == 0) heap.check(items.size() * sizeof(Value));
    if (by > length || by < -length) break;
  }
  if (value.kind() == Kind::tuple) return makeTuple(heap, std::move(items));
  if (!value.isString()) return makeList(heap, std::move(items));
  std::string text;
  for (const Value& item : items) text += item.text();
  return makeString(heap, std::move(text));
}

}  // namespace minerva::text::jinja
