"""The errors that the client raises."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class VadeError(Exception):
    """An error of Vade. Programs can compare ``code``; the message is for people."""

    def __init__(self, message: str, code: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        data = data or {}
        self.code = code
        #: What the user can do about it.
        self.hint: Optional[str] = data.get("hint")
        #: Where the problem is. Lines and columns start at 1.
        self.file: Optional[str] = data.get("file")
        self.line: Optional[int] = data.get("line")
        self.column: Optional[int] = data.get("column")


class BinaryNotFoundError(VadeError):
    """There is no vade program to start, or it is not executable."""


class WrongPlatformError(VadeError):
    """The vade program is for another operating system or processor."""


class ProtocolVersionError(VadeError):
    """The vade program and this package speak different versions of the protocol."""


class ProcessError(VadeError):
    """The vade process ended, did not answer in time, or wrote something unexpected."""
