package policy

import (
	"slices"
	"strings"
	"testing"
)

func TestJudgeVersion(t *testing.T) {
	for line, want := range map[string]string{
		"node --version": "yes", "node -v": "yes", "npm -v": "yes", "npx --version": "yes", "pnpm -v": "yes", "yarn --version": "yes",
		"bun --version": "yes", "deno -V": "yes", "python --version": "yes", "python3 -V": "yes", "pip3 --version": "yes", "uv --version": "yes",
		"poetry --version": "yes", "ruby -v": "yes", "gem -v": "yes", "bundle --version": "yes", "go version": "yes", "rustc --version": "yes",
		"cargo -V": "yes", "java -version": "yes", "java --version": "yes", "javac -version": "yes", "mvn -v": "yes", "php -v": "yes",
		"composer --version": "yes", "perl -v": "yes", "gcc --version": "yes", "clang --version": "yes", "make --version": "yes",
		"cmake --version": "yes", "docker --version": "yes", "docker -v": "yes", "docker-compose version": "yes",
		"kubectl version --client": "yes", "helm version --short": "yes", "aws --version": "yes", "gh --version": "yes",
		"jq --version": "yes", "rg --version": "yes", "tmux -V": "yes", "curl --version": "yes", "openssl version": "yes", "openssl version -a": "yes",
		"sqlite3 --version": "yes", "psql --version": "yes", "redis-cli --version": "yes", "ffmpeg -version": "yes", "tsc -v": "yes",
		"eslint --version": "yes", "prettier --version": "yes", "vite --version": "yes", "pytest --version": "yes", "bash --version": "yes",

		"docker version": "no", "gradle --version": "no", "terraform --version": "no", "kubectl version": "no", "go --version": "no",
		"./gradlew --version": "no", "/usr/bin/node --version": "no", "vade-unknown --version": "no", "java -v": "no", "ssh -v": "no", "mysql -v": "no",
		"perl -V": "no", "python -v": "no", "sh --version": "no", "NODE --version": "no", "deno -v": "no", "curl -v": "no", " --version": "no",

		"node": "none", "node -e x": "none", "node --version x": "none", "node x --version": "none", "npm version patch": "none",
		"go version -m x": "none", "openssl version -x": "none", "python -c x": "none", "kubectl version --client --kubeconfig=x": "none",
		"bash -c x": "none", "npm --version --prefix=x": "none", "docker --version,-v": "none", "node --version,-v": "none",
	} {
		argv := strings.Split(line, " ")
		call, refusal, asked := judgeVersion(argv)
		got := "none"
		switch {
		case call != nil && refusal == nil && asked:
			got = "yes"
		case call == nil && refusal != nil && asked:
			got = "no"
		case call != nil || refusal != nil || asked:
			got = "a contradiction"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
		if call != nil && (!slices.Equal(call.Argv, argv) || !call.NeutralDir || call.Tool != argv[0] || call.Dir != "") {
			t.Errorf("%q: %+v", line, call)
		}
	}
}

func TestJudgeVersionOfNothing(t *testing.T) {
	for _, argv := range [][]string{nil, {}, {""}, {"", ""}, {"node", ""}, {"version"}} {
		if call, _, _ := judgeVersion(argv); call != nil {
			t.Errorf("%q is allowed", argv)
		}
	}
}

func BenchmarkJudgeVersion(b *testing.B) {
	argv := []string{"tmux", "-V"}
	for b.Loop() {
		judgeVersion(argv)
	}
}
