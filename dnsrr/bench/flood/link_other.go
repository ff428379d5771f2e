//go:build !linux

package main

import "errors"

func dial(int, int) ([]link, error) {
	return nil, errors.New("only Linux has the calls that make this cheap")
}
