"""A stand-in for the daemon that starts in a blink: lock, daemon.json, health, and an echo on the other doors.

It is put into a MISSION_HOME as the package `mission`, where `python -m mission up` finds it before ours.
standin.json there says how it should behave; `starts` and environment.json there say what it saw.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mission import __version__

HOME = Path(os.environ["MISSION_HOME"])
BEHAVIOUR = json.loads((HOME / "standin.json").read_text()) if (HOME / "standin.json").exists() else {}
VERSION = BEHAVIOUR.get("version", __version__)


class Doors(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        executions = BEHAVIOUR.get("executions", 0)
        self._answer(200, {"status": "ok", "version": VERSION, "pid": os.getpid(), "executions": executions})

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith("/api/tools/refuse"):
            error = {"code": "INVALID_INPUT", "message": "no", "hint": "try yes", "details": {"field": "x"}}
            return self._answer(400, {"error": error})
        if self.path.startswith("/api/tools/"):
            return self._answer(200, {"path": self.path, "sent": sent, "key": self.headers["Idempotency-Key"]})
        if BEHAVIOUR.get("die_when_called"):
            os._exit(9)
        if "answer" in BEHAVIOUR:
            return self._answer(*BEHAVIOUR["answer"])
        self._answer(200, {"jsonrpc": "2.0", "id": sent.get("id"), "result": {"pid": os.getpid()}})

    def _answer(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        return None


def main() -> None:
    lock = os.open(HOME / "daemon.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("a daemon runs already")
    with (HOME / "starts").open("a") as file:
        file.write(f"{os.getpid()}\n")
    seen = {"environment": dict(os.environ), "directory": str(Path.cwd()), "arguments": sys.argv[1:]}
    (HOME / "environment.json").write_text(json.dumps(seen))
    if "die" in BEHAVIOUR:
        sys.exit(BEHAVIOUR["die"])
    time.sleep(BEHAVIOUR.get("start_seconds", 0))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("MISSION_PORT", "0"))), Doors)
    server.daemon_threads = True
    found = {"url": f"http://127.0.0.1:{server.server_port}", "token": "t", "pid": os.getpid(), "version": VERSION}
    (HOME / "daemon.json.new").write_text(json.dumps(found))
    (HOME / "daemon.json.new").replace(HOME / "daemon.json")
    try:
        server.serve_forever()
    finally:
        (HOME / "daemon.json").unlink()


if __name__ == "__main__":
    main()
