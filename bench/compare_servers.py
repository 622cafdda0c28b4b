#!/usr/bin/env python3
"""Compares the answers of two servers with OpenAI's interface to the same requests, field by field.

    bench/compare_servers.py OURS PEER [--model NAME] [--vectors]

OURS and PEER are addresses such as http://127.0.0.1:8080, of servers with the same model. Prints a Markdown table of the fields that only
the peer has, and of those whose values differ where greedy replies should agree. --vectors: the model makes vectors of texts.
"""
import argparse
import json
import urllib.error
import urllib.request

MESSAGES = [{"role": "user", "content": "Name three colours."}]
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Weather of a city", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
GREEDY = {"temperature": 0, "max_tokens": 12}
WRITES = [
    ("GET /v1/models", None),
    ("GET /health", None),
    ("POST /v1/chat/completions", {"messages": MESSAGES, **GREEDY}),
    ("POST /v1/chat/completions", {"messages": MESSAGES, **GREEDY, "stream": True}),
    ("POST /v1/chat/completions", {"messages": MESSAGES, **GREEDY, "stream": True, "stream_options": {"include_usage": True}}),
    ("POST /v1/chat/completions", {"messages": MESSAGES, **GREEDY, "logprobs": True, "top_logprobs": 2}),
    ("POST /v1/chat/completions", {"messages": MESSAGES, **GREEDY, "n": 2}),
    ("POST /v1/chat/completions", {"messages": MESSAGES, **GREEDY, "tools": TOOLS}),
    ("POST /v1/chat/completions", {"messages": MESSAGES, **GREEDY, "response_format": {"type": "json_object"}}),
    ("POST /v1/completions", {"prompt": "Once upon a time", **GREEDY}),
    ("POST /v1/completions", {"prompt": "Once upon a time", **GREEDY, "stream": True}),
    ("POST /v1/completions", {"prompt": "Once upon a time", **GREEDY, "logprobs": 2}),
    ("POST /v1/completions", {"prompt": "Once upon a time", **GREEDY, "stop": [" "]}),
    ("POST /v1/responses", {"input": "Name three colours.", "temperature": 0, "max_output_tokens": 12}),
    ("POST /v1/responses", {"input": "Name three colours.", "temperature": 0, "max_output_tokens": 12, "stream": True}),
    ("POST /v1/chat/completions", {"messages": "wrong"}),
    ("POST /v1/chat/completions", {"messages": MESSAGES, "max_tokens": "many"}),
    ("POST /v1/nothing", {}),
]
VECTORS = [
    ("GET /v1/models", None),
    ("POST /v1/embeddings", {"input": ["the house", "the river"]}),
    ("POST /v1/embeddings", {"input": "the house", "encoding_format": "base64"}),
]
# Different in every reply, or of the machine.
VARIES = ("id", "created", "created_at", "completed_at", "system_fingerprint", "model", "item_id", "call_id", "message")


def ask(url, request, body, model):
    method, path = request.split()
    if body is not None and model:
        body = {"model": model, **body}
    data = None if body is None else json.dumps(body).encode()
    sent = urllib.request.Request(url + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(sent, timeout=300) as reply:
            return reply.status, reply.headers, reply.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, refused.read().decode()


def objects(text):
    """Of a body, or of the events of a stream."""
    if not text.startswith(("data:", "event:")):
        return [json.loads(text)] if text else []
    data = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(one) for one in data if one != "[DONE]"]


def flatten(value, path, into):
    if isinstance(value, dict):
        for name, member in value.items():
            flatten(member, f"{path}.{name}" if path else name, into)
    elif isinstance(value, list):
        into.setdefault(path + "[]", []).append(len(value))
        for member in value:
            flatten(member, path + "[]", into)
    else:
        into.setdefault(path, []).append(value)


def fields(text):
    into = {}
    for one in objects(text):
        flatten(one, one.get("type", "") if isinstance(one.get("type"), str) and "." in one["type"] else "", into)
    return into


def is_comparable(path):
    parts = path.replace("[]", "").split(".")
    return not any(part in VARIES or part.endswith(("_ms", "_per_second")) or part in ("timings", "meta") for part in parts)


def joined(values):
    """A streamed text is the same, however it is cut."""
    texts = [value for value in values if isinstance(value, str)]
    return "".join(texts) if texts else sorted({json.dumps(value) for value in values})


def row(cells):
    print("| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", "\\n") for cell in cells) + " |")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("ours")
    options.add_argument("peer")
    options.add_argument("--model", default="")
    options.add_argument("--vectors", action="store_true")
    given = options.parse_args()
    row(["request", "what", "field", "ours", "peer"])
    row(["---"] * 5)
    for request, body in VECTORS if given.vectors else WRITES:
        name = request + " " + ", ".join(key for key in body or {} if key not in ("messages", "prompt", "temperature", "max_tokens", "input"))
        (our_status, our_headers, our_text), (status, headers, text) = (ask(url, request, body, given.model) for url in (given.ours, given.peer))
        if our_status != status:
            row([name, "status", "", our_status, status])
        ours, peers = fields(our_text), fields(text)
        for path in peers:
            if path not in ours:
                row([name, "only the peer has it", path, "", str(peers[path][0])[:60]])
            elif is_comparable(path) and joined(ours[path]) != joined(peers[path]):
                row([name, "differs", path, str(joined(ours[path]))[:80], str(joined(peers[path]))[:80]])
        mine = [path for path in ours if path not in peers]
        if mine:
            row([name, "only we have it", ", ".join(mine)[:300], "", ""])


main()
