"""Tests of the client with the vade program that VADE_BINARY names."""

import asyncio
import os
import sys
import tempfile
import types
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Optional
from unittest import mock

import vade

FILES = {
    ".claude/skills/api/SKILL.md": "---\nname: api\ndescription: Design APIs.\n---\nUse nouns.\n",
    ".claude/skills/ours/SKILL.md": "---\nname: ours\ndescription: For one.\nagents: [reviewer]\n---\nFor the reviewer.\n",
    ".claude/commands/review.md": "---\ndescription: Review changes.\n---\nReview $ARGUMENTS.\n",
    ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews code.\ntools: [Read]\n---\nYou review.\n",
    ".github/instructions/go.instructions.md": "---\napplyTo: '**/*.go'\n---\nUse gofmt.\n",
    "CLAUDE.md": "Be kind.\n",
    ".mcp.json": '{"mcpServers": {"tracker": {"command": "tracker", "args": ["serve"]}}}',
}


class WithProject(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(os.path.realpath(directory.name)) / "project"
        self.home = self.dir.parent / "home"
        self.home.mkdir()
        for name, text in FILES.items():
            self.put(name, text)

    def put(self, name, text):
        file = self.dir / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def open(self, **options):
        return vade.open(self.dir, home=self.home, **options)


class Methods(WithProject):
    async def test_definitions(self):
        async with self.open() as client:
            self.assertRegex(client.version, r"^\d+\.")
            names = [(d["kind"], d["name"]) for d in (await client.list("skill", "command"))["definitions"] if d["layer"] == "project"]
            self.assertEqual(names, [("skill", "api"), ("skill", "ours"), ("command", "review")])
            self.assertEqual((await client.get("skill", "api"))["path"], ".claude/skills/api/SKILL.md")
            with self.assertRaises(vade.VadeError) as caught:
                await client.get("skill", "none")
            self.assertEqual(caught.exception.code, "NOT_FOUND")
            loaded = await client.load("/review", "src")
            self.assertEqual(loaded["command"]["content"], "Review src.\n")
            failed = await client.load("/none")
            self.assertEqual((failed["success"], failed["error"]["code"]), (False, "COMMAND_NOT_FOUND"))
            for method, name in [
                (client.discover_commands, "review"), (client.discover_skills, "api"),
                (client.discover_agents, "reviewer"), (client.discover_instructions, "CLAUDE.md"),
            ]:
                self.assertIn(name, [d["name"] for d in await method()])

    async def test_skill(self):
        async with self.open() as client:
            self.assertIn("Use nouns.", await client.load_skill_content("api"))
            self.assertIsNone(await client.load_skill_content("none"))
            tool = client.create_load_skill_tool()
            self.assertEqual((tool.name, tool.input_schema["required"]), ("loadSkill", ["skillId"]))
            result = await tool.handler({"skillId": "api"})
            self.assertIn("Use nouns.", result["content"][0]["text"])
            result = await tool.handler({"skillId": "none"})
            self.assertTrue(result["is_error"])
            self.assertIn("none", result["content"][0]["text"])
            # A skill that only one agent can use.
            mine = await client.create_load_skill_tool("reviewer").handler({"skillId": "ours"})
            self.assertNotIn("is_error", mine)
            others = await client.create_load_skill_tool("writer").handler({"skillId": "ours"})
            self.assertTrue(others["is_error"])

    async def test_texts(self):
        async with self.open() as client:
            texts = (await client.get_instructions_for_agent("reviewer", ["main.go"]))["instructions"]
            self.assertIn("Be kind.", "".join(texts))
            self.assertIn("Use gofmt.", "".join(texts))
            self.assertIn("messages", await client.instructions())
            prompt = await client.prompt("reviewer")
            self.assertIn("You review.", str(prompt))
            self.assertIn("api", str(await client.search("APIs")))
            self.assertIn("api", str(await client.explain("api", kind="skill")))
            self.assertIsInstance(await client.check(), dict)
            self.assertIsInstance(await client.audit(), dict)
        async with self.open(host="claude-code") as client:
            self.assertIn("Design APIs.", str(await client.listing()))
            self.assertIn("Use nouns.", str(await client.render("/api", by="user")))

    async def test_unknown_host(self):
        with self.assertRaises(vade.VadeError) as caught:
            async with self.open(host="codx"):
                pass
        self.assertEqual(caught.exception.code, "UNKNOWN_HOST")
        self.assertIn("codex", str(caught.exception))

    async def test_concurrent(self):
        async with self.open() as client:
            calls = [client.get("skill", "api" if i % 2 else "ours") for i in range(100)]
            names = [answer["name"] for answer in await asyncio.gather(*calls)]
            self.assertEqual(names, ["ours", "api"] * 50)

    async def test_watch(self):
        async with self.open() as client:
            changes = client.watch()
            change = await self.changed(changes)
            # A skill that the watch saw half written is a change, not an addition.
            self.assertRegex((change["added"] + change["changed"])[0]["name"], "new[0-9]+")
            await changes.aclose()
            self.assertEqual(client._watches, {})
            # Closing the client ends a second watch.
            other = client.watch()
            await self.changed(other)
            await client.close()
            self.assertEqual([change async for change in other], [])

    async def changed(self, changes):
        """Add skills until a change is reported."""
        first = asyncio.ensure_future(changes.__anext__())
        for i in range(1000):
            self.put(f".claude/skills/new{i}/SKILL.md", f"---\nname: new{i}\ndescription: New.\n---\nx{os.urandom(4).hex()}\n")
            await asyncio.wait([first], timeout=0.5)
            if first.done():
                return first.result()
        self.fail("no change")


class Options(WithProject):
    async def test_without_the_package(self):
        with mock.patch.dict(sys.modules, {"claude_agent_sdk": None}):
            async with self.open() as client:
                options = await client.build_claude_agent_options(
                    system_prompt="Hello.", allowed_tools=["Read"], mcp_servers={"mine": {"type": "sse", "url": "http://localhost"}}, max_turns=3)
        agent = options["agents"]["reviewer"]
        self.assertEqual((agent["description"], agent["tools"][0]), ("Reviews code.", "Read"))
        self.assertIn("You review.", agent["prompt"])
        self.assertEqual(options["mcp_servers"]["tracker"]["command"], "tracker")
        self.assertEqual(options["mcp_servers"]["vade"]["tools"][0].name, "loadSkill")
        self.assertEqual(options["mcp_servers"]["mine"]["type"], "sse")
        self.assertTrue(options["system_prompt"].startswith("Hello.\n\n"))
        self.assertIn("Be kind.", options["system_prompt"])
        self.assertIn("Use gofmt.", options["system_prompt"])
        self.assertEqual(options["allowed_tools"], ["mcp__vade__loadSkill", "Read"])
        self.assertEqual((options["setting_sources"], options["max_turns"]), ([], 3))
        self.assertLessEqual(set(options), OPTIONS)

    async def test_with_the_package(self):
        sdk = types.ModuleType("claude_agent_sdk")
        sdk.AgentDefinition = AgentDefinition
        sdk.create_sdk_mcp_server = lambda name, version="1.0.0", tools=None: {"type": "sdk", "name": name, "instance": tools}
        with mock.patch.dict(sys.modules, {"claude_agent_sdk": sdk}):
            async with self.open() as client:
                mine = AgentDefinition("Mine.", "x")
                options = await client.build_claude_agent_options("reviewer", agents={"mine": mine})
                self.assertIsInstance(options["agents"]["reviewer"], AgentDefinition)
                self.assertIs(options["agents"]["mine"], mine)
                self.assertEqual(options["extra_args"], {"agent": "reviewer"})
                # The agent's prompt already contains the skills and instructions.
                self.assertNotIn("append", options["system_prompt"])
                tool = options["mcp_servers"]["vade"]["instance"][0]
                self.assertIn("Use nouns.", (await tool.handler({"skillId": "api"}))["content"][0]["text"])
                self.assertLessEqual(set(options), OPTIONS)

    async def test_plugins(self):
        plugin = {"type": "local", "path": "./kit", "skipMcpDiscovery": True}
        async with self.open() as client:
            options = await client.build_claude_agent_options(plugins=[plugin])
        self.assertEqual(options["plugins"], [{"type": "local", "path": "./kit"}])
        self.assertTrue(options["strict_mcp_config"])


@dataclass
class AgentDefinition:
    """The fields of the type with the same name in claude-agent-sdk 0.2.153."""

    description: str
    prompt: str
    tools: Optional[list] = None
    disallowedTools: Optional[list] = None
    model: Optional[str] = None
    skills: Optional[list] = None
    memory: Optional[str] = None
    mcpServers: Optional[list] = None
    initialPrompt: Optional[str] = None
    maxTurns: Optional[int] = None
    background: Optional[bool] = None
    effort: Optional[object] = None
    permissionMode: Optional[str] = None


#: Some arguments for ClaudeAgentOptions in claude-agent-sdk 0.2.153.
OPTIONS = {
    "agents", "allowed_tools", "extra_args", "max_turns", "mcp_servers", "plugins", "setting_sources", "strict_mcp_config",
    "system_prompt",
}


if __name__ == "__main__":
    unittest.main()
