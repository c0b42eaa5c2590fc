// Empty does nothing. It is used to measure the time needed to start a Go program.
package main

func main() {}
