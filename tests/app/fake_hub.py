"""A fake hub on the loopback interface that behaves like the real one: an API, a resolve URL that redirects to a signed link on a
second host, ranges, gated models, expiring links. It misbehaves as configured: lost connections, delays, wrong bytes, refusals.

    fake_hub.py SCENARIO.json     prints "http://127.0.0.1:PORT" and serves until its standard input closes
    GET /control/stats            returns the requests received, and the body bytes sent per file

SCENARIO: {"rate": bytes/s per connection, "link_seconds": 3600, "page": 1000, "random_faults": 0.0, "seed": 1, "token": "hf_x",
           "repositories": {"org/repo": {"tags": [], "gated": false, "files": {"a.gguf": FILE}}}}
FILE: {"text": "..."} | {"path": "/local/file"} | {"size": N, "seed": S}, and "lfs": true, "faults": [...]: one per request, in order:
    "cut N", "status N [RETRY_AFTER]", "expired", "stall S", "ignore range", "wrong" (a byte differs), "short" (ends early, but cleanly);
    "always wrong", "always status N": every request from then on
"""
import hashlib, json, random, socket, sys, tempfile, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CHUNK = 64 * 1024


class HubFile:
    def __init__(self, spec, folder, name):
        self.lfs = spec.get("lfs", "size" in spec)
        self.faults = list(spec.get("faults", []))
        if "path" in spec:
            self.path = Path(spec["path"])
        else:
            self.path = Path(folder) / hashlib.sha1(name.encode()).hexdigest()
            with open(self.path, "wb") as out:
                if "text" in spec:
                    out.write(spec["text"].encode())
                else:
                    numbers, left = random.Random(spec.get("seed", 1)), spec["size"]
                    block = numbers.randbytes(1 << 20)
                    while left > 0:  # every megabyte is different
                        piece = (numbers.randbytes(1024) + block)[:min(left, 1 << 20)]
                        out.write(piece)
                        left -= len(piece)
        self.size = self.path.stat().st_size
        sha256, git = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % self.size)
        with open(self.path, "rb") as file:
            while piece := file.read(1 << 20):
                sha256.update(piece)
                git.update(piece)
        self.sha256, self.git = sha256.hexdigest(), git.hexdigest()
        self.sent = 0
        self.requests = 0

    def listed(self, name):
        entry = {"type": "file", "path": name, "size": self.size, "oid": self.git}
        if self.lfs:
            entry["lfs"] = {"oid": self.sha256, "size": self.size, "pointerSize": 134}
        return entry


class Hub:
    def __init__(self, scenario):
        self.scenario = scenario
        self.folder = tempfile.TemporaryDirectory(prefix="minerva-fake-hub-")
        self.random = random.Random(scenario.get("seed", 1))
        self.lock = threading.Lock()
        self.asked = []
        self.repositories = {
            name: dict(spec, files={path: HubFile(file, self.folder.name, name + path) for path, file in spec["files"].items()})
            for name, spec in scenario["repositories"].items()}
        self.pages = self.serve(PageHandler)
        self.blobs = self.serve(BlobHandler)
        self.url = "http://127.0.0.1:%d" % self.pages.server_address[1]

    def serve(self, handler):
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        server.hub = self
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def file(self, name):
        repository, path = name
        return self.repositories[repository]["files"].get(path) if repository in self.repositories else None

    def fault(self, file):
        with self.lock:
            file.requests += 1
            if file.faults:
                if file.faults[0].startswith("always "):
                    return file.faults[0][len("always "):]
                return file.faults.pop(0)
            if self.random.random() >= self.scenario.get("random_faults", 0):
                return ""
            return self.random.choice(["cut %d" % self.random.randrange(1, max(2, file.size)), "status 503", "status 429 0", "expired", "short"])

    def stats(self):
        return {"asked": self.asked,
                "files": {path: {"sent": file.sent, "requests": file.requests, "size": file.size, "sha256": file.sha256}
                          for spec in self.repositories.values() for path, file in spec["files"].items()}}

    def close(self):
        for server in (self.pages, self.blobs):
            server.shutdown()
            server.server_close()
        self.folder.cleanup()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0
    disable_nagle_algorithm = True  # headers and body are written apart: Nagle's algorithm would wait 40 ms between them

    def log_message(self, *arguments):
        pass

    def setup(self):
        # Bytes in the kernel's buffer count as sent even if the client dies before receiving them, so keep the buffer small.
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024)
        super().setup()

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_json(self, value, **headers):
        self.answer(200, json.dumps(value).encode(), Content_Type="application/json", **headers)

    def note(self, kind):
        with self.server.hub.lock:
            self.server.hub.asked.append({"kind": kind, "path": self.path, "range": self.headers.get("Range", ""),
                                          "token": self.headers.get("Authorization", ""), "agent": self.headers.get("User-Agent", "")})

    def cut(self):
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.close_connection = True

    def misbehaves(self, fault):
        """Returns True if a response was sent."""
        if fault.startswith("status"):
            words = fault.split()
            headers = {"Retry_After": words[2]} if len(words) > 2 else {}
            self.answer(int(words[1]), b"trouble", **headers)
            return True
        if fault.startswith("stall"):
            time.sleep(float(fault.split()[1]))
            self.cut()
            return True
        return False

    def send_file(self, file, fault, **headers):
        hub = self.server.hub
        first, last, wanted = 0, file.size - 1, self.headers.get("Range")
        if wanted and fault != "ignore range":
            begin, _, end = wanted.removeprefix("bytes=").partition("-")
            first, last = int(begin), min(int(end), last) if end else last
            if first >= file.size:
                return self.answer(416, b"", Content_Range="bytes */%d" % file.size)
        self.send_response(206 if wanted and fault != "ignore range" else 200)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if wanted and fault != "ignore range":
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, file.size))
        left = last - first + 1
        if fault == "short":
            self.close_connection = True
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(left))
        self.end_headers()
        stop_after = int(fault.split()[1]) if fault.startswith("cut") else left // 2 if fault == "short" else left
        begun, sent, rate = time.monotonic(), 0, hub.scenario.get("rate", 0)
        with open(file.path, "rb") as content:
            content.seek(first)
            while sent < min(left, stop_after):
                piece = bytearray(content.read(min(CHUNK, min(left, stop_after) - sent)))
                if fault == "wrong" and sent == 0 and piece:
                    piece[len(piece) // 2] ^= 0x20
                while piece:
                    try:
                        gone = self.request.send(piece)
                    except OSError:
                        self.close_connection = True
                        return
                    sent += gone
                    with hub.lock:
                        file.sent += gone
                    del piece[:gone]
                if rate:
                    time.sleep(max(0, begun + sent / rate - time.monotonic()))
        if stop_after < left:
            self.cut()


class PageHandler(Handler):
    """The hub itself."""

    def do_GET(self):
        hub, parts = self.server.hub, urlsplit(self.path)
        words = [unquote(word) for word in parts.path.split("/") if word]
        if words == ["control", "stats"]:
            return self.answer_json(hub.stats())
        self.note("hub")
        if words[:2] == ["api", "models"]:
            return self.search(parse_qs(parts.query)) if len(words) == 2 else self.api("/".join(words[2:4]), words[4:], parse_qs(parts.query))
        if len(words) > 4 and words[2] == "resolve":
            return self.resolve("/".join(words[:2]), "/".join(words[4:]))
        self.answer(404)

    def search(self, query):
        wanted = query.get("search", [""])[0].lower()
        fields = query.get("expand[]", ["tags", "downloads", "likes", "library_name", "pipeline_tag"])  # `gated` only if asked for
        known = lambda spec: {"tags": spec.get("tags", []), "downloads": spec.get("downloads", 10), "likes": 3,
                              "gated": spec.get("gated", False), "library_name": spec.get("library_name", "transformers")}
        self.answer_json([{"id": name} | {field: value for field, value in known(spec).items() if field in fields}
                          for name, spec in hub_sorted(self.server.hub) if wanted in name.lower()])

    def allowed(self, name):
        hub, spec = self.server.hub, self.server.hub.repositories.get(name)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token != hub.scenario.get("token", token):
            self.answer(401, X_Error_Message="Invalid credentials in Authorization header")
        elif spec is None:
            self.answer(404 if token else 401, X_Error_Code="RepoNotFound", X_Error_Message="Repository not found")
        elif spec.get("gated") and not (token and spec.get("granted")):
            self.answer(403 if token else 401, X_Error_Code="GatedRepo",
                        X_Error_Message="Access to model %s is restricted." % name)
        else:
            return True
        return False

    def api(self, name, rest, query):
        hub = self.server.hub
        if not rest or rest[0] == "revision":
            spec = hub.repositories.get(name)
            if spec is None:
                return self.allowed(name)
            if len(rest) > 1 and rest[1] not in ("main", COMMIT):
                return self.answer(404, X_Error_Code="RevisionNotFound")
            return self.answer_json({"id": name, "sha": COMMIT, "tags": spec.get("tags", []), "gated": spec.get("gated", False)})
        entries = [{"type": "directory", "path": "folder", "size": 0, "oid": "0" * 40}]
        entries += [file.listed(path) for path, file in hub.repositories[name]["files"].items()]
        page, first = hub.scenario.get("page", 1000), int(query.get("cursor", ["0"])[0])
        headers = {}
        if first + page < len(entries):
            headers["Link"] = '<%s%s?recursive=true&cursor=%d>; rel="next"' % (hub.url, urlsplit(self.path).path, first + page)
        self.answer_json(entries[first:first + page], **headers)

    def resolve(self, name, path):
        hub = self.server.hub
        if not self.allowed(name):
            return
        file = hub.file((name, path))
        if file is None:
            return self.answer(404, X_Error_Code="EntryNotFound", X_Error_Message="Entry not found")
        if not file.lfs:
            fault = hub.fault(file)
            return self.misbehaves(fault) or self.send_file(file, fault, ETag='"%s"' % file.git, X_Repo_Commit=COMMIT)
        runs_out = time.time() + hub.scenario.get("link_seconds", 3600)
        self.answer(302, b"Found. Redirecting", X_Linked_Size=str(file.size), X_Linked_Etag='"%s"' % file.sha256, X_Repo_Commit=COMMIT,
                    Location="http://127.0.0.1:%d/%s/%s?Expires=%f&Signature=abc~def" % (hub.blobs.server_address[1], name, path, runs_out))


def hub_sorted(hub):
    return sorted(hub.repositories.items(), key=lambda item: -item[1].get("downloads", 10))


class BlobHandler(Handler):
    """The host that stores the files; accepts signatures, but no tokens."""

    def do_GET(self):
        hub, parts = self.server.hub, urlsplit(self.path)
        self.note("blob")
        words = [unquote(word) for word in parts.path.split("/") if word]
        file, query = hub.file(("/".join(words[:2]), "/".join(words[2:]))), parse_qs(parts.query)
        if file is None or "Signature" not in query or self.headers.get("Authorization"):
            return self.answer(400)
        fault = hub.fault(file)
        if fault == "expired" or float(query["Expires"][0]) < time.time():
            return self.answer(403, b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
        if not self.misbehaves(fault):
            self.send_file(file, fault, ETag='"not-a-hash"')


if __name__ == "__main__":
    hub = Hub(json.loads(Path(sys.argv[1]).read_text()))
    print(hub.url, flush=True)
    sys.stdin.read()
