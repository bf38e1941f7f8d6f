"""The tools for agents: `execute(name, arguments)`, and the choice of tools that adapters hand on."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .check_arguments import findings_of
from .errors import ConfigurationError, InvalidArgumentsError, NotConfirmedError, ServiceError
from .session import ClientOptions, Session

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Asked before a tool that spends is called, with its name and arguments; anything but True refuses.
Confirm = Callable[[str, dict[str, Any]], bool | Awaitable[bool]]


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Any]:
    """The content of `tools.json`: what each tool is for, what it takes, and its request."""
    text = pkgutil.get_data(__package__, "tools.json")
    if text is None:
        raise ConfigurationError("tools.json is missing.", hint="Install the package again.")
    found: dict[str, Any] = json.loads(text)
    return found


@lru_cache(maxsize=16)
def _shared_session(
    base_url: str | None, api_key: str | None, environment: tuple[str | None, ...]
) -> Session:
    return Session(base_url, api_key)


def _session(client: Session | None, options: ClientOptions) -> Session:
    if client is not None:
        if options:
            raise ConfigurationError("Give either a client or the options of one.")
        return client
    if set(options) - {"base_url", "api_key"}:
        return Session(**options)
    import os

    environment = (os.environ.get("SERVICE_URL"), os.environ.get("SERVICE_API_KEY"))
    return _shared_session(options.get("base_url"), options.get("api_key"), environment)


def _tool(name: str) -> dict[str, Any]:
    tools: list[dict[str, Any]] = catalogue()["tools"]
    for tool in tools:
        if tool["name"] == name:
            return tool
    known = ", ".join(tool["name"] for tool in tools)
    raise InvalidArgumentsError(
        f"There is no tool {name!r}; there are {known}.", code="unknown_tool"
    )


def _given(tool: dict[str, Any], arguments: Any) -> dict[str, Any]:
    """The arguments, checked. Models write null for what they leave out, so it counts as left out."""
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, Mapping) or not all(isinstance(name, str) for name in arguments):
        raise InvalidArgumentsError(f"The arguments of {tool['name']} must be an object.")
    given = {name: value for name, value in arguments.items() if value is not None}
    findings = findings_of(tool["parameters"], tool["also_accepts"], given)
    if findings:
        text = " ".join(finding["detail"] for finding in findings[:5])
        raise InvalidArgumentsError(f"{tool['name']}: {text}", problem={"errors": findings})
    return given


def _request(tool: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """What is sent, in the words of `Session.json`."""
    http = tool["http"]
    request: dict[str, Any] = {"params": {}, "query": {}, "headers": {}}
    body: dict[str, Any] = {}
    for name, value in given.items():
        if name in http["path_params"]:
            request["params"][name] = value
        elif name in http["query"]:
            request["query"][name] = value
        elif name == "idempotency_key":
            request["idempotency_key"] = value
        elif name in http["headers"]:
            request["headers"][http["headers"][name]] = value
        else:
            body[name] = value
    request["body"] = None if http["method"] == "GET" else body
    return {
        "method": http["method"],
        "path": http["path"],
        "keyed": tool["idempotent"],
        "reads": tool["read_only"],
        "awaits_writes": tool["awaits_writes"],
        **request,
    }


_ENDPOINT = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) (/[\w{}/-]+)(?![\w?/{}-])", re.ASCII)


def _tool_name(named: re.Match[str]) -> str:
    for tool in catalogue()["tools"]:
        http = tool["http"]
        path = re.sub(r"\{\w+\}", "[^/]+", http["path"])
        if http["method"] == named[1] and re.fullmatch(path, named[2]):
            name: str = tool["name"]
            return name
    return named[0]


def _failure(error: ServiceError) -> dict[str, Any]:
    """The error as data. Refusals name operations by method and path; an agent has tools with names of their own."""
    data = error.as_data()
    told = data["error"]
    findings = [dict(finding) for finding in told.get("errors", [])]
    for sentences in [told, *findings]:
        for member in ("detail", "hint"):
            if isinstance(sentences.get(member), str):
                sentences[member] = _ENDPOINT.sub(_tool_name, sentences[member])
    if findings:
        told["errors"] = findings
    return data


def execute(
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    client: Session | None = None,
    **options: Unpack[ClientOptions],
) -> dict[str, Any]:
    """Calls a tool. What goes wrong is an answer as well, for a model to read: `{"error": {...}}`.

    `options` are those of `Client`; key and address come from `SERVICE_API_KEY` and `SERVICE_URL`.
    """
    try:
        tool = _tool(name)
        request = _request(tool, _given(tool, arguments))
        answer: dict[str, Any] = _session(client, options).json(**request)
        return answer
    except ServiceError as error:
        return _failure(error)


class Tool:
    """One tool, ready to be called, as adapters hand it to their frameworks."""

    def __init__(self, entry: dict[str, Any], session: Session, confirm: Confirm | None) -> None:
        self.name: str = entry["name"]
        self.title: str = entry["title"]
        self.description: str = entry["description"]
        # JSON Schema of the arguments: one flat object, a copy of the caller's own.
        self.parameters: dict[str, Any] = json.loads(json.dumps(entry["parameters"]))
        self.read_only: bool = entry["read_only"]
        # It spends money or destroys something: `confirm` is asked first.
        self.destructive: bool = entry["destructive"]
        self._entry = entry
        self._session = session
        self._confirm = confirm if self.destructive else None

    def call(self, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer, or `{"error": {...}}`."""
        try:
            given = _given(self._entry, arguments)
            if self._confirm is not None:
                _check(self.name, _settled(self._confirm, self.name, given))
            return self._send(given)
        except ServiceError as error:
            return _failure(error)

    async def acall(self, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """As `call`, without holding up the event loop."""
        from .awaiting import in_thread

        try:
            given = _given(self._entry, arguments)
            if self._confirm is not None:
                _check(self.name, await _asked(self._confirm, self.name, given))
            return await in_thread(self._send, given)
        except ServiceError as error:
            return _failure(error)

    def _send(self, given: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self._session.json(**_request(self._entry, given))
        return answer

    def call_text(self, arguments: Mapping[str, Any] | None = None) -> str:
        """As `call`, as JSON text."""
        return json.dumps(self.call(arguments), ensure_ascii=False)

    async def acall_text(self, arguments: Mapping[str, Any] | None = None) -> str:
        """As `acall`, as JSON text."""
        return json.dumps(await self.acall(arguments), ensure_ascii=False)


def _check(name: str, confirmed: object) -> None:
    if confirmed is not True:
        raise NotConfirmedError(f"{name} was not confirmed.")


async def _asked(confirm: Confirm, name: str, given: dict[str, Any]) -> object:
    """What the hook says; where it breaks, nothing was confirmed."""
    import copy
    import inspect

    try:
        answer = confirm(name, copy.deepcopy(given))
        return await answer if inspect.isawaitable(answer) else answer
    except Exception as error:
        raise NotConfirmedError(f"{name} was not confirmed: the hook failed ({error}).") from error


def _settled(confirm: Confirm, name: str, given: dict[str, Any]) -> object:
    """What the hook says, also an asynchronous one, from code that cannot wait for it."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    # A thread of its own: this one may have an event loop that runs.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(_asked(confirm, name, given))).result()


class ToolChoice(ClientOptions, total=False):
    """Which tools an agent gets, and who is asked."""

    # Names of the tools to have; absent: all.
    only: Iterable[str] | None
    # Names of tools not to have.
    exclude: Iterable[str]
    # Only tools that change nothing.
    read_only: bool
    # Asked before each call of a tool that spends or destroys.
    confirm: Confirm | None
    # In place of the options of one.
    client: Session | None


def select_tools(
    *,
    only: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
    read_only: bool = False,
    confirm: Confirm | None = None,
    client: Session | None = None,
    **options: Unpack[ClientOptions],
) -> list[Tool]:
    """The tools to hand to an agent, as `ToolChoice` says. Raises InvalidArgumentsError for a name that is no tool."""
    wanted = None if only is None else _names(only)
    unwanted = _names(exclude)
    session = _session(client, options)
    return [
        Tool(entry, session, confirm)
        for entry in catalogue()["tools"]
        if (wanted is None or entry["name"] in wanted)
        and entry["name"] not in unwanted
        and (entry["read_only"] or not read_only)
    ]


def _names(names: Iterable[str]) -> set[str]:
    """The names, each of which is a tool's."""
    given = [names] if isinstance(names, str) else list(names)
    return {_tool(name)["name"] for name in given}
