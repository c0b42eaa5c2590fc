// Package testenv decides which tests run, and with which random seed. It is
// imported only by tests.
package testenv

import (
	"cmp"
	"flag"
	"os"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Variable is the environment variable that enables the slow test suites: attacks, the corpus,
// killed processes, injected faults, real clients and npm packages. Continuous integration sets it.
const Variable = "VADE_SLOW"

// Slow reports whether the slow suites run. Call it in tests that run fewer rounds otherwise. Tests
// that are always slow call [SkipUnlessSlow] instead.
func Slow() bool { return os.Getenv(Variable) != "" }

// SkipUnlessSlow skips a test that takes more than about two seconds, or that
// needs the network, unless the slow suites run.
func SkipUnlessSlow(t testing.TB) {
	t.Helper()
	if !Slow() {
		t.Skipf("slow: set %s=1 to run it", Variable)
	}
}

// SeedVariable is the environment variable that sets the random seed, a number,
// for property tests. Continuous integration derives the seed from the tested
// tree, so new code is tested with new values and failures are reproducible.
const SeedVariable = "VADE_SEED"

// Check tests a property. The generated values are the same in every run, so a test that passed
// keeps passing, unless SeedVariable or -rapid.seed sets a different seed.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	fixSeed()
	rapid.Check(t, property)
}

var fixSeed = sync.OnceFunc(func() {
	seed := flag.Lookup("rapid.seed")
	if seed.Value.String() != seed.DefValue {
		return
	}
	if err := seed.Value.Set(cmp.Or(os.Getenv(SeedVariable), "1")); err != nil {
		panic(SeedVariable + ": " + err.Error())
	}
})
