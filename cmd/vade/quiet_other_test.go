//go:build unix && !(linux && (amd64 || arm64))

package main

// quietly is vade, because this system cannot trace what it does.
func quietly() { main() }
