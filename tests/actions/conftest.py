"""GitHub as the Action meets it: its REST API on loopback, and a runner that executes the steps of `action.yml`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

REPOSITORY = "octo/ferry"
BOT = "github-actions[bot]"
LARGEST = 65_536


@dataclass
class Fault:
    """What goes wrong with the next `times` requests that match; `done`: GitHub does what is asked and fails then."""

    method: str
    path: str
    status: int
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    done: bool = False


class Hub:
    """A repository's issues, comments and pull requests, and who may do what with them."""

    def __init__(self) -> None:
        self.tokens: dict[str, tuple[str, bool]] = {"writer": (BOT, True), "reader": (BOT, False)}
        self.comments: list[dict[str, Any]] = []
        self.pulls: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str]] = []
        self.largest = LARGEST
        self.graphql = True
        self.users = True
        self.gathering: threading.Barrier | None = None
        self.lock = threading.RLock()
        self._number = 1000
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def _any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, headers, answer = hub.answer(self.command, self.path, self.headers, body)
                data = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_DELETE = _any

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def add(self, body: str, login: str = BOT, number: int = 7) -> dict[str, Any]:
        """Add a comment."""
        with self.lock:
            self._number += 1
            made = {"id": self._number, "body": body, "issue": number, "user": {"login": login, "id": 1, "type": "Bot"}}
            made["url"] = f"{self.address}/repos/{REPOSITORY}/issues/comments/{self._number}"
            self.comments.append(made)
            return made

    def by_bot(self) -> list[str]:
        """The texts of the bot's comments."""
        return [comment["body"] for comment in self.comments if comment["user"]["login"] == BOT]

    def answer(self, method: str, target: str, headers: Any, body: bytes) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON of one request."""
        parts = urlsplit(target)
        path, query = parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}
        with self.lock:
            self.requests.append((method, target))
            fault = next((f for f in self.faults if f.method == method and re.search(f.path, path) and f.times), None)
            if fault:
                fault.times -= 1
        if fault and not fault.done:
            return fault.status, fault.headers, {"message": fault.message}
        token = (headers.get("Authorization") or " ").split(" ")[-1]
        if token not in self.tokens:
            return 401, {}, {"message": "Bad credentials"}
        login, writes = self.tokens[token]
        answer = self._route(method, path, query, json.loads(body or b"{}"), login, writes)
        return (fault.status, fault.headers, {"message": fault.message}) if fault else answer

    def _route(
        self, method: str, path: str, query: dict[str, str], data: dict[str, Any], login: str, writes: bool
    ) -> tuple[int, dict[str, str], Any]:
        if path in ("/graphql", "/user"):
            return self._who(path, login)
        base = f"/repos/{REPOSITORY}"
        if method == "GET" and path == f"{base}/pulls":
            found = [p for p in self.pulls if p["state"] == query.get("state") and p["label"] == query.get("head")]
            return self._page(found, path, query)
        if match := re.fullmatch(rf"{base}/issues/(\d+)", path):
            return 200, {}, {"number": int(match[1]), "url": f"{self.address}{path}"}
        if match := re.fullmatch(rf"{base}/issues/(\d+)/comments", path):
            number = int(match[1])
            if method == "GET":
                with self.lock:
                    page = self._page([c for c in self.comments if c["issue"] == number], path, query)
                if self.gathering is not None and "page" not in query:
                    self.gathering.wait(20)
                return page
            return self._refused(writes, data) or (201, {}, self.add(data["body"], login, number))
        if match := re.fullmatch(rf"{base}/issues/comments/(\d+)", path):
            return self._change(method, int(match[1]), data, writes)
        return 404, {}, {"message": "Not Found"}

    def _who(self, path: str, login: str) -> tuple[int, dict[str, str], Any]:
        if path == "/graphql" and self.graphql:
            return 200, {}, {"data": {"viewer": {"login": login}}}
        if path == "/user" and self.users and not login.endswith("[bot]"):
            return 200, {}, {"login": login, "url": f"{self.address}/users/{login}"}
        return 403, {}, {"message": "Resource not accessible by integration"}

    def _change(self, method: str, number: int, data: dict[str, Any], writes: bool) -> tuple[int, dict[str, str], Any]:
        with self.lock:
            comment = next((comment for comment in self.comments if comment["id"] == number), None)
            if comment is None:
                return 404, {}, {"message": "Not Found"}
            if refused := self._refused(writes, data):
                return refused
            if method == "DELETE":
                self.comments.remove(comment)
                return 204, {}, None
            comment["body"] = data["body"]
            return 200, {}, comment

    def _refused(self, writes: bool, data: dict[str, Any]) -> tuple[int, dict[str, str], Any] | None:
        if not writes:
            return 403, {}, {"message": "Resource not accessible by integration"}
        if len(data.get("body", "")) > self.largest:
            return 422, {}, {"message": f"Validation Failed: body is too long (maximum is {self.largest} characters)"}
        return None

    def _page(self, rows: list[Any], path: str, query: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        size, number = min(int(query.get("per_page", 30)), 30), int(query.get("page", 1))
        links = {}
        if number * size < len(rows):
            link = f"{self.address}{path}?per_page={size}&page={{}}"
            links["Link"] = (
                f'<{link.format(number + 1)}>; rel="next", <{link.format(len(rows) // size + 1)}>; rel="last"'
            )
        return 200, links, rows[(number - 1) * size : number * size]


@pytest.fixture
def hub() -> Iterator[Hub]:
    """GitHub's API, for the length of a test."""
    made = Hub()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def fault() -> type[Fault]:
    """Makes a fault."""
    return Fault


@dataclass
class Done:
    """What is left of a run of the Action. `commands`: those of its log that the runner obeyed."""

    status: int
    log: str
    commands: list[tuple[str, dict[str, str], str]]
    summary: str
    outputs: dict[str, str]

    def annotations(self, level: str) -> list[str]:
        """The texts of the annotations of one level."""
        return [data for name, _, data in self.commands if name == level]


_COMMAND = re.compile(r"::([\w-]+)(?: ([^:]*))?::(.*)")
_OLD_COMMAND = re.compile(r"##\[([\w-]+)\s?([^\]]*)\](.*)")
_KNOWN = {"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "set-output", "add-matcher", "echo"}


def obeyed(log: str) -> list[tuple[str, dict[str, str], str]]:
    """The workflow commands that GitHub's runner obeys in a log, stopped ones left out."""
    found = []
    stopped = None
    for line in log.splitlines():
        match = _COMMAND.fullmatch(line.lstrip())
        if stopped is not None:
            stopped = None if match and match[1] == stopped else stopped
            continue
        if match and match[1] == "stop-commands":
            stopped = match[3]
            continue
        if not (match and match[1] in _KNOWN):
            match = _OLD_COMMAND.search(line)
        if match and match[1] in _KNOWN:
            pairs = dict(pair.split("=", 1) for pair in (match[2] or "").split(",") if "=" in pair)
            found.append((match[1], {k: _plain(v, ":,") for k, v in pairs.items()}, _plain(match[3], "")))
    assert stopped is None, "commands were stopped and never let through again"
    return found


def _plain(text: str, more: str) -> str:
    for char in ("\r", "\n", *more, "%"):
        text = text.replace(f"%{ord(char):02X}", char)
    return text


def read_outputs(text: str) -> dict[str, str]:
    """A file of outputs as the runner reads it."""
    found = {}
    lines = iter(text.split("\n"))
    for line in lines:
        name, heredoc, mark = line.partition("<<")
        if not heredoc or "=" in name:
            name, _, value_alone = line.partition("=")
            found.update({name: value_alone} if name else {})
            continue
        value = []
        for inner in lines:
            if inner == mark:
                break
            value.append(inner)
        else:
            raise AssertionError(f"the output {name} never ends")
        found[name] = "\n".join(value)
    return found


@pytest.fixture(scope="session")
def action_copy(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean copy of what the repository holds, where the runner would put the Action."""
    if not (root / ".git").exists():
        pytest.skip("needs the project's own git checkout")
    copy = tmp_path_factory.mktemp("actions") / "spexsearch"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=root, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (root / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, copy / name)
    return copy


class Action:
    """Executes the steps of `action.yml` as GitHub's runner does: expressions, environment, shell, files."""

    def __init__(self, copy: Path, temp: Path) -> None:
        self.copy = copy
        self.temp = temp
        self.definition = yaml.safe_load((copy / "action.yml").read_text(encoding="utf-8"))
        self.steps = {step["id"]: step for step in self.definition["runs"]["steps"]}
        self.outputs: dict[str, dict[str, str]] = {"python": {"python-path": sys.executable}}

    def step(
        self, name: str, given: dict[str, str], environ: dict[str, str], workspace: Path
    ) -> subprocess.CompletedProcess[bytes]:
        """Execute one `run:` step; its outputs are kept."""
        step = self.steps[name]
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        temp = Path(environ["RUNNER_TEMP"])
        script, output = temp / f"{name}.sh", temp / f"{name}.outputs"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        inputs = {key: str(about.get("default", "")) for key, about in self.definition["inputs"].items()} | given
        env = {key: self.evaluated(str(value), inputs) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=workspace,
            env=environ | env | {"GITHUB_OUTPUT": str(output), "GITHUB_ACTION_PATH": str(self.copy)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self.outputs[name] = read_outputs(output.read_text(encoding="utf-8"))
        return done

    def evaluated(self, text: str, inputs: dict[str, str]) -> str:
        """The text with its expressions replaced."""

        def value(match: re.Match[str]) -> str:
            expression = match[1]
            if expression == "github.token":
                return "writer"
            if expression.startswith("inputs."):
                return self.evaluated(inputs[expression.removeprefix("inputs.")], inputs)
            steps, name, outputs, key = expression.split(".")
            assert (steps, outputs) == ("steps", "outputs")
            return self.outputs[name].get(key, "")

        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", value, text)


@pytest.fixture(scope="session")
def action(action_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Action:
    """The Action, installed as its own step does it. Without a registry in reach: from this very environment."""
    if sys.platform == "win32":
        pytest.skip("needs the runner's bash, which is not the one on the PATH there")
    temp = tmp_path_factory.mktemp("runner")
    made = Action(action_copy, temp)
    environ = {"PATH": os.environ["PATH"], "HOME": str(temp), "RUNNER_TEMP": str(temp)}
    environ |= {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name == "SYSTEMROOT"}
    workspace = tmp_path_factory.mktemp("hostile")
    for name in ("venv.py", "pip.py", "yaml.py", "sitecustomize.py"):
        (workspace / name).write_text("raise SystemExit('a module of the checkout was run')\n", encoding="utf-8")
    done = made.step("install", {}, environ | {"PYTHONPATH": str(workspace)}, workspace)
    if done.returncode and re.search(rb"No matching distribution|Connection|Could not fetch URL", done.stdout):
        made.outputs["install"] = {"bin": str(Path(sys.executable).parent)}
    else:
        assert done.returncode == 0, done.stdout.decode()
    return made


@pytest.fixture
def act(action: Action, hub: Hub, tmp_path: Path) -> Callable[..., Done]:
    """Run the Action on an event in a workspace: `act(repo, event name, payload, input=..., env={...})`."""
    count = 0

    def run(workspace: Any, event: str, payload: Any, *, env: dict[str, str] | None = None, **given: str) -> Done:
        nonlocal count
        count += 1
        temp = tmp_path / f"temp{count}"
        temp.mkdir()
        file, summary = temp / "event.json", temp / "summary.md"
        file.write_text(payload if isinstance(payload, str) else json.dumps(payload), encoding="utf-8")
        summary.write_text("", encoding="utf-8")
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "PYTHON"))}
        environ |= {
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            "GITHUB_WORKSPACE": str(workspace.path),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_API_URL": hub.address,
            "GITHUB_RUN_ID": str(100 + count),
            "GITHUB_SHA": workspace.git("rev-parse", "HEAD", check=False).strip() if hasattr(workspace, "git") else "",
            "RUNNER_TEMP": str(temp),
        }
        inputs = {name.replace("_", "-"): value for name, value in given.items()}
        done = action.step("judge", inputs, environ | (env or {}), workspace.path)
        log = done.stdout.decode("utf-8", "replace")
        return Done(
            done.returncode, log, obeyed(log), summary.read_text(encoding="utf-8"), dict(action.outputs["judge"])
        )

    return run


@dataclass
class Pull:
    """A pull request in a repository: its merge commit is checked out, as GitHub does it."""

    repo: Any
    number: int
    base: str
    head: str
    merge: str

    def event(self, **given: Any) -> dict[str, Any]:
        """The event; what is given takes the place of what is plain, in `pull_request`."""
        pull = {
            "number": self.number,
            "body": None,
            "head": {"sha": self.head, "ref": "topic", "repo": {"full_name": REPOSITORY}},
            "base": {"sha": self.base, "ref": "main", "repo": {"full_name": REPOSITORY}},
            "user": {"login": "alice", "type": "User"},
        }
        return {"action": "synchronize", "pull_request": pull | given, "repository": {"default_branch": "main"}}


@pytest.fixture
def make_pull(governed: Any) -> Callable[..., Pull]:
    """Makes a pull request of what is staged, on a branch of its own that starts at main: `make_pull(message, ...)`."""

    def make(*messages: str, number: int = 7) -> Pull:
        base = governed.git("rev-parse", "main").strip()
        governed.git("checkout", "-q", "-B", "topic")
        for message in messages or ("on the hour",):
            head = governed.commit(message)
        governed.git("checkout", "-q", "--detach", "main")
        governed.git("merge", "-q", "--no-ff", "-m", f"Merge {head} into {base}", "topic")
        merge = governed.git("rev-parse", "HEAD").strip()
        # A runner has a remote and no branch of its own.
        governed.git("update-ref", "refs/remotes/origin/main", "main")
        return Pull(governed, number, base, head, merge)

    return make


@pytest.fixture(scope="session")
def read_back() -> Callable[[str], dict[str, str]]:
    """Reads a file of outputs as the runner does."""
    return read_outputs


@pytest.fixture(scope="session")
def commands_in() -> Callable[[str], list[tuple[str, dict[str, str], str]]]:
    """The commands of a log that the runner obeys."""
    return obeyed
