package config

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"evenkeel/dnsrr"
)

// A transferKey is a TSIG key as the file names it.
type transferKey struct {
	name, algorithm, file string
}

// keys is the language of one item of dns.transfer.keys.
func (k *transferKey) keys() language {
	return language{
		{"name", one(&k.name, keyName())},
		{"algorithm", one(&k.algorithm, among(algorithms()))},
		{"file", one(&k.file, fileName())},
	}
}

// algorithms are those of RFC 8945, 6, that are still to be used.
func algorithms() []string { return []string{"hmac-sha256", "hmac-sha384", "hmac-sha512"} }

const newTransferKey = "make one with: head -c 32 /dev/urandom | base64"

// transferKeys reads the secret of each key.
func (r *reader) transferKeys(d *DNS, keys []transferKey) {
	const key = "dns.transfer.keys"
	if !r.sound(key) {
		return
	}
	for i, k := range keys {
		item := r.items[key][i]
		if r.sound(item.key, item.key+".name", item.key+".algorithm", item.key+".file") {
			r.transferKey(d, k, item)
		}
	}
}

func (r *reader) transferKey(d *DNS, k transferKey, item place) {
	if k.name == "" || k.file == "" {
		r.refuse(item, "want the name of the key and its file", "{name: farm-xfr., file: xfr.key}")
		return
	}
	for _, other := range d.Transfer.Keys {
		if other.Name == k.name {
			r.refuse(r.within(item, "name"), "another key has that name", "")
			return
		}
	}
	k.file = r.beside(k.file)
	text, err := r.open(k.file)
	if err != nil {
		r.refuse(r.within(item, "file"), err.Error(), newTransferKey)
		return
	}
	out, err := k.parse(text)
	if err != nil {
		r.refuse(r.within(item, "file"), fmt.Sprintf("%s %v", show(k.file), err), newTransferKey)
		return
	}
	d.Transfer.Keys = append(d.Transfer.Keys, out)
	d.keyFiles = append(d.keyFiles, k.file)
}

const (
	minSecret = 16   // bytes: fewer can be guessed, and RFC 8945, 8, asks for as many as the digest has
	maxSecret = 1024 // far more than any digest takes in
)

// parse reads a secret in base64, or BIND's statement of a key, which must be
// the same one. The error never shows any of the secret.
func (k transferKey) parse(text []byte) (dnsrr.TransferKey, error) {
	secret := strings.TrimSpace(string(bytes.TrimPrefix(text, []byte("\ufeff"))))
	if words, ok := statement(secret); ok {
		stated, err := stated(words)
		switch {
		case err != nil:
			return dnsrr.TransferKey{}, err
		case stated.name != k.name:
			return dnsrr.TransferKey{}, fmt.Errorf("holds a key of another name, %s", show(stated.name))
		case k.algorithm != "" && stated.algorithm != k.algorithm:
			return dnsrr.TransferKey{}, fmt.Errorf("holds a key for %s, not %s", stated.algorithm, k.algorithm)
		}
		k.algorithm, secret = stated.algorithm, stated.file
	}
	if k.algorithm == "" {
		k.algorithm = algorithms()[0]
	}
	b, err := base64.StdEncoding.DecodeString(secret)
	switch {
	case err != nil:
		return dnsrr.TransferKey{}, errors.New("does not hold base64 on one line")
	case len(b) < minSecret || len(b) > maxSecret:
		return dnsrr.TransferKey{}, fmt.Errorf("holds %d bytes, want %d to %d", len(b), minSecret, maxSecret)
	}
	return dnsrr.TransferKey{Name: k.name, Algorithm: k.algorithm, Secret: b}, nil
}

// statement is the words of what tsig-keygen writes, and whether text is that.
// Lines of comment are left out.
func statement(text string) ([]string, bool) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "//") {
			b.WriteString(line + "\n")
		}
	}
	words := strings.Fields(strings.NewReplacer("{", " { ", "}", " } ", ";", " ; ").Replace(b.String()))
	return words, len(words) > 0 && words[0] == "key"
}

// stated reads
//
//	key "name" { algorithm hmac-sha256; secret "…"; };
//
// with the secret in place of the file.
func stated(words []string) (k transferKey, err error) {
	odd := errors.New(`holds no whole statement: key "NAME" { algorithm hmac-sha256; secret "..."; };`)
	if len(words) != 11 || words[2] != "{" || words[5] != ";" || words[8] != ";" || words[9] != "}" || words[10] != ";" {
		return k, odd
	}
	values := map[string]string{words[3]: unquoted(words[4]), words[6]: unquoted(words[7])}
	if k.name, err = keyName().read(unquoted(words[1])); err != nil {
		return k, odd
	}
	if k.algorithm, err = among(algorithms()).read(strings.ToLower(values["algorithm"])); err != nil {
		return k, fmt.Errorf("holds a key for none of %s", strings.Join(algorithms(), ", "))
	}
	if k.file = values["secret"]; k.file == "" {
		return k, odd
	}
	return k, nil
}

func unquoted(word string) string {
	inner, opened := strings.CutPrefix(word, `"`)
	if inner, closed := strings.CutSuffix(inner, `"`); opened && closed {
		return inner
	}
	return word
}

// keyName is the name of a TSIG key: a domain name (RFC 8945, 4.2), which both
// ends agree on and nobody looks up. Underscores are common in it.
func keyName() form[string] {
	return form[string]{"a name such as farm-xfr.", func(s string) (string, error) {
		s = strings.TrimSuffix(strings.ToLower(s), ".")
		if !isName(strings.ReplaceAll(s, "_", "0")) {
			return "", noHint
		}
		return s + ".", nil
	}}
}
