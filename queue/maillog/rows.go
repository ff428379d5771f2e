package maillog

import "bytes"

// rows are what [Reader] and [Tail] share: rows of either format become records.
type rows struct {
	src    source   // nil: the kind is yet to be found
	at     Position // where it began
	scout  scout
	err    error
	table  table
	rec    Record
	near   near
	given  int64 // rows
	alien  int64 // rows that were passed over
	passed int64 // bytes that were, before the kind was known
	nuls   int64 // of them
}

// begin starts anew at a position.
func (s *rows) begin(at Position) {
	*s = rows{at: at, scout: scout{plain: s.scout.plain}, table: table{last: at.Kind, used: s.table.used[:0]}}
}

// next goes to the next row that is understood.
func (s *rows) next() bool {
	for s.src.row(&s.table) {
		if s.table.kind == Unknown {
			s.alien++
			continue
		}
		if s.rec.Kind != s.table.kind {
			s.rec.begin(s.table.kind)
		}
		s.fill(&s.rec, &s.table)
		s.given++
		return true
	}
	return false
}

// fill makes the row's record. Each kind sets all the fields that it ever sets.
func (s *rows) fill(r *Record, t *table) {
	r.At = t.at
	switch t.kind {
	case HTTPErr:
		fromHTTPErr(r, &t.cells, &s.near)
	case IIS:
		fromIIS(r, &t.cells, &s.near)
	case HTTPProxy:
		fromHTTPProxy(r, &t.cells, &s.near)
	case MapiHTTP:
		fromMapiHTTP(r, &t.cells, &s.near)
	case EWS:
		fromEWS(r, &t.cells, &s.near)
	case RPCAccess:
		fromRPCAccess(r, &t.cells, &s.near)
	}
}

// begin makes the record one of a kind that says nothing else.
func (r *Record) begin(kind Kind) {
	*r = Record{Kind: kind, Took: none, Substatus: -1, Authenticating: none, Backend: none, Delay: none}
}

// Kind is the log that the file is, by its last header that could be told;
// [Unknown] until Next was called.
func (s *rows) Kind() Kind { return s.table.last }

// Record is what the present row says. It is the same at each call, and may be
// used until the next call of Next.
func (s *rows) Record() *Record { return &s.rec }

// Line is the number of the row's first line, from 1, as an editor shows it.
func (s *rows) Line() int64 {
	if s.src == nil {
		return 0
	}
	return s.src.Line()
}

// Raw is the whole row without its end, in UTF-8 if the file is in UTF-16, else
// as it stands. It may be used until the next call of Next.
func (s *rows) Raw() []byte {
	if s.src == nil {
		return nil
	}
	return s.src.Raw()
}

// Stats are the counts so far.
func (s *rows) Stats() (out Stats) {
	if s.src != nil {
		out.Stats = s.src.Stats()
	}
	out.Rows, out.Foreign = s.given, s.alien
	out.Bytes += s.passed
	out.Nul += s.nuls
	return out
}

// pass consumes NULs that end b, in which no line says the kind, and what stands
// before them.
func (s *rows) pass(b []byte) {
	nuls := bytes.Count(b, []byte{0})
	s.at.Line += int64(bytes.Count(b, []byte{'\n'}))
	s.at.Offset += int64(len(b))
	s.passed += int64(len(b))
	s.nuls += int64(nuls)
	s.scout.passed += len(b) - nuls
}

// Position is where all is consumed: a reader that starts there sees what comes
// next and nothing twice.
func (s *rows) Position() Position {
	if s.src == nil {
		return s.at
	}
	return s.src.position(s.table.last)
}
