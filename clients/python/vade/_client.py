"""A client for ``vade rpc``, a process that exchanges one JSON-RPC message per line on stdin and stdout."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import platform
import shutil
import sys
import sysconfig
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import BinaryNotFoundError, ProcessError, ProtocolVersionError, VadeError, WrongPlatformError

if TYPE_CHECKING:
    from . import results

PROTOCOL = 1
_MAX_MESSAGE = 64 << 20
_CLOSE_SECONDS = 5.0
_PROTOCOL_TOO_NEW = -32001
_UNFIT_PROGRAM = (errno.ENOEXEC, getattr(errno, "EBADARCH", 86))
_UNFIT_PROGRAM_WINDOWS = (193, 216)

_INSTALL = "install the wheel for this platform, set VADE_BINARY, or add vade to PATH"

StrPath = Union[str, "os.PathLike[str]"]


def find_binary() -> str:
    """Return the vade program's path: $VADE_BINARY, or else the program in the wheel, or else the one in PATH."""
    name = "vade.exe" if os.name == "nt" else "vade"
    if os.environ.get("VADE_BINARY"):
        return os.environ["VADE_BINARY"]
    scripts = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    # pip install --target puts scripts next to the package.
    for directory in [Path(__file__).parent.parent / "bin", *map(Path, scripts)]:
        if (directory / name).is_file():
            return str(directory / name)
    found = shutil.which(name)
    if found is None:
        raise BinaryNotFoundError("vade program not found", "BINARY_NOT_FOUND", {"hint": _INSTALL})
    return found


@dataclass(frozen=True)
class LoadSkillTool:
    """A tool that loads a skill. It has the same fields as claude-agent-sdk's SdkMcpTool."""

    name: str
    description: str
    input_schema: Dict[str, Any]
    handler: Callable[[Mapping[str, Any]], Awaitable[Dict[str, Any]]]
    annotations: Any = None


class Client:
    """A catalog of definitions. Call :func:`vade.open` and use the result in ``async with``.

    All methods can be called concurrently. Canceling a call's task cancels the request.
    """

    def __init__(self, binary: Optional[StrPath], timeout: float, options: Dict[str, Any]) -> None:
        self._binary, self._timeout, self._options = binary, timeout, options
        self._catalog = 0
        self._process: Optional[asyncio.subprocess.Process] = None
        self._tasks: List["asyncio.Task[None]"] = []
        self._stderr = b""
        self._pending: Dict[int, "asyncio.Future[Any]"] = {}
        self._watches: Dict[int, "asyncio.Queue[Optional[results.Changed]]"] = {}
        self._failure: Optional[VadeError] = None
        self._last_id = 0
        #: The version of the vade program.
        self.version = ""

    async def start(self) -> Client:
        """Start the process and open the catalog. ``async with`` calls this method."""
        if self._process is not None:
            raise RuntimeError("the client has already been started; call vade.open again")
        binary = os.fspath(self._binary) if self._binary is not None else find_binary()
        try:
            self._process = await asyncio.create_subprocess_exec(
                binary, "rpc", limit=_MAX_MESSAGE + 1,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise _start_error(binary, error) from error
        self._write_lock = asyncio.Lock()
        self._tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._read_stderr())]
        try:
            request = self._request("open", {"protocol": PROTOCOL, **self._options})
            opened = await asyncio.wait_for(request, self._timeout)
            if opened["protocol"] != PROTOCOL:
                raise ProtocolVersionError(
                    f"{binary} uses protocol version {opened['protocol']}, but this package uses version {PROTOCOL}",
                    "PROTOCOL", {"hint": "use the package and the program from the same release"},
                )
            self._catalog, self.version = opened["catalog"], opened["version"]
        except BaseException as error:
            if isinstance(error, asyncio.TimeoutError):
                error = ProcessError(f"{binary} did not answer within {self._timeout:g} seconds", "TIMEOUT")
            elif isinstance(error, (LookupError, TypeError)):
                error = ProcessError(f"{binary} sent an invalid answer; it may not be a vade program", "INVALID_MESSAGE")
            self._kill()
            await self.close()
            raise error from None
        return self

    __aenter__ = start

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the process. Pending calls fail. This method can be called more than once."""
        process = self._process
        if process is None or process.stdin is None:
            return
        self._fail(ProcessError("the client is closed", "CLOSED"))
        # The program exits when its stdin is closed.
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _CLOSE_SECONDS)
        except asyncio.TimeoutError:
            self._kill()
            await process.wait()
        finally:
            # This also runs if the caller's task is canceled.
            self._kill()
        # Other processes may keep its streams open.
        await asyncio.wait([*self._tasks, asyncio.ensure_future(_closed(process.stdin))], timeout=1)
        for task in self._tasks:
            task.cancel()

    # Protocol methods. Each returns what the command with the same name prints with --json.

    async def list(self, *kinds: str, all: bool = False, agent: Optional[str] = None) -> results.List:
        """List the active definitions of the given kinds, or of all kinds. With ``all``, also list inactive ones."""
        return await self._call("list", kinds=kinds, all=all, agent=agent)

    async def get(self, kind: str, name: str) -> results.Definition:
        """Return one definition."""
        return await self._call("get", kind=kind, name=name)

    async def load(self, *request: str, agent: Optional[str] = None) -> results.Load:
        """Load a command or skills: ``load("/review", "src")``. A failure is returned as a result, not raised."""
        return await self._call("load", request=request, agent=agent)

    async def render(self, *request: str, by: Optional[str] = None, session: Optional[str] = None) -> results.Render:
        """Render a definition the way the host does when the "user" or the "model" invokes it."""
        return await self._call("render", request=request, by=by, session=session)

    async def listing(
        self, agent: Optional[str] = None, touched: Sequence[str] = (), context_tokens: Optional[int] = None,
    ) -> results.Listing:
        """Return what a model sees of the definitions before it loads one."""
        return await self._call("listing", agent=agent, touched=touched, contextTokens=context_tokens)

    async def instructions(self, agent: Optional[str] = None, files: Sequence[str] = ()) -> results.Instructions:
        """Return the instructions for an agent that is working on the given files."""
        return await self._call("instructions", agent=agent, files=files)

    async def prompt(
        self, agent: Optional[str] = None, files: Sequence[str] = (), budget: Optional[int] = None, tool: Optional[str] = None,
    ) -> results.Prompt:
        """Return an agent's complete prompt."""
        return await self._call("prompt", agent=agent, files=files, budget=budget, tool=tool)

    async def agent_options(self, base: Optional[Mapping[str, Any]] = None) -> results.AgentOptions:
        """Return options in the TypeScript SDK's format, and what they cannot express."""
        return await self._call("agentOptions", base=base)

    async def search(self, query: str, limit: Optional[int] = None, kind: Optional[str] = None) -> results.Search:
        """Search definitions for words. The best matches come first."""
        return await self._call("search", query=query, limit=limit, kind=kind)

    async def explain(
        self, name: Optional[str] = None, kind: Optional[str] = None, hosts: Sequence[str] = (), all: bool = False,
    ) -> results.Explain:
        """Explain why a definition is active or inactive. With ``all``, explain every definition."""
        return await self._call("explain", name=name, kind=kind, hosts=hosts, all=all)

    async def check(self, *paths: str, hosts: Sequence[str] = ()) -> results.Check:
        """Check definitions for the given hosts, or for the hosts that the project uses."""
        return await self._call("check", paths=paths, hosts=hosts)

    async def audit(
        self, *paths: str, loaded: bool = False, capabilities: bool = False, persona: Optional[str] = None,
    ) -> results.Audit:
        """Audit definition packages for security problems."""
        return await self._call("audit", paths=paths, loaded=loaded, capabilities=capabilities, persona=persona)

    async def watch(self) -> AsyncIterator[results.Changed]:
        """Yield changes to the catalog until the client is closed."""
        watch = await self._call("watch")
        queue = self._watches[watch["watch"]]
        try:
            while True:
                change = await queue.get()
                if change is None:
                    break
                yield change
        finally:
            self._unwatch(watch)
        if self._failure is not None and self._failure.code != "CLOSED":
            raise self._failure

    # Convenience methods for programs that build agents.

    async def load_skill_content(self, name: str, agent: Optional[str] = None) -> Optional[str]:
        """Return a skill's text, or None if the agent has no skill with that name."""
        try:
            return (await self._call("loadSkill", name=name, agent=agent))["content"]
        except VadeError as error:
            if error.code != "SKILL_NOT_FOUND":
                raise
            return None

    async def get_instructions_for_agent(self, agent: str, files: Sequence[str] = ()) -> Dict[str, Any]:
        """Return the instructions for an agent that is working on the given files. "instructions" has their texts."""
        result = await self.instructions(agent, files)
        return {**result, "instructions": [text for _, text in result["messages"]]}

    async def discover_commands(self) -> List[results.Definition]:
        """Return the active commands."""
        return (await self.list("command"))["definitions"]

    async def discover_agents(self) -> List[results.Definition]:
        """Return the active agents."""
        return (await self.list("agent"))["definitions"]

    async def discover_skills(self) -> List[results.Definition]:
        """Return the active skills, without their content."""
        return (await self.list("skill"))["definitions"]

    async def discover_instructions(self) -> List[results.Definition]:
        """Return the active instructions."""
        return (await self.list("instruction"))["definitions"]

    def create_load_skill_tool(self, agent: Optional[str] = None) -> LoadSkillTool:
        """Return a loadSkill tool for claude-agent-sdk's ``create_sdk_mcp_server``."""

        async def load_skill(arguments: Mapping[str, Any]) -> Dict[str, Any]:
            try:
                skill = await self._call("loadSkill", name=arguments["skillId"], agent=agent)
            except VadeError as error:
                return {"content": [{"type": "text", "text": str(error)}], "is_error": True}
            return {"content": [{"type": "text", "text": skill["content"]}]}

        return LoadSkillTool(
            "loadSkill",
            "Load a skill by name. Call this before working on a task that the skill is for.",
            {
                "type": "object",
                "properties": {"skillId": {"type": "string", "description": "The name of the skill"}},
                "required": ["skillId"],
            },
            load_skill,
        )

    async def build_claude_agent_options(
        self, agent: Optional[str] = None, *, agents: Optional[Mapping[str, Any]] = None,
        mcp_servers: Optional[Mapping[str, Any]] = None, system_prompt: Any = None, allowed_tools: Sequence[str] = (),
        plugins: Sequence[Mapping[str, Any]] = (), **options: Any,
    ) -> Dict[str, Any]:
        """Return keyword arguments for claude-agent-sdk's ``ClaudeAgentOptions``.

        If ``agent`` is given, the session runs as that agent. The other arguments are your own options:
        your agents and servers replace those with the same name, your tools and plugins are added, your
        system prompt comes before the skills and instructions, and any other option is kept.

        If claude-agent-sdk is not installed, agents are dicts with the arguments for its
        AgentDefinition, and the server "vade" is a dict with its tools.
        """
        base = {
            "agent": agent, "agents": dict.fromkeys(agents or {}, {}), "systemPrompt": system_prompt,
            "allowedTools": allowed_tools, "plugins": plugins,
        }
        made: Any = (await self.agent_options({name: value for name, value in base.items() if value}))["options"]
        ours = {name: fields for name, fields in made["agents"].items() if name not in (agents or {})}
        tools = [self.create_load_skill_tool(agent)] if "mcp__vade__loadSkill" in made["allowedTools"] else []
        try:
            import claude_agent_sdk as sdk  # type: ignore[import-not-found]
        except ImportError:
            server: Any = {"type": "sdk", "name": "vade", "tools": tools}
        else:
            ours = {name: sdk.AgentDefinition(**fields) for name, fields in ours.items()}
            server = sdk.create_sdk_mcp_server("vade", tools=tools)
        if agent is not None:
            # claude-agent-sdk has no option for this, so pass a flag to its program.
            options["extra_args"] = {**options.get("extra_args", {}), "agent": agent}
        if any(plugin.get("skipMcpDiscovery") for plugin in made["plugins"]):
            # claude-agent-sdk cannot exclude a single plugin's servers.
            options["strict_mcp_config"] = True
        return {
            "setting_sources": made["settingSources"],
            **options,
            "agents": {**ours, **(agents or {})},
            "mcp_servers": {**made["mcpServers"], **({"vade": server} if tools else {}), **(mcp_servers or {})},
            "system_prompt": made["systemPrompt"],
            "allowed_tools": made["allowedTools"],
            "plugins": [{"type": plugin["type"], "path": plugin["path"]} for plugin in made["plugins"]],
        }

    # Messages.

    async def _call(self, method: str, **parameters: Any) -> Any:
        """Call a method on the catalog. Parameters that are None are omitted."""
        params = {name: value for name, value in parameters.items() if value is not None}
        return await self._request(method, {"catalog": self._catalog, **params})

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    async def _request(self, method: str, params: Mapping[str, Any]) -> Any:
        if self._process is None or self._process.stdin is None:
            raise RuntimeError("the client is not started; use it in async with")
        number = self._next_id()
        answer: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()
        sent = False
        try:
            # The lock makes callers wait while the process is not reading.
            async with self._write_lock:
                if self._failure is not None:
                    raise self._failure
                self._pending[number] = answer
                self._send({"id": number, "method": method, "params": params})
                sent = True
                try:
                    await self._process.stdin.drain()
                except ConnectionError:
                    # The reader reports the reason, unless only stdin is closed.
                    await asyncio.wait(self._tasks[:1], timeout=1)
                    self._fail(ProcessError("vade rpc closed its input", "PROCESS_ENDED"))
            return await answer
        except asyncio.CancelledError:
            if answer.done() and not answer.cancelled() and answer.exception() is None:
                self._unwatch(answer.result())
            elif sent and self._failure is None:
                self._send({"method": "cancel", "params": {"id": number}})
            raise
        finally:
            self._pending.pop(number, None)

    def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"), default=os.fspath) + "\n"
        if len(line) > _MAX_MESSAGE:
            raise VadeError("the request is longer than 64 MiB", "TOO_LONG")
        self._process.stdin.write(line.encode())  # type: ignore[union-attr]

    async def _read(self) -> None:
        """Read messages until the process ends or writes something that is not a message."""
        stdout: asyncio.StreamReader = self._process.stdout  # type: ignore
        line = b""
        try:
            while True:
                line = await stdout.readline()
                if not line.endswith(b"\n"):
                    break
                self._receive(json.loads(line))
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            what = f": {line[:100]!r}" if line else " or is too long"
            self._fail(ProcessError(f"vade rpc wrote a line that is not a message{what}", "INVALID_MESSAGE"))
            while await stdout.read(_MAX_MESSAGE):
                pass
        else:
            await self._ended()

    def _receive(self, message: Dict[str, Any]) -> None:
        if message.get("method") == "changed":
            params = message["params"]
            queue = self._watches.get(params["watch"])
            if queue is not None:
                queue.put_nowait(params)
            return
        if message.get("id") is None and "error" in message:
            self._fail(_error(message["error"]))
            return
        answer = self._pending.get(message.get("id"))  # type: ignore[arg-type]
        if "method" in message or answer is None or answer.done():
            # A notification from a later version, or the answer to a canceled request.
            self._unwatch(message.get("result"))
        elif "error" in message:
            answer.set_exception(_error(message["error"]))
        else:
            result = message["result"]
            if _is_watch(result):
                # Changes may follow immediately.
                self._watches[result["watch"]] = asyncio.Queue()
            answer.set_result(result)

    def _unwatch(self, result: Any) -> None:
        """If this is the result of a watch request, end the watch, because nobody reads it."""
        if _is_watch(result):
            self._watches.pop(result["watch"], None)
            if self._failure is None:
                self._send({"id": self._next_id(), "method": "unwatch", "params": {"watch": result["watch"]}})

    async def _read_stderr(self) -> None:
        while True:
            text = await self._process.stderr.read(4096)  # type: ignore[union-attr]
            if not text:
                return
            self._stderr = (self._stderr + text)[-4096:]

    async def _ended(self) -> None:
        """Report that the process has ended, or end it if only its stdout was closed."""
        process: asyncio.subprocess.Process = self._process  # type: ignore[assignment]
        try:
            status = await asyncio.wait_for(process.wait(), 1)
            await asyncio.wait(self._tasks[1:], timeout=1)
        except asyncio.TimeoutError:
            self._fail(ProcessError("vade rpc closed its output", "PROCESS_ENDED"))
            return
        how = f"was killed by signal {-status}" if status < 0 else f"ended with exit code {status}"
        text = self._stderr.decode("utf-8", "replace").strip()
        self._fail(ProcessError(f"vade rpc {how}" + (f": {text}" if text else ""), "PROCESS_ENDED"))

    def _fail(self, error: VadeError) -> None:
        """Make all calls and watches fail with the first error, and kill the process unless it is closing."""
        if self._failure is not None:
            return
        self._failure = error
        if error.code != "CLOSED":
            self._kill()
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(error)
        for queue in self._watches.values():
            queue.put_nowait(None)

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()


def _is_watch(result: Any) -> bool:
    return isinstance(result, dict) and "watch" in result


async def _closed(stream: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        await stream.wait_closed()


def _error(error: Mapping[str, Any]) -> VadeError:
    """Return the exception for an error response."""
    data = error.get("data") or {}
    kind = ProtocolVersionError if error["code"] == _PROTOCOL_TOO_NEW else VadeError
    return kind(error["message"], data.get("code", str(error["code"])), data)


def _start_error(binary: str, error: OSError) -> VadeError:
    if error.errno in _UNFIT_PROGRAM or getattr(error, "winerror", None) in _UNFIT_PROGRAM_WINDOWS:
        return WrongPlatformError(
            f"{binary} is not a program for {sys.platform} on {platform.machine()}", "WRONG_PLATFORM", {"hint": _INSTALL})
    return BinaryNotFoundError(f"cannot start {binary}: {error.strerror}", "BINARY_NOT_FOUND", {"hint": _INSTALL})
