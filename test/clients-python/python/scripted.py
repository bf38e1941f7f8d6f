"""A server that answers as a test says, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from letters_client import Client


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Scripted:
    """Each answer is `(status, headers, body)` or a function of the handler; the last one is repeated."""

    def __init__(self, *answers: Any) -> None:
        self.asked: list[Asked] = []
        self.slept: list[float] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append(Asked(self.command, self.path, headers, body))
                chosen = answers[min(len(outer.asked), len(answers)) - 1]
                if isinstance(chosen, Callable):
                    chosen(self)
                    return
                status, more, content = chosen
                payload = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(payload)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def client(self, **options: Any) -> Client:
        return Client(self.url, "svc_test_key", **{"sleep": self.slept.append, **options})

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


def problem(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> Any:
    body = {
        "status": status,
        "code": code,
        "detail": f"It is {code}.",
        "request_id": "req_1",
        **more,
    }
    return (status, headers or {}, body)


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Obeys, and answers nothing."""
    handler.close_connection = True
