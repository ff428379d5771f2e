package gate

import "evenkeel/policy/throttle"

// A Domain is one of Active Directory under its two names.
type Domain = throttle.Domain

// maxName is the most bytes of an account's name that are looked at; see
// [throttle.Account].
const maxName = 256

// Account is the one name of an account, however it is written: that by which
// policies know it.
func Account(name string, domains []Domain) string { return throttle.Account(name, domains) }
