//go:build unix && !(linux && (amd64 || arm64))

package main

// quietly runs vade normally, because this system cannot trace its actions.
func quietly() { main() }
