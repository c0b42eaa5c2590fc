//go:build unix && !(linux && (amd64 || arm64))

package main

// quietly is vade: on this system nothing watches what it does.
func quietly() { main() }
