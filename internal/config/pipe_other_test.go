//go:build !linux

package config

import "errors"

func pipe(string) error { return errors.ErrUnsupported }
