# Writes units.jsonl and chats.jsonl: our own templates with the output of Jinja, configured as in Transformers.
# Needs jinja2. Run in this folder: python3 make.py. The time is fixed.
import datetime, json, os
import jinja2, jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

here = os.path.dirname(os.path.abspath(__file__))
clock = datetime.datetime(2026, 7, 26, 12, 34, 56)


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("run"), [], [], body).set_lineno(line)

    def run(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
env.filters["tojson"] = tojson
env.filters["fromjson"] = json.loads  # not in Jinja or Transformers, but templates expect it
env.globals["raise_exception"] = raise_exception
env.globals["strftime_now"] = clock.strftime


def render(source, variables):
    try:
        return env.from_string(source).render(**variables)
    except Exception as error:
        return {"error": str(error), "type": type(error).__name__}


variables = json.load(open(os.path.join(here, "variables.json")))
with open(os.path.join(here, "units.jsonl"), "w") as out:
    for number, block in enumerate(open(os.path.join(here, "units.txt")).read().split("\n----\n")):
        group = "unit"
        row = {"id": f"own-{number}", "group": group, "template": block, "vars": "common",
               "expected": render(block, dict(variables, messages=[], tools=None, documents=None, add_generation_prompt=False))}
        out.write(json.dumps(row, ensure_ascii=False) + "\n")

requests = json.load(open(os.path.join(here, "requests.json")))
with open(os.path.join(here, "chats.jsonl"), "w") as out:
    for name in sorted(f[:-6] for f in os.listdir(here) if f.endswith(".jinja")):
        for ident, request in requests.items():
            values = {"messages": request["messages"], "tools": request.get("tools"), "documents": request.get("documents"),
                      "add_generation_prompt": request.get("add_generation_prompt", False), **request.get("variables", {})}
            source = open(os.path.join(here, name + ".jinja")).read()
            row = {"template": name, "id": ident, "request": request, "expected": render(source, values)}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
