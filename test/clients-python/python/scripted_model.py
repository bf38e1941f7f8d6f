"""A model that calls one tool and is content with what it answers; it speaks both interfaces of OpenAI."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
TOKENS = {
    **{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    **{
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}
DONE = "It is priced."


class ScriptedModel:
    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        # What the tool answered, and which tools the model was offered.
        self.returned: list[str] = []
        self.offered: list[str] = []
        outer = self

        def in_chat(asked: dict[str, Any]) -> dict[str, Any]:
            outer.offered = [one["function"]["name"] for one in asked.get("tools", [])]
            found = [one["content"] for one in asked["messages"] if one["role"] == "tool"]
            outer.returned += [json.dumps(one) for one in found]
            function = {"name": tool, "arguments": json.dumps(arguments)}
            call = {
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
                "content": None,
            }
            message = {"role": "assistant", **({"content": DONE} if found else call)}
            reason = "stop" if found else "tool_calls"
            choice = {"index": 0, "message": message, "finish_reason": reason}
            made = {"id": "m1", "object": "chat.completion", "created": 1, "model": asked["model"]}
            return {**made, "choices": [choice], "usage": USAGE}

        def in_responses(asked: dict[str, Any]) -> dict[str, Any]:
            outer.offered = [one["name"] for one in asked["tools"]]
            given = asked["input"] if isinstance(asked["input"], list) else []
            found = [one["output"] for one in given if one.get("type") == "function_call_output"]
            outer.returned += [json.dumps(one) for one in found]
            text = {"type": "output_text", "text": DONE, "annotations": []}
            message = {
                "type": "message",
                "id": "o1",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
            call = {
                "type": "function_call",
                "id": "f1",
                "call_id": "c1",
                "name": tool,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
            made = {
                "id": "r1",
                "object": "response",
                "created_at": 1,
                "model": asked["model"],
                "status": "completed",
            }
            more = {
                "parallel_tool_calls": False,
                "tool_choice": "auto",
                "tools": [],
                "usage": TOKENS,
            }
            return {**made, **more, "output": [message if found else call]}

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                answer = in_responses if self.path.endswith("/responses") else in_chat
                payload = json.dumps(answer(asked)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
