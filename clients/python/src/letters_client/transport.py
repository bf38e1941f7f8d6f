"""One HTTP request over the standard library: no redirects, a limit on time and size, typed errors."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from typing import IO, Any, NamedTuple, NoReturn

from .errors import InvalidAnswerError, TimedOutError, UnreachableError

MAX_ANSWER_BYTES = 64 * 1024 * 1024


class Request(NamedTuple):
    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None
    # Seconds for the whole of it: to connect, to send and to read the answer.
    timeout: float

    def __repr__(self) -> str:
        """Without the key and the letter: logs and reports of errors show what this returns."""
        return f"Request({self.method} {self.url.partition('?')[0]})"


class Answer(NamedTuple):
    status: int
    # Names in lower case.
    headers: dict[str, str]
    body: bytes


# How requests are sent. Raises UnreachableError, TimedOutError or InvalidAnswerError.
Transport = Callable[[Request], Answer]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        return None


class _Deadline:
    """Ends the connection when the time is up, however slowly bytes trickle in."""

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self.connected = False
        self._ends_at = time.monotonic() + seconds
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def left(self) -> float:
        return max(0.001, self._ends_at - time.monotonic())

    def watch(self, connected: socket.socket) -> None:
        self.connected = True
        self._socket = connected
        if self.passed:
            self._end()

    def _end(self) -> None:
        self.passed = True
        if self._socket is None:
            return
        try:
            # Of a TLS socket too, whose own shutdown is not for other threads.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass


def _watched(kind: type[http.client.HTTPConnection], deadline: _Deadline) -> Callable[..., Any]:
    class Watched(kind):  # type: ignore[misc, valid-type]
        def connect(self) -> None:
            super().connect()
            deadline.watch(self.sock)

        def request(self, *args: Any, **more: Any) -> None:
            try:
                super().request(*args, **more)
            except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                # The service may have refused the request by its headers. Its answer is read next.
                if not deadline.connected:
                    raise

    return Watched


def _opener(deadline: _Deadline) -> urllib.request.OpenerDirector:
    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(_watched(http.client.HTTPConnection, deadline), req)

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(_watched(http.client.HTTPSConnection, deadline), req)

    return urllib.request.build_opener(_NoRedirects, Http, Https)


def _read(response: IO[bytes], headers: dict[str, str], deadline: _Deadline) -> bytes:
    body = response.read(MAX_ANSWER_BYTES + 1)
    if len(body) > MAX_ANSWER_BYTES:
        raise InvalidAnswerError(f"The answer has more than {MAX_ANSWER_BYTES} bytes.")
    promised = headers.get("content-length", "")
    cut_off = promised.isdigit() and len(body) < int(promised)
    # A limited read does not say by itself that the connection ended early.
    if deadline.passed or cut_off:
        raise http.client.IncompleteRead(body)
    return body


def _fail(request: Request, deadline: _Deadline, error: Exception) -> NoReturn:
    host = urllib.request.Request(request.url).host
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if deadline.passed or isinstance(reason, TimeoutError):
        text = f"{host} did not answer within {request.timeout:g} seconds."
        raise TimedOutError(text, sent=deadline.connected) from error
    text = f"{host} cannot be reached: {str(reason) or type(reason).__name__}."
    raise UnreachableError(text, sent=deadline.connected) from error


def send(request: Request) -> Answer:
    """Sends it once. Proxies are those of the environment, as with `urllib`."""
    with _Deadline(request.timeout) as deadline:
        asked = urllib.request.Request(
            request.url, data=request.body, headers=request.headers, method=request.method
        )
        try:
            try:
                response = _opener(deadline).open(asked, timeout=deadline.left())
            except urllib.error.HTTPError as refused:
                response = refused
            with response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status or 0, headers, _read(response, headers, deadline))
        except (OSError, http.client.HTTPException, ValueError) as error:
            _fail(request, deadline, error)
