"""Exceptions that the client raises."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class VadeError(Exception):
    """An error from Vade. Programs should check ``code``; the message is for people."""

    def __init__(self, message: str, code: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        data = data or {}
        self.code = code
        #: What the user can do about the error.
        self.hint: Optional[str] = data.get("hint")
        #: The position of the problem. Lines and columns start at 1.
        self.file: Optional[str] = data.get("file")
        self.line: Optional[int] = data.get("line")
        self.column: Optional[int] = data.get("column")


class BinaryNotFoundError(VadeError):
    """The vade program was not found or is not executable."""


class WrongPlatformError(VadeError):
    """The vade program was built for a different operating system or processor."""


class ProtocolVersionError(VadeError):
    """The vade program and this package use different protocol versions."""


class ProcessError(VadeError):
    """The vade process ended, did not answer in time, or wrote something unexpected."""
