#include "core/text/template/builtins/globals.h"
#include "core/text/template/interpreter/interpreter.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"

#include <algorithm>

namespace minerva::text::jinja {

void internSpecialNames(Program& program) {
  for (const char* name : {"loop", "caller", "kwargs", "varargs", "self"}) program.intern(name);
}

const Value* Scope::find(int name) const {
  for (const Scope* scope = this; scope; scope = scope->m_parent.get())
    for (const auto& [id, value] : scope->m_variables)
      if (id == name) return &value;
  return nullptr;
}
void Scope::set(int name, Value value) {
  for (auto& [id, old] : m_variables) {
    if (id != name) continue;
    old = std::move(value);
    return;
  }
  heap().grow(*this, sizeof(m_variables[0]));
  m_variables.emplace_back(name, std::move(value));
}
void Scope::clear() {
  // Moved out first: destroying a value may access this scope again.
  auto variables = std::move(m_variables);
  m_variables.clear();
  const Ref<Scope> parent = std::move(m_parent);
}

void Output::write(std::string_view text) {
  if (text.size() > m_limit || m_text.size() > m_limit - text.size())
    raiseLimit("the text is longer than the limit of " + std::to_string(m_limit >> 20) + " MiB");
  if (m_root) {
    m_heap.work(text.size() / 8 + 1);
  } else {
    m_heap.reserve(text.size());
    m_charged += text.size();
  }
  m_text += text;
}

// Redirects output to a separate text.
class Interpreter::Capture {
 public:
  explicit Capture(Interpreter& interpreter)
      : m_interpreter(interpreter), m_outer(interpreter.m_output), m_output(interpreter.m_heap, interpreter.m_limits.outputBytes, false) {
    interpreter.m_output = &m_output;
  }
  ~Capture() { m_interpreter.m_output = m_outer; }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  std::string take() { return m_output.take(); }

 private:
  Interpreter& m_interpreter;
  Output* m_outer;
  Output m_output;
};

class Interpreter::CallDepth {
 public:
  explicit CallDepth(Interpreter& interpreter) : m_interpreter(interpreter) {
    if (++interpreter.m_depth > interpreter.m_limits.depth) {
      --interpreter.m_depth;
      raiseLimit("calls nest deeper than the limit of " + std::to_string(interpreter.m_limits.depth));
    }
  }
  ~CallDepth() { --m_interpreter.m_depth; }
  CallDepth(const CallDepth&) = delete;
  CallDepth& operator=(const CallDepth&) = delete;

 private:
  Interpreter& m_interpreter;
};

Interpreter::Interpreter(Heap& heap, const Program& program, const RenderLimits& limits, std::chrono::system_clock::time_point now)
    : m_heap(heap),
      m_program(program),
      m_limits(limits),
      m_now(now),
      m_inputs(heap.make<Scope>(0, Ref<Scope>())),
      m_root(heap.make<Scope>(0, m_inputs)),
      m_constants(static_cast<std::size_t>(program.constants)) {}

void Interpreter::define(const std::string& name, Value value) {
  const auto id = m_program.nameIds.find(name);
  if (id != m_program.nameIds.end()) m_inputs->set(id->second, std::move(value));  // variables that the template does not name are dropped
}

std::string Interpreter::run() {
  Output output(m_heap, m_limits.outputBytes, true);
  m_output = &output;
  Ref<DictObject> blocks = makeDict(m_heap);
  for (const auto& [name, block] : m_program.blocks) {
    blocks->set(string(name), makeInstance<FunctionObject>(m_heap, name, [block = block](Interpreter& interpreter, Arguments&) {
                  return interpreter.renderBlock(*block);
                }));
  }
  m_inputs->set(selfName, Value(blocks));
  execute(m_program.body, m_root);
  m_output = nullptr;
  return output.take();
}

Ref<Scope> Interpreter::inner(const Ref<Scope>& scope) { return Ref<Scope>(m_heap.make<Scope>(0, scope)); }

Interpreter::Flow Interpreter::execute(const Body& body, const Ref<Scope>& scope) {
  for (const Stmt* statement : body) {
    const Flow flow = execute(*statement, scope);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Interpreter::Flow Interpreter::executeInner(const Body& body, const Ref<Scope>& scope) { return execute(body, inner(scope)); }

std::string Interpreter::capture(const Body& body, const Ref<Scope>& scope) {
  Capture captured(*this);
  execute(body, scope);
  return captured.take();
}

Interpreter::Flow Interpreter::execute(const Stmt& statement, const Ref<Scope>& scope) {
  m_heap.work(16);
  m_heap.checkStack();
  m_position = statement.position;
  switch (statement.kind) {
    case StmtKind::text: m_output->write(statement.text); break;
    case StmtKind::output:
      for (const Expr* expr : statement.exprs) write(evaluate(*expr, scope));
      break;
    case StmtKind::ifs: return executeIf(statement, scope);
    case StmtKind::forLoop: {
      const Value iterable = evaluate(*statement.value, scope);
      m_position = statement.position;
      return executeFor(statement, scope, iterable, 0);
    }
    case StmtKind::assign: {
      const Value value = evaluate(*statement.value, scope);
      assign(*statement.target, value, scope);
      break;
    }
    case StmtKind::assignBlock: {
      Value value = string(capture(statement.body, inner(scope)));
      if (statement.value) value = evaluateFilter(*statement.value, scope, &value);
      assign(*statement.target, value, scope);
      break;
    }
    case StmtKind::macro: scope->set(statement.signature.nameId, makeInstance<MacroObject>(m_heap, statement, scope)); break;
    case StmtKind::callBlock: executeCall(statement, scope); break;
    case StmtKind::filterBlock: {
      const Value value = string(capture(statement.body, inner(scope)));
      write(evaluateFilter(*statement.value, scope, &value));
      break;
    }
    case StmtKind::with: executeWith(statement, scope); break;
    case StmtKind::scope: return executeInner(statement.body, scope);
    case StmtKind::block: execute(statement.body, inner(statement.scoped ? scope : m_root)); break;
    case StmtKind::autoescape: {
      const bool before = m_autoescape;
      m_autoescape = truthy(evaluate(*statement.value, scope));
      const Flow flow = executeInner(statement.body, scope);
      m_autoescape = before;
      return flow;
    }
    case StmtKind::breakLoop: return Flow::breakLoop;
    case StmtKind::continueLoop: return Flow::continueLoop;
    case StmtKind::noLoader: raise("no loader for this environment specified", statement.position);
  }
  return Flow::normal;
}

void Interpreter::write(const Value& value) {
  if (value.isString() && !m_autoescape) m_output->write(value.text());
  else if (m_autoescape && !(value.isString() && value.string().markup)) m_output->write(escapeHtml(toText(m_heap, value)));
  else m_output->write(toText(m_heap, value));
}

Interpreter::Flow Interpreter::executeIf(const Stmt& statement, const Ref<Scope>& scope) {
  for (std::size_t i = 0; i < statement.exprs.size(); ++i)
    if (truthy(evaluate(*statement.exprs[i], scope))) return execute(statement.branches[i], scope);
  return execute(statement.otherwise, scope);
}

Interpreter::Flow Interpreter::executeFor(const Stmt& statement, const Ref<Scope>& scope, const Value& iterable, int depth) {
  Puller items = iterate(m_heap, iterable);
  std::optional<std::size_t> length;
  if (statement.condition) {
    items = [this, &statement, scope, all = std::move(items)](Value& out) {
      while (all(out)) {
        const Ref<Scope> own = inner(scope);
        assign(*statement.target, out, own);
        if (truthy(evaluate(*statement.condition, own))) return true;
      }
      return false;
    };
  } else {
    length = lengthOf(iterable);
  }
  const Ref<LoopObject> loop(m_heap.make<LoopObject>(64, statement, scope, std::move(items), length, depth));
  const Value loopValue{Ref<Instance>(loop.get())};
  bool any = false;  // as in Jinja, which notes an iteration at the end of the body: `continue` and `break` skip that
  Value value;
  Flow flow = Flow::normal;
  while (flow != Flow::breakLoop && loop->next(value)) {
    const Ref<Scope> own = inner(scope);
    assign(*statement.target, value, own);
    own->set(loopName, loopValue);
    flow = execute(statement.body, own);
    any = any || flow == Flow::normal;
  }
  loop->clear();  // releases the scope that it holds
  return any ? Flow::normal : executeInner(statement.otherwise, scope);
}

Value Interpreter::repeatLoop(const Stmt& loop, const Ref<Scope>& scope, const Value& iterable, int depth) {
  const CallDepth counted(*this);
  Capture captured(*this);
  executeFor(loop, scope, iterable, depth);
  return string(captured.take());
}

void Interpreter::executeWith(const Stmt& statement, const Ref<Scope>& scope) {
  const Ref<Scope> own = inner(scope);
  const std::vector<Value> values = evaluateAll(statement.exprs, scope);
  for (std::size_t i = 0; i < values.size(); ++i) assign(*statement.targets[i], values[i], own);
  execute(statement.body, own);
}

void Interpreter::executeCall(const Stmt& statement, const Ref<Scope>& scope) {
  const Value caller = makeInstance<MacroObject>(m_heap, statement, scope);
  write(evaluateCall(*statement.value, scope, &caller));
}

void Interpreter::assign(const Expr& target, const Value& value, const Ref<Scope>& scope) {
  m_position = target.position;
  if (target.kind == ExprKind::name) {
    scope->set(target.name, value);
  } else if (target.kind == ExprKind::namespaceTarget) {
    const Value* found = scope->find(target.name);
    auto* space = found ? found->as<NamespaceObject>() : nullptr;
    if (!space) raise("cannot assign attribute on non-namespace object", target.position);
    space->set(target.text, value);
  } else {
    if (value.isUndefined()) raise("not enough values to unpack (expected " + std::to_string(target.items.size()) + ", got 0)");
    if (value.isNumber() || value.isNone()) raise("cannot unpack non-iterable " + typeName(value) + " object");
    const std::vector<Value> values = toVector(m_heap, value);
    const std::string expected = "(expected " + std::to_string(target.items.size());
    if (values.size() > target.items.size()) raise("too many values to unpack " + expected + ")");
    if (values.size() < target.items.size())
      raise("not enough values to unpack " + expected + ", got " + std::to_string(values.size()) + ")");
    for (std::size_t i = 0; i < values.size(); ++i) assign(*target.items[i], values[i], scope);
  }
}

Value Interpreter::callMacro(const Stmt& macro, const Signature& signature, const Ref<Scope>& closure, Arguments given) {
  const CallDepth counted(*this);
  const Ref<Scope> keep = closure;
  const Ref<Scope> own = inner(closure);
  const auto& parameters = signature.parameters;
  const std::string who = "macro '" + signature.name + "'";
  const std::size_t taken = std::min(parameters.size(), given.positional.size());
  std::vector<bool> filled(parameters.size());
  for (std::size_t i = 0; i < taken; ++i) {
    own->set(parameters[i].name, given.positional[i]);
    filled[i] = true;
  }
  Ref<DictObject> extra = makeDict(m_heap);
  bool hasCaller = false;
  for (const auto& [name, value] : given.keywords) {
    const auto known = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.text == name; });
    if (known != parameters.end()) {
      const auto index = static_cast<std::size_t>(known - parameters.begin());
      if (filled[index] && index < taken) raise(who + " got multiple values for argument '" + name + "'");
      own->set(known->name, value);
      filled[index] = true;
    } else if (name == "caller" && signature.usesCaller) {
      own->set(callerName, value);
      hasCaller = true;
    } else if (signature.usesKwargs) {
      extra->set(string(name), value);
    } else {
      raise(who + " takes no keyword argument '" + name + "'");
    }
  }
  if (given.positional.size() > taken && !signature.usesVarargs)
    raise(who + " takes not more than " + std::to_string(parameters.size()) + " argument(s)");
  if (signature.usesCaller && !hasCaller) own->set(callerName, undefined("No caller defined"));
  if (signature.usesKwargs) own->set(kwargsName, Value(extra));
  if (signature.usesVarargs)
    own->set(varargsName, makeTuple(m_heap, {given.positional.begin() + static_cast<std::ptrdiff_t>(taken), given.positional.end()}));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (filled[i]) continue;
    own->set(parameters[i].name, parameters[i].fallback ? evaluate(*parameters[i].fallback, own)
                                                        : undefined("parameter '" + parameters[i].text + "' was not provided"));
  }
  return makeString(m_heap, capture(macro.body, own), m_autoescape);
}

Value Interpreter::renderBlock(const Stmt& block) {
  const CallDepth counted(*this);
  return string(capture(block.body, inner(m_root)));
}

BoundArguments::BoundArguments(const char* function, Arguments& arguments, std::initializer_list<const char*> names, std::size_t required)
    : m_values(names.size()) {
  if (arguments.positional.size() > names.size())
    raise(std::string(function) + "() takes at most " + std::to_string(names.size()) + " arguments (" +
          std::to_string(arguments.positional.size()) + " given)");
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) m_values[i] = &arguments.positional[i];
  for (const auto& [key, value] : arguments.keywords) {
    const auto* found = std::find_if(names.begin(), names.end(), [&](const char* name) { return key == name; });
    if (found == names.end()) raise(std::string(function) + "() got an unexpected keyword argument '" + key + "'");
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (m_values[index]) raise(std::string(function) + "() got multiple values for argument '" + key + "'");
    m_values[index] = &value;
  }
  for (std::size_t i = 0; i < required; ++i)
    if (!m_values[i]) raise(std::string(function) + "() missing a required argument: '" + names.begin()[i] + "'");
}

bool BoundArguments::flag(std::size_t index, bool fallback) const { return has(index) ? truthy((*this)[index]) : fallback; }
Int BoundArguments::integer(std::size_t index, Int fallback) const {
  if (!has(index)) return fallback;
  const Value& value = (*this)[index];
  if (value.isUndefined()) failUndefined(value);
  if (!value.isInt()) raise("'" + typeName(value) + "' object cannot be interpreted as an integer");
  return value.asInt();
}
std::string BoundArguments::text(std::size_t index, std::string fallback) const {
  if (!has(index)) return fallback;
  const Value& value = (*this)[index];
  if (value.isUndefined()) return {};
  if (!value.isString()) raise("expected str, not " + typeName(value));
  return value.text();
}

}  // namespace minerva::text::jinja
