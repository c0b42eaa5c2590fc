"""Types of the results of vade rpc, generated from Go by internal/rpc/schema_test.go. Do not edit."""

from typing import Any, Literal, Optional, TypedDict

Edit = TypedDict("Edit", {
    "end": int,
    "new": str,
    "start": int,
})

_Diagnostic = TypedDict("_Diagnostic", {
    "code": str,
    "message": str,
    "severity": Literal["info", "warning", "error"],
})

_DiagnosticOptional = TypedDict("_DiagnosticOptional", {
    "column": int,
    "edit": Edit,
    "endColumn": int,
    "endLine": int,
    "file": str,
    "fix": str,
    "line": int,
}, total=False)


class Diagnostic(_Diagnostic, _DiagnosticOptional):
    pass


_HostLoss = TypedDict("_HostLoss", {
    "host": str,
    "message": str,
    "name": str,
    "source": str,
    "what": str,
})

_HostLossOptional = TypedDict("_HostLossOptional", {
    "fix": str,
    "inPlace": bool,
    "kind": Literal["skill", "command", "agent", "instruction", "workflow"],
    "line": int,
    "whole": bool,
    "widens": bool,
}, total=False)


class HostLoss(_HostLoss, _HostLossOptional):
    pass


AgentOptions = TypedDict("AgentOptions", {
    "diagnostics": list[Diagnostic],
    "losses": list[HostLoss],
    "options": dict[str, Any],
})

_Attachment = TypedDict("_Attachment", {
    "input": Any,
    "path": str,
    "tool": str,
})

_AttachmentOptional = TypedDict("_AttachmentOptional", {
    "content": str,
    "notRead": str,
}, total=False)


class Attachment(_Attachment, _AttachmentOptional):
    pass


_Missed = TypedDict("_Missed", {
    "path": str,
    "reason": str,
})

_MissedOptional = TypedDict("_MissedOptional", {
    "note": str,
    "size": int,
}, total=False)


class Missed(_Missed, _MissedOptional):
    pass


_Coverage = TypedDict("_Coverage", {
    "bytes": int,
    "complete": bool,
    "files": int,
})

_CoverageOptional = TypedDict("_CoverageOptional", {
    "missed": list[Missed],
}, total=False)


class Coverage(_Coverage, _CoverageOptional):
    pass


_Suppressed = TypedDict("_Suppressed", {
    "by": str,
})

_SuppressedOptional = TypedDict("_SuppressedOptional", {
    "reason": str,
}, total=False)


class Suppressed(_Suppressed, _SuppressedOptional):
    pass


_AuditFinding = TypedDict("_AuditFinding", {
    "confidence": str,
    "fingerprint": str,
    "id": str,
    "message": str,
    "name": str,
    "severity": Literal["clean", "inform", "review", "block"],
})

_AuditFindingOptional = TypedDict("_AuditFindingOptional", {
    "also": list[str],
    "column": int,
    "cwe": list[int],
    "digest": str,
    "endColumn": int,
    "endLine": int,
    "fix": str,
    "line": int,
    "more": int,
    "owasp": str,
    "packed": str,
    "path": str,
    "suppressed": Suppressed,
    "why": str,
}, total=False)


class AuditFinding(_AuditFinding, _AuditFindingOptional):
    pass


_Capability = TypedDict("_Capability", {
    "declared": bool,
    "kind": str,
    "used": bool,
    "what": str,
})

_CapabilityOptional = TypedDict("_CapabilityOptional", {
    "line": int,
    "path": str,
}, total=False)


class Capability(_Capability, _CapabilityOptional):
    pass


_Manifest = TypedDict("_Manifest", {
    "capabilities": list[Capability],
    "complete": bool,
    "declares": bool,
})

_ManifestOptional = TypedDict("_ManifestOptional", {
    "more": int,
}, total=False)


class Manifest(_Manifest, _ManifestOptional):
    pass


_AuditPackage = TypedDict("_AuditPackage", {
    "coverage": Coverage,
    "findings": list[AuditFinding],
    "kind": str,
    "name": str,
    "path": str,
    "verdict": Literal["clean", "inform", "review", "block"],
})

_AuditPackageOptional = TypedDict("_AuditPackageOptional", {
    "capabilities": Manifest,
    "digest": str,
    "layer": str,
    "main": str,
    "reason": str,
}, total=False)


class AuditPackage(_AuditPackage, _AuditPackageOptional):
    pass


AuditSkipped = TypedDict("AuditSkipped", {
    "path": str,
    "reason": str,
})

AuditSummary = TypedDict("AuditSummary", {
    "block": int,
    "clean": int,
    "inform": int,
    "packages": int,
    "partly": int,
    "review": int,
    "suppressed": int,
})

Audit = TypedDict("Audit", {
    "packages": list[AuditPackage],
    "persona": str,
    "schema": int,
    "skipped": list[AuditSkipped],
    "summary": AuditSummary,
})

_CommandDecision = TypedDict("_CommandDecision", {
    "argv": list[str],
})

_CommandDecisionOptional = TypedDict("_CommandDecisionOptional", {
    "code": str,
    "grant": str,
    "open": bool,
    "reason": str,
    "runs": str,
}, total=False)


class CommandDecision(_CommandDecision, _CommandDecisionOptional):
    pass


_ShellDecision = TypedDict("_ShellDecision", {
    "allow": bool,
    "commands": list[CommandDecision],
})

_ShellDecisionOptional = TypedDict("_ShellDecisionOptional", {
    "code": str,
    "column": int,
    "line": int,
    "reason": str,
}, total=False)


class ShellDecision(_ShellDecision, _ShellDecisionOptional):
    pass


_ExpansionError = TypedDict("_ExpansionError", {
    "code": str,
    "message": str,
})

_ExpansionErrorOptional = TypedDict("_ExpansionErrorOptional", {
    "fix": str,
    "reason": str,
    "stderr": str,
}, total=False)


class ExpansionError(_ExpansionError, _ExpansionErrorOptional):
    pass


_Isolation = TypedDict("_Isolation", {
    "abi": int,
    "exec": bool,
    "files": bool,
    "network": bool,
    "syscalls": bool,
})

_IsolationOptional = TypedDict("_IsolationOptional", {
    "reason": str,
}, total=False)


class Isolation(_Isolation, _IsolationOptional):
    pass


_Sandbox = TypedDict("_Sandbox", {
    "mode": str,
})

_SandboxOptional = TypedDict("_SandboxOptional", {
    "isolation": Isolation,
}, total=False)


class Sandbox(_Sandbox, _SandboxOptional):
    pass


_BashExpansion = TypedDict("_BashExpansion", {
    "command": str,
    "executed": bool,
})

_BashExpansionOptional = TypedDict("_BashExpansionOptional", {
    "column": int,
    "decision": ShellDecision,
    "durationMs": float,
    "error": ExpansionError,
    "exitCode": int,
    "in": str,
    "line": int,
    "notRead": int,
    "output": str,
    "quoted": bool,
    "redacted": bool,
    "sandbox": Sandbox,
    "truncated": bool,
}, total=False)


class BashExpansion(_BashExpansion, _BashExpansionOptional):
    pass


_CarriedHook = TypedDict("_CarriedHook", {
    "event": str,
    "layer": str,
    "path": str,
    "type": str,
})

_CarriedHookOptional = TypedDict("_CarriedHookOptional", {
    "command": str,
    "matcher": str,
    "plugin": str,
}, total=False)


class CarriedHook(_CarriedHook, _CarriedHookOptional):
    pass


_CarriedServer = TypedDict("_CarriedServer", {
    "layer": str,
    "name": str,
    "path": str,
    "type": str,
})

_CarriedServerOptional = TypedDict("_CarriedServerOptional", {
    "command": str,
    "held": str,
    "plugin": str,
    "url": str,
}, total=False)


class CarriedServer(_CarriedServer, _CarriedServerOptional):
    pass


Reference = TypedDict("Reference", {
    "kind": Literal["skill", "command", "agent", "instruction", "workflow"],
    "name": str,
})

Changed = TypedDict("Changed", {
    "added": list[Reference],
    "catalog": int,
    "changed": list[Reference],
    "removed": list[Reference],
    "watch": int,
})

_CheckFinding = TypedDict("_CheckFinding", {
    "code": str,
    "fingerprint": str,
    "message": str,
    "path": str,
    "severity": Literal["info", "warning", "error"],
})

_CheckFindingOptional = TypedDict("_CheckFindingOptional", {
    "column": int,
    "edit": Edit,
    "endColumn": int,
    "endLine": int,
    "fix": str,
    "hosts": list[str],
    "line": int,
    "notLoaded": list[str],
}, total=False)


class CheckFinding(_CheckFinding, _CheckFindingOptional):
    pass


CheckedHost = TypedDict("CheckedHost", {
    "host": str,
    "version": str,
    "why": str,
})

Check = TypedDict("Check", {
    "checked": int,
    "directory": str,
    "excluded": int,
    "excludedErrors": int,
    "findings": list[CheckFinding],
    "hosts": list[CheckedHost],
    "known": int,
})

_LoadFinding = TypedDict("_LoadFinding", {
    "digest": str,
    "id": str,
    "message": str,
    "name": str,
    "severity": str,
})

_LoadFindingOptional = TypedDict("_LoadFindingOptional", {
    "line": int,
    "more": int,
    "path": str,
    "suppressed": str,
}, total=False)


class LoadFinding(_LoadFinding, _LoadFindingOptional):
    pass


_LoadVerdict = TypedDict("_LoadVerdict", {
    "complete": bool,
    "mode": str,
})

_LoadVerdictOptional = TypedDict("_LoadVerdictOptional", {
    "approved": bool,
    "findings": list[LoadFinding],
    "verdict": str,
}, total=False)


class LoadVerdict(_LoadVerdict, _LoadVerdictOptional):
    pass


_Content = TypedDict("_Content", {
    "content": str,
    "description": str,
    "frontmatter": dict[str, Any],
    "kind": Literal["skill", "command", "agent", "instruction", "workflow"],
    "layer": str,
    "name": str,
    "path": str,
    "raw": str,
    "sizeKb": float,
    "title": str,
})

_ContentOptional = TypedDict("_ContentOptional", {
    "audit": LoadVerdict,
    "digest": str,
    "plugin": str,
    "shadowed": list[str],
}, total=False)


class Content(_Content, _ContentOptional):
    pass


_CopilotAgent = TypedDict("_CopilotAgent", {
    "description": str,
    "name": str,
    "prompt": str,
})

_CopilotAgentOptional = TypedDict("_CopilotAgentOptional", {
    "mcpServers": dict[str, Any],
    "model": str,
    "reasoningEffort": Any,
    "tools": list[str],
}, total=False)


class CopilotAgent(_CopilotAgent, _CopilotAgentOptional):
    pass


CopilotMessage = TypedDict("CopilotMessage", {
    "content": str,
    "mode": str,
})

CopilotConfig = TypedDict("CopilotConfig", {
    "customAgents": list[CopilotAgent],
    "mcpServers": dict[str, Any],
    "skipCustomInstructions": bool,
    "systemMessage": CopilotMessage,
})

_Counts = TypedDict("_Counts", {
    "byKind": dict[str, int],
    "byLayer": dict[str, int],
    "disabled": int,
    "dropped": int,
    "found": int,
    "hooks": int,
    "loaded": int,
    "mcpServers": int,
    "shadowed": int,
    "withProblems": int,
})

_CountsOptional = TypedDict("_CountsOptional", {
    "bundledOff": int,
    "copies": int,
    "mcpServersHeld": int,
}, total=False)


class Counts(_Counts, _CountsOptional):
    pass


Cut = TypedDict("Cut", {
    "name": str,
    "path": str,
    "reason": str,
})

DefinitionTokens = TypedDict("DefinitionTokens", {
    "listing": int,
    "total": int,
})

_TurnHook = TypedDict("_TurnHook", {
    "command": str,
    "event": str,
    "type": str,
})

_TurnHookOptional = TypedDict("_TurnHookOptional", {
    "matcher": str,
}, total=False)


class TurnHook(_TurnHook, _TurnHookOptional):
    pass


_Definition = TypedDict("_Definition", {
    "description": str,
    "kind": Literal["skill", "command", "agent", "instruction", "workflow"],
    "layer": str,
    "name": str,
    "path": str,
    "size": int,
    "source": str,
    "state": str,
    "title": str,
    "tokens": DefinitionTokens,
})

_DefinitionOptional = TypedDict("_DefinitionOptional", {
    "agent": str,
    "agents": list[str],
    "aliases": list[str],
    "allowedTools": list[str],
    "argumentHint": str,
    "arguments": list[str],
    "compatibility": str,
    "context": str,
    "diagnostics": list[Diagnostic],
    "disableModelInvocation": bool,
    "disallowedTools": list[str],
    "effort": str,
    "excludeAgent": list[str],
    "hasArchitectureAccess": bool,
    "hooks": list[TurnHook],
    "hosts": list[str],
    "keywords": list[str],
    "legacy": bool,
    "license": str,
    "mcpServers": bool,
    "model": str,
    "nested": str,
    "paths": list[str],
    "plugin": str,
    "reason": str,
    "reasonCode": str,
    "requires": str,
    "root": str,
    "sameAs": str,
    "shadowedBy": str,
    "shell": str,
    "skills": list[str],
    "target": str,
    "tools": list[str],
    "unknownFields": list[str],
    "userInvocable": bool,
    "version": str,
    "whenToUse": str,
}, total=False)


class Definition(_Definition, _DefinitionOptional):
    pass


_FileExpansion = TypedDict("_FileExpansion", {
    "reference": str,
    "resolved": bool,
})

_FileExpansionOptional = TypedDict("_FileExpansionOptional", {
    "column": int,
    "content": str,
    "error": ExpansionError,
    "in": str,
    "line": int,
    "path": str,
}, total=False)


class FileExpansion(_FileExpansion, _FileExpansionOptional):
    pass


Expansions = TypedDict("Expansions", {
    "bash": list[BashExpansion],
    "files": list[FileExpansion],
})

IgnoredField = TypedDict("IgnoredField", {
    "field": str,
    "reason": str,
})

_Verdict = TypedDict("_Verdict", {
    "basis": str,
    "cell": str,
    "host": str,
    "state": str,
})

_VerdictOptional = TypedDict("_VerdictOptional", {
    "activation": list[str],
    "beside": list[str],
    "code": str,
    "diagnostics": list[Diagnostic],
    "fix": str,
    "ignored": list[IgnoredField],
    "kind": str,
    "listed": str,
    "listedWhy": str,
    "listing": str,
    "lost": list[str],
    "modelCall": str,
    "name": str,
    "notes": list[str],
    "path": str,
    "random": bool,
    "reads": list[str],
    "reason": str,
    "shadowedBy": str,
    "shadows": list[str],
    "then": str,
    "trust": str,
    "userCall": str,
}, total=False)


class Verdict(_Verdict, _VerdictOptional):
    pass


_ExplainedFile = TypedDict("_ExplainedFile", {
    "kind": Literal["skill", "command", "agent", "instruction", "workflow"],
    "layer": str,
    "name": str,
    "path": str,
    "verdicts": list[Verdict],
})

_ExplainedFileOptional = TypedDict("_ExplainedFileOptional", {
    "copyOf": str,
    "otherPaths": list[str],
    "plugin": str,
    "problems": list[Diagnostic],
    "root": str,
}, total=False)


class ExplainedFile(_ExplainedFile, _ExplainedFileOptional):
    pass


ExplainedHost = TypedDict("ExplainedHost", {
    "host": str,
    "version": str,
})

Explain = TypedDict("Explain", {
    "definitions": list[ExplainedFile],
    "diagnostics": list[Diagnostic],
    "hosts": list[ExplainedHost],
})

_FilePart = TypedDict("_FilePart", {
    "bytes": int,
    "layer": str,
    "path": str,
    "text": str,
})

_FilePartOptional = TypedDict("_FilePartOptional", {
    "file": str,
    "importedBy": str,
    "pattern": str,
}, total=False)


class FilePart(_FilePart, _FilePartOptional):
    pass


Instructions = TypedDict("Instructions", {
    "diagnostics": list[Diagnostic],
    "host": str,
    "messages": list[list[str]],
    "parts": list[FilePart],
    "version": str,
})

List = TypedDict("List", {
    "counts": Counts,
    "definitions": list[Definition],
    "diagnostics": list[Diagnostic],
    "hooks": list[CarriedHook],
    "mcpServers": list[CarriedServer],
})

Skipped = TypedDict("Skipped", {
    "kind": Literal["skill", "command", "agent", "instruction", "workflow"],
    "name": str,
    "path": str,
    "reason": str,
})

_Listing = TypedDict("_Listing", {
    "agents": list[str],
    "agentsText": str,
    "cut": list[Cut],
    "diagnostics": list[Diagnostic],
    "host": str,
    "skills": list[str],
    "skipped": list[Skipped],
    "text": str,
    "version": str,
})

_ListingOptional = TypedDict("_ListingOptional", {
    "tools": list[str],
}, total=False)


class Listing(_Listing, _ListingOptional):
    pass


_LoadError = TypedDict("_LoadError", {
    "code": str,
    "message": str,
})

_LoadErrorOptional = TypedDict("_LoadErrorOptional", {
    "agents": list[str],
    "available": list[str],
    "availableSkills": list[str],
    "findings": list[LoadFinding],
    "fix": str,
    "searchedPaths": list[str],
}, total=False)


class LoadError(_LoadError, _LoadErrorOptional):
    pass


_Metadata = TypedDict("_Metadata", {
    "totalTokensEstimate": int,
})

_MetadataOptional = TypedDict("_MetadataOptional", {
    "expandedAt": str,
    "loadedAt": str,
    "skillsLoaded": int,
    "totalSizeKb": float,
}, total=False)


class Metadata(_Metadata, _MetadataOptional):
    pass


_Load = TypedDict("_Load", {
    "success": bool,
})

_LoadOptional = TypedDict("_LoadOptional", {
    "agent": Content,
    "command": Content,
    "diagnostics": list[Diagnostic],
    "error": LoadError,
    "expansions": Expansions,
    "instruction": Content,
    "metadata": Metadata,
    "skills": list[Content],
}, total=False)


class Load(_Load, _LoadOptional):
    pass


LoadSkill = TypedDict("LoadSkill", {
    "content": str,
    "description": str,
    "diagnostics": list[Diagnostic],
    "digest": str,
    "id": str,
    "keywords": list[str],
    "name": str,
    "path": str,
    "source": str,
    "tokens": int,
})

Open = TypedDict("Open", {
    "catalog": int,
    "protocol": int,
    "version": str,
})

_PromptPart = TypedDict("_PromptPart", {
    "characters": int,
    "text": str,
    "tokens": int,
    "what": str,
})

_PromptPartOptional = TypedDict("_PromptPartOptional", {
    "name": str,
    "path": str,
}, total=False)


class PromptPart(_PromptPart, _PromptPartOptional):
    pass


Prompt = TypedDict("Prompt", {
    "agent": str,
    "characters": int,
    "cut": list[Cut],
    "diagnostics": list[Diagnostic],
    "host": str,
    "parts": list[PromptPart],
    "text": str,
    "tokens": int,
    "version": str,
})

_TurnOptional = TypedDict("_TurnOptional", {
    "agent": str,
    "allowedTools": list[str],
    "disallowedTools": list[str],
    "effort": str,
    "fork": bool,
    "forkResult": str,
    "hooks": list[TurnHook],
    "model": str,
    "system": str,
}, total=False)


class Turn(_TurnOptional):
    pass


_Render = TypedDict("_Render", {
    "attached": list[Attachment],
    "diagnostics": list[Diagnostic],
    "error": Optional[LoadError],
    "host": str,
    "messages": list[list[str]],
    "version": str,
})

_RenderOptional = TypedDict("_RenderOptional", {
    "noListing": bool,
    "turn": Turn,
}, total=False)


class Render(_Render, _RenderOptional):
    pass


Search = TypedDict("Search", {
    "definitions": list[Definition],
    "more": int,
})

SessionConfig = TypedDict("SessionConfig", {
    "config": CopilotConfig,
    "diagnostics": list[Diagnostic],
    "losses": list[HostLoss],
})
