"""Tests of the client with programs that are missing, hang, die or write unexpected output."""

import asyncio
import json
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import vade
from vade import _client

FAKE = Path(__file__).with_name("fake.py")


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@unittest.skipIf(os.name == "nt", "the programs are scripts with #!")
class Hostile(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        patch = mock.patch.object(_client, "_CLOSE_SECONDS", 0.5)
        patch.start()
        self.addCleanup(patch.stop)

    def program(self, text, mode=stat.S_IRWXU):
        file = self.dir / "vade"
        file.write_text(text)
        file.chmod(mode)
        return file

    def fake(self, behavior, timeout=60):
        binary = self.program(f"#!/bin/sh\nexec '{sys.executable}' '{FAKE}' '{behavior}'\n")
        return vade.open(binary=binary, timeout=timeout)

    async def fails_to_open(self, client, kind, code, text):
        with self.assertRaises(kind) as caught:
            async with client:
                self.fail("it opened")
        self.assertEqual(caught.exception.code, code)
        self.assertIn(text, str(caught.exception))
        if client._process is not None:
            self.assertTrue(gone(client._process.pid))

    async def test_missing(self):
        await self.fails_to_open(vade.open(binary=self.dir / "none"), vade.BinaryNotFoundError, "BINARY_NOT_FOUND", "none")
        await self.fails_to_open(
            vade.open(binary=self.program("#!/bin/sh\n", 0o600)), vade.BinaryNotFoundError, "BINARY_NOT_FOUND", "ermission")
        with mock.patch.dict(os.environ, {"PATH": str(self.dir / "empty"), "VADE_BINARY": ""}), \
                mock.patch.object(_client.sysconfig, "get_path", return_value=str(self.dir / "empty")):
            await self.fails_to_open(vade.open(), vade.BinaryNotFoundError, "BINARY_NOT_FOUND", "vade program not found")

    async def test_order_of_binaries(self):
        found = self.program("")
        with mock.patch.dict(os.environ, {"VADE_BINARY": "first"}):
            self.assertEqual(vade.find_binary(), "first")
        with mock.patch.dict(os.environ, {"VADE_BINARY": "", "PATH": "/none"}), \
                mock.patch.object(_client.sysconfig, "get_path", return_value=str(self.dir)):
            self.assertEqual(vade.find_binary(), str(found))
        with mock.patch.dict(os.environ, {"VADE_BINARY": "", "PATH": str(self.dir)}), \
                mock.patch.object(_client.sysconfig, "get_path", return_value="/none"):
            self.assertEqual(vade.find_binary(), str(found))

    async def test_wrong_platform(self):
        await self.fails_to_open(
            vade.open(binary=self.program("\xca\xfe\xba\xbe")), vade.WrongPlatformError, "WRONG_PLATFORM", sys.platform)

    async def test_open(self):
        for behavior, timeout, kind, code, text in [
            ("exits", 60, vade.ProcessError, "PROCESS_ENDED", "exit code 1: no disk\nno luck"),
            ("garbage", 60, vade.ProcessError, "INVALID_MESSAGE", "panic: oh no"),
            ("not open", 60, vade.ProcessError, "INVALID_MESSAGE", "sent an invalid answer"),
            ("sleeps", 0.5, vade.ProcessError, "TIMEOUT", "within 0.5 seconds"),
            ("newer", 60, vade.ProtocolVersionError, "PROTOCOL", "version 2"),
            ("older", 60, vade.ProtocolVersionError, "NEWER_PROTOCOL", "does not know protocol 1"),
        ]:
            with self.subTest(behavior):
                await self.fails_to_open(self.fake(behavior, timeout), kind, code, text)

    async def test_call(self):
        for behavior, code, text in [
            ("dies", "PROCESS_ENDED", "killed by signal 9"),
            ("closes stdout", "PROCESS_ENDED", "closed its output"),
            ("half a line", "PROCESS_ENDED", "exit code 5"),
            ("long line", "INVALID_MESSAGE", "not a message"),
        ]:
            with self.subTest(behavior), mock.patch.object(_client, "_MAX_MESSAGE", 20_000):
                async with self.fake(behavior) as client:
                    answers = await asyncio.gather(*(client.get("skill", "a") for _ in range(20)), return_exceptions=True)
                    for answer in answers:
                        self.assertIsInstance(answer, vade.ProcessError)
                        self.assertEqual(answer.code, code)
                        self.assertIn(text, str(answer))
                    # Later calls fail immediately.
                    with self.assertRaises(vade.ProcessError):
                        await client.list()
                self.assertTrue(gone(client._process.pid))

    async def test_details(self):
        async with self.fake("details") as client:
            with self.assertRaises(vade.VadeError) as caught:
                await client.list()
        e = caught.exception
        self.assertEqual((str(e), e.code, e.hint, e.file, e.line, e.column), ("broken", "BROKEN", "fix it", "a.md", 3, 2))

    async def test_answers_in_any_order(self):
        async with self.fake("reverse") as client:
            names = [f"n{i}" for i in range(100)]
            answers = await asyncio.gather(*(client.get("skill", name) for name in names))
            self.assertEqual([answer["name"] for answer in answers], names)

    async def test_cancel(self):
        log = self.dir / "log"
        with mock.patch.dict(os.environ, {"FAKE_LOG": str(log)}):
            async with self.fake("silent") as client:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.list(), 0.1)
                self.assertEqual(client._pending, {})
        messages = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([m["method"] for m in messages], ["open", "list", "cancel"])
        self.assertEqual(messages[2]["params"], {"id": messages[1]["id"]})
        self.assertNotIn("id", messages[2])

    async def test_watch(self):
        log = self.dir / "log"
        with mock.patch.dict(os.environ, {"FAKE_LOG": str(log)}):
            async with self.fake("watched") as client:
                changes = client.watch()
                names = [(await changes.__anext__())["added"][0]["name"] for _ in range(2)]
                self.assertEqual(names, ["a", "b"])
                await changes.aclose()
                self.assertEqual(client._watches, {})
                # The fake sends changes before the watch ends, and an answer to a canceled request.
                client._receive({"method": "changed", "params": {"watch": 7}})
                client._receive({"id": 99, "result": {"watch": 7}})
                self.assertEqual(client._watches, {})
                # A second watch ends with the process's error, or without an error if the client is closed.
                changes = client.watch()
                await changes.__anext__()
                await changes.__anext__()
                waiting = asyncio.ensure_future(changes.__anext__())
                with self.assertRaises(vade.ProcessError):
                    await client.list()
                with self.assertRaises(vade.ProcessError) as caught:
                    await waiting
                self.assertEqual(caught.exception.code, "PROCESS_ENDED")
        methods = [json.loads(line)["method"] for line in log.read_text().splitlines()]
        self.assertEqual(methods, ["open", "watch", "unwatch", "unwatch", "watch", "list"])
        async with self.fake("watched") as client:
            changes = client.watch()
            await changes.__anext__()
            await changes.__anext__()
            waiting = asyncio.ensure_future(changes.__anext__())
            await client.close()
            with self.assertRaises(StopAsyncIteration):
                await waiting

    async def test_stops_reading(self):
        async with self.fake("stops reading") as client:
            calls = [asyncio.ensure_future(client.get("skill", "x" * 10_000)) for _ in range(200)]
            await asyncio.sleep(0.1)
            # Most calls wait for the process instead of filling memory.
            self.assertLess(client._process.stdin.transport.get_write_buffer_size(), 500_000)
            calls[-1].cancel()
            await client.close()
            answers = await asyncio.gather(*calls, return_exceptions=True)
        self.assertEqual({getattr(answer, "code", "") for answer in answers[:-1]}, {"CLOSED"})
        self.assertIsInstance(answers[-1], asyncio.CancelledError)

    async def test_close(self):
        for behavior in "silent", "stays":
            with self.subTest(behavior):
                client = self.fake(behavior)
                async with client:
                    call = asyncio.ensure_future(client.list())
                    await asyncio.sleep(0.01)
                    await asyncio.gather(client.close(), client.close())
                with self.assertRaises(vade.ProcessError) as caught:
                    await call
                self.assertEqual(caught.exception.code, "CLOSED")
                self.assertTrue(gone(client._process.pid))

    async def test_canceled_close(self):
        client = await self.fake("stays").start()
        with mock.patch.object(_client, "_CLOSE_SECONDS", 600):
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(client.close(), 0.1)
        await client._process.wait()
        self.assertTrue(gone(client._process.pid))

    async def test_use(self):
        with self.assertRaises(RuntimeError):
            await vade.open().list()
        async with self.fake("silent") as client:
            with self.assertRaises(RuntimeError):
                await client.start()
            with mock.patch.object(_client, "_MAX_MESSAGE", 1000), self.assertRaises(vade.VadeError) as caught:
                await client.get("skill", "x" * 1000)
            self.assertEqual(caught.exception.code, "TOO_LONG")

    async def test_no_orphan(self):
        """The process ends when the Python program that started it is killed."""
        program = (
            "import asyncio, os, signal, vade\n"
            "async def main():\n"
            f"    client = await vade.open(binary={str(self.fake('silent')._binary)!r}).start()\n"
            "    print(client._process.pid, flush=True)\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n"
            "asyncio.run(main())\n"
        )
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
        # The child has no copy of this pipe, only a pipe of its own.
        out, _ = await asyncio.wait_for(process.communicate(), 60)
        pid = int(out)
        for _ in range(600):
            if gone(pid) or Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return
            await asyncio.sleep(0.1)
        self.fail("the process is still running")


if __name__ == "__main__":
    unittest.main()
