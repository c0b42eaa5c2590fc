"""Vade: see which skills, commands, agents and instructions each coding agent loads.

    async with vade.open(dir=".") as client:
        print(await client.list("skill"))
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from ._client import PROTOCOL, Client, LoadSkillTool, StrPath, find_binary
from ._errors import BinaryNotFoundError, ProcessError, ProtocolVersionError, VadeError, WrongPlatformError

__all__ = [
    "PROTOCOL", "BinaryNotFoundError", "Client", "LoadSkillTool", "ProcessError", "ProtocolVersionError", "VadeError",
    "WrongPlatformError", "find_binary", "open",
]


def open(
    dir: Optional[StrPath] = None, host: Optional[str] = None, *, home: Optional[StrPath] = None,
    managed_dir: Optional[StrPath] = None, plugin_dirs: Sequence[StrPath] = (), nested: Optional[bool] = None,
    isolated: Optional[bool] = None, binary: Optional[StrPath] = None, timeout: float = 30,
) -> Client:
    """Return a client for the definitions that apply in a directory, for use in ``async with``.

    Without ``host``, the client uses the neutral view, which shows the definitions for all hosts.
    ``timeout`` is how long the process may take to start, in seconds; to limit calls, use
    ``asyncio.wait_for``.
    """
    options: Dict[str, Any] = {
        "dir": dir, "host": host, "home": home, "managedDir": managed_dir, "pluginDirs": list(plugin_dirs) or None,
        "nested": nested, "isolated": isolated,
    }
    return Client(binary, timeout, {name: value for name, value in options.items() if value is not None})
