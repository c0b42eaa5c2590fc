// Empty does nothing. It measures the time needed to start a Go program.
package main

func main() {}
