"""A program that is run instead of vade and misbehaves. The first argument selects the behavior."""

import json
import os
import signal
import sys
import time


def answer(number, result):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)


def fail(number, code, message, data):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message, "data": data}}), flush=True)


def main(behavior):
    log = os.environ.get("FAKE_LOG")
    if behavior == "exits":
        sys.exit("no disk\nno luck")
    if behavior == "sleeps":
        time.sleep(600)
    waiting = []
    for line in sys.stdin:
        if log:
            with open(log, "a") as file:
                file.write(line)
        message = json.loads(line)
        number, method = message.get("id"), message["method"]
        if method == "open":
            if behavior == "garbage":
                print("panic: oh no", flush=True)
            elif behavior == "not open":
                answer(number, [])
            elif behavior == "newer":
                answer(number, {"catalog": 1, "protocol": 2, "version": "9.0.0"})
            elif behavior == "older":
                fail(number, -32001, "vade 0.0.1 does not know protocol 1", {"code": "NEWER_PROTOCOL", "hint": "update vade"})
            else:
                answer(number, {"catalog": 1, "protocol": 1, "version": "0.0.0", "news": True})
            if behavior == "stops reading":
                time.sleep(600)
        elif behavior == "dies":
            waiting.append(number)
            if len(waiting) == 20:
                os.kill(os.getpid(), signal.SIGKILL)
        elif behavior == "closes stdout":
            os.close(1)
            time.sleep(600)
        elif behavior == "half a line":
            os.write(1, b'{"jsonrpc":"2.0","id":2,"resu')
            sys.exit(5)
        elif behavior == "long line":
            answer(number, "x" * 100_000)
        elif behavior == "reverse":
            waiting.append((number, message["params"]["name"]))
            if len(waiting) == 100:
                print('{"jsonrpc":"2.0","method":"news","params":{}}\n{"jsonrpc":"2.0","id":999,"result":1}', flush=True)
                for number, name in reversed(waiting):
                    answer(number, {"name": name})
        elif behavior == "details":
            fail(number, -32000, "broken", {"code": "BROKEN", "hint": "fix it", "file": "a.md", "line": 3, "column": 2})
        elif behavior == "watched" and method == "watch":
            answer(number, {"watch": 7})
            for name in "a", "b":
                added = [{"kind": "skill", "name": name}]
                params = {"watch": 7, "catalog": 1, "added": added, "removed": [], "changed": []}
                print(json.dumps({"jsonrpc": "2.0", "method": "changed", "params": params}), flush=True)
        elif behavior == "watched" and method == "list":
            os.kill(os.getpid(), signal.SIGKILL)
        # For any other behavior, send no answer.
    if behavior == "stays":
        time.sleep(600)


main(sys.argv[1])
