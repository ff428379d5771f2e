package cookie

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// maxSecrets is as many as a rollover needs.
const maxSecrets = 2

// label keeps what is derived here apart from all else that may ever be derived
// from the same key. To change it is to change every cookie.
const label = "evenkeel dns cookie 1"

// Derive returns the secret that belongs to a key which the nodes of a farm
// share already: the first half of its HMAC-SHA256 (RFC 2104) of a fixed label.
// The key cannot be found from it. The key must be one that nobody can guess;
// from an empty one anybody can derive the same.
func Derive(key []byte) [16]byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(label))
	return [16]byte(h.Sum(nil))
}

// ParseSecrets reads a file of one or two secrets, each on a line of its own as
// 32 hexadecimal digits; the first is the one to make cookies with. Empty lines
// and what follows a # are passed over. The error joins all mistakes, each with
// its line, and repeats nothing of the file.
func ParseSecrets(b []byte) ([][16]byte, error) {
	var secrets [][16]byte
	var mistakes []error
	seen := map[[16]byte]int{} // by secret: its line
	n := 0
	for line := range bytes.Lines(b) {
		n++
		text, _, _ := bytes.Cut(line, []byte("#"))
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		secret, err := parseSecret(text)
		if first := seen[secret]; err == nil && first > 0 {
			err = fmt.Errorf("the same secret as in line %d", first)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		seen[secret] = n
		if secrets = append(secrets, secret); len(secrets) == maxSecrets+1 {
			mistakes = append(mistakes, fmt.Errorf("line %d: more than %d secrets", n, maxSecrets))
		}
	}
	if len(secrets) == 0 && len(mistakes) == 0 {
		mistakes = append(mistakes, errors.New("no secret in it"))
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return secrets, nil
}

func parseSecret(text []byte) (s [16]byte, err error) {
	if len(text) != hex.EncodedLen(len(s)) {
		return s, fmt.Errorf("a secret is %d hexadecimal digits, and this is %d characters", hex.EncodedLen(len(s)), len(text))
	}
	if _, err := hex.Decode(s[:], text); err != nil {
		return s, errors.New("a secret is hexadecimal digits alone")
	}
	return s, nil
}
