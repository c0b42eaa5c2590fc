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

// Slow reports whether slow test suites run. Tests call it to choose a smaller number of rounds
// otherwise. Tests that are always slow call [SkipUnlessSlow] instead.
func Slow() bool { return os.Getenv(Variable) != "" }

// SkipUnlessSlow skips a test unless slow test suites run. Call it in tests that take more than
// about two seconds or need the network.
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

// Check tests a property with generated values. The values are the same in every run, so that a
// test that passed keeps passing, unless SeedVariable or the flag -rapid.seed sets a different
// seed.
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
