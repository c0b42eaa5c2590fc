// Empty does nothing: what it takes to start a Go program at all.
package main

func main() {}
