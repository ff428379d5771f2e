package throttle

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func drawSnapTime(t *rapid.T) SnapshotTime {
	if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
		return SnapshotTime{Unlimited: true, Used: 600 * msec * time.Duration(rapid.IntRange(0, 1e6).Draw(t, "percent"))}
	}
	return SnapshotTime{Limit: drawSnapMillis(t), Used: drawSnapMillis(t)}
}

func drawSnapMillis(t *rapid.T) time.Duration {
	return msec * time.Duration(rapid.Int64Range(0, int64(maxRead/msec)).Draw(t, "ms"))
}

func drawSnapCount(t *rapid.T) SnapshotCount {
	c := SnapshotCount{Used: rapid.Uint32().Draw(t, "used"), Unlimited: rapid.Bool().Draw(t, "unlimited")}
	if !c.Unlimited {
		c.Limit = rapid.Uint32().Draw(t, "limit")
	}
	return c
}

func drawSnapshot(t *rapid.T) Snapshot {
	s := Snapshot{Tokens: rapid.Bool().Draw(t, "tokens"), Policy: rapid.String().Draw(t, "policy")}
	if !s.Tokens {
		s.Conn.Unlimited = true
		s.Conn.Used, s.Hanging, s.Hash = rapid.Uint32().Draw(t, "conn"), rapid.Uint32().Draw(t, "hanging"), rapid.Int32().Draw(t, "hash")
		s.AD, s.CAS, s.AB, s.RPC = drawSnapTime(t), drawSnapTime(t), drawSnapTime(t), drawSnapTime(t)
		s.Find, s.Subs = drawSnapCount(t), drawSnapCount(t)
		return s
	}
	s.Owner, s.Conn, s.ServiceAccount = rapid.String().Draw(t, "owner"), drawSnapCount(t), rapid.Bool().Draw(t, "service")
	s.Live = spanTick * time.Duration(rapid.Int64Range(0, int64(maxRead/spanTick)/4).Draw(t, "live"))
	if s.Local.Unlimited = rapid.Bool().Draw(t, "no limit"); !s.Local.Unlimited {
		s.Local.Burst, s.Local.Recharge = drawSnapMillis(t), drawSnapMillis(t)
		earned, used := drawSnapMillis(t), drawSnapMillis(t)
		s.Local.Balance = (earned - used) / 10
	}
	if s.Local.NoCutoff = rapid.Bool().Draw(t, "no cutoff"); !s.Local.NoCutoff {
		s.Local.Cutoff = drawSnapMillis(t)
	}
	return s
}

// What is written is read back, whatever names and numbers it has.
func TestSnapshotRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawSnapshot(t)
		got, err := ParseSnapshot(want.String())
		if err != nil || got != want {
			t.Fatalf("%s\nread as %+v, %v\nwant    %+v", want, got, err, want)
		}
	})
}

func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Entry{
			RC: rapid.String().Draw(t, "rc"), SoapAction: rapid.String().Draw(t, "action"), Version: rapid.Uint32().Draw(t, "version"),
			RPCs: rapid.Uint32().Draw(t, "rpcs"), LDAPs: rapid.Uint32().Draw(t, "ldaps"), RPCLatency: drawSnapMillis(t), LDAPLatency: drawSnapMillis(t),
			Took: time.Duration(rapid.Int64Range(0, int64(maxRead)).Draw(t, "took")), Init: drawSnapshot(t), End: drawSnapshot(t),
		}
		got, err := ParseEntry(want.String())
		if err != nil || got != want || strings.ContainsAny(want.String(), " \r\n\"") {
			t.Fatalf("%s\nread as %+v, %v\nwant    %+v", want, got, err, want)
		}
	})
}

// Whatever is read is written so that it reads the same.
func FuzzParseSnapshot(f *testing.F) {
	f.Add(freshSnapshot().String())
	f.Add("Conn:1,HangingConn:2,AD:$null/$null/7%,Policy:a%2Cb")
	f.Add("Owner:a,Conn:0,MaxConn:Unlimited,MaxBurst:Unlimited,Balance:$null,Cutoff:1,RechargeRate:2,IsServiceAccount:True,LiveTime:-1.02:03:04.5")
	f.Add("MaxBurst:1,Balance:-1.999999,Cutoff:4611686018427.387903")
	f.Add("Owner:a,Conn:3")
	f.Add("Balance:5,MaxBurst:Unlimited,RechargeRate:0009.50")
	f.Add("HangingConn:1,AD:5.5/4.25/0%,FC:7/6,Sub:$null/1,Hash:-1")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSnapshot(text)
		if err != nil {
			return
		}
		for item := range strings.SplitSeq(text, ",") {
			if word, value, _ := strings.Cut(item, ":"); !holds(s, word, value) {
				t.Errorf("%q: %s was read, and is not in %+v", text, item, s)
			}
		}
		once := s.String()
		back, err := ParseSnapshot(once)
		if err != nil || back.String() != once {
			t.Errorf("%q became %q, which is read as %q, %v", text, once, back, err)
		}
	})
}

// holds says, by means of its own, that s has what an item says.
func holds(s Snapshot, word, value string) bool {
	of2013 := strings.Contains(" Owner MaxConn MaxBurst Balance Cutoff RechargeRate IsServiceAccount LiveTime ", " "+word+" ")
	if word != "Conn" && word != "Policy" && s.Tokens != of2013 {
		return false
	}
	words := strings.Split(value, "/")
	switch word {
	case "Owner", "Policy":
		name := map[string]string{"Owner": s.Owner, "Policy": s.Policy}[word]
		return name == value || strings.Contains(value, "%") && name == parseName(value)
	case "IsServiceAccount":
		return s.ServiceAccount == (value == "True")
	case "LiveTime":
		return strings.Trim(value, "0:.-") == "" || s.Live != 0
	case "Conn", "HangingConn", "Hash":
		return is(map[string]int64{"Conn": int64(s.Conn.Used), "HangingConn": int64(s.Hanging), "Hash": int64(s.Hash)}[word], value, 1)
	case "MaxConn":
		return s.Conn.Unlimited == (value == "Unlimited") && (s.Conn.Unlimited || is(int64(s.Conn.Limit), value, 1))
	case "FC", "Sub":
		c := map[string]SnapshotCount{"FC": s.Find, "Sub": s.Subs}[word]
		return c.Unlimited == (words[0] == "$null") && (c.Unlimited || is(int64(c.Limit), words[0], 1)) && is(int64(c.Used), words[1], 1)
	case "AD", "CAS", "AB", "RPC":
		p := map[string]SnapshotTime{"AD": s.AD, "CAS": s.CAS, "AB": s.AB, "RPC": s.RPC}[word]
		if p.Unlimited {
			return words[0] == "$null" && is(p.OfMinute(), strings.TrimSuffix(words[2], "%"), 1)
		}
		return is(int64(p.Limit), words[0], 1e6) && is(int64(p.Limit-p.Used), words[1], 1e6)
	}
	n := map[string]time.Duration{"MaxBurst": s.Local.Burst, "RechargeRate": s.Local.Recharge, "Balance": s.Local.Balance, "Cutoff": s.Local.Cutoff}[word]
	switch {
	case value == "$null": // a balance, which then is nothing, or all of the burst
		return n == 0 || !s.Local.Unlimited && n == s.Local.Burst
	case value == "Unlimited" && word == "Cutoff":
		return n == 0 && s.Local.NoCutoff
	case value == "Unlimited":
		return n == 0 && s.Local.Unlimited
	}
	return is(int64(n), value, 1e6) && (word != "Cutoff" || !s.Local.NoCutoff)
}

// is says that n is the number in the text, times unit.
func is(n int64, text string, unit float64) bool {
	want, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(want*unit-float64(n)) <= 1+math.Abs(float64(n))*1e-12
}

func FuzzParseEntry(f *testing.F) {
	f.Add(doc000)
	f.Add(strings.ReplaceAll(doc000, "m:GetDelegate", "%0a>>%"))
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseEntry(text)
		if err != nil {
			return
		}
		once := e.String()
		back, err := ParseEntry(once)
		if err != nil || back.String() != once {
			t.Errorf("%q became %q, which is read as %q, %v", text, once, back, err)
		}
	})
}
