package coreutils

import (
	"bufio"
	"context"
	"runtime"
	"strings"
)

func unameCommand() Command {
	return simple("uname", "print the name of the operating system", unameSyntax, prepareUname)
}

func unameSyntax() syntax {
	return syntax{flags: []flag{{names: "s kernel-name"}, {names: "m machine"}, {names: "o operating-system"}}}
}

func prepareUname(p *parsed) (*Prepared, error) {
	if len(p.operands) > 0 {
		return nil, usage(p.operands[0].Word, "extra operand %q", p.operands[0].Name)
	}
	var words []string
	if p.has("s") || len(p.options) == 0 {
		words = append(words, kernelName(runtime.GOOS))
	}
	if p.has("m") {
		words = append(words, machineName(runtime.GOOS, runtime.GOARCH))
	}
	if p.has("o") {
		words = append(words, systemName(runtime.GOOS))
	}
	return writes(func(_ context.Context, _ *IO, out *bufio.Writer) int {
		out.WriteString(strings.Join(words, " ") + "\n")
		return 0
	}), nil
}

func kernelName(system string) string {
	switch system {
	case "linux":
		return "Linux"
	case "darwin":
		return "Darwin"
	case "freebsd":
		return "FreeBSD"
	case "windows":
		return "Windows_NT"
	}
	return system
}

func systemName(system string) string {
	if system == "linux" {
		return "GNU/Linux"
	}
	return kernelName(system)
}

func machineName(system, arch string) string {
	switch {
	case arch == "amd64":
		return "x86_64"
	case arch == "386":
		return "i686"
	case arch == "arm64" && system == "linux":
		return "aarch64"
	case arch == "arm" && system == "linux":
		return "armv7l"
	}
	return arch
}
