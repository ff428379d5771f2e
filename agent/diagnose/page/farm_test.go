package page

import (
	"fmt"
	"math"
	"time"

	"evenkeel/agent/diagnose"
)

// began is when every made-up incident begins.
var began = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return began.Add(d) }

// incident is two days of a farm: working days with their hours, on the first
// of which one node after the other is overrun at nine. The numbers between are
// restless, and the same at every call.
func incident(nodes int, step time.Duration) diagnose.Report {
	r := diagnose.Report{From: began, To: after(48 * time.Hour)}
	for i := range nodes {
		r.Nodes = append(r.Nodes, course(i, nodes, step))
	}
	r.Findings = storyOf(r)
	r.Clear = []string{
		"No worker was recycled but those that are listed.",
		"Nobody was locked out for what he had used up.",
		"No device between cuts connections of a round age.",
	}
	r.Blind = []string{"How long logging on took: no HttpProxy log was read; C:\\Program Files\\Microsoft\\Exchange Server\\V15\\Logging\\HttpProxy\\Mapi would show it."}
	return r
}

func course(i, nodes int, step time.Duration) diagnose.Course {
	c := diagnose.Course{Node: fmt.Sprintf("EX%02d", i+1), Start: began, Step: step}
	seed := uint64(i + 1)
	noise := func() float64 { // 0 to 1
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>40) / (1 << 24)
	}
	for at := time.Duration(0); at < 48*time.Hour; at += step {
		h := at.Hours()
		day := math.Exp(-math.Pow((math.Mod(h, 24)-12.5)/4.2, 2))
		share, refused := 1.0, 0.0
		if h > 9 && h < 10.5 && nodes > 1 {
			share = 0.15
			if int((h-9)*8)%nodes == i {
				share, refused = float64(nodes)-0.15, math.Round(900*noise()*day)
			}
		}
		sessions := math.Round(6000 * day * share * (0.98 + 0.04*noise()))
		if h > 30 && h < 31 && i == 0 {
			sessions = -1
		}
		c.Sessions = append(c.Sessions, sessions)
		c.Requests = append(c.Requests, math.Round(step.Seconds()*sessions/12*(0.7+0.6*noise())))
		c.Refused = append(c.Refused, refused)
		c.Opened = append(c.Opened, math.Floor(sessions/400*noise()*share))
		c.Cut = append(c.Cut, math.Floor(max(0, noise()-0.93)*60*day*share))
	}
	c.Spans = spansOf(i, nodes)
	return c
}

func spansOf(i, nodes int) (out []diagnose.Span) {
	for k := range 12 {
		if k%nodes == i {
			from := 9*time.Hour + time.Duration(k)*450*time.Second
			out = append(out, diagnose.Span{Kind: diagnose.QueueFull, From: after(from), To: after(from + 400*time.Second),
				Label: fmt.Sprintf("MSExchangeMapiFrontEndAppPool: %d refused", 12_000+k*777)})
		}
	}
	out = append(out, diagnose.Span{Kind: diagnose.Recycle, From: after(27*time.Hour + time.Duration(i)*time.Hour), To: after(27*time.Hour + time.Duration(i)*time.Hour + 20*time.Second), Label: "MSExchangeServicesAppPool"})
	for k := range 40 {
		from := 33*time.Hour + time.Duration(k*k%97)*7*time.Minute
		out = append(out, diagnose.Span{Kind: diagnose.ProbeFlap, From: after(from), To: after(from + 90*time.Second), Label: "/mapi/healthcheck.htm failed"})
	}
	return append(out, diagnose.Span{Kind: diagnose.PoolDown, From: after(40 * time.Hour), To: after(41 * time.Hour), Label: "MSExchangePowerShellFrontEndAppPool off"})
}

func storyOf(r diagnose.Report) []diagnose.Finding {
	var names []string
	for _, c := range r.Nodes {
		names = append(names, c.Node)
	}
	row := func(n int) diagnose.Evidence {
		return diagnose.Evidence{File: "EX01/HTTPERR/httperr12.log", Line: int64(48_211 + n),
			Text: fmt.Sprintf("2026-03-02 09:0%d:11 10.20.4.%d 51423 10.20.1.11 443 HTTP/1.1 POST /mapi/emsmdb/?MailboxId=6f1d2e0a-1c1f-4a53-9a0e-0c6f8f4f2f11@contoso.test - 503 1 QueueFull MSExchangeMapiFrontEndAppPool", n%10, n)}
	}
	return []diagnose.Finding{
		{Kind: diagnose.Skew, Title: "One node had 92 % of 5,640 sessions; the other stood idle", Confidence: 0.97, From: after(9 * time.Hour), To: after(10*time.Hour + 30*time.Minute), Nodes: names, Minutes: 83.5,
			Evidence: []diagnose.Evidence{row(1), row(2), row(3), row(4), row(5)}, Advice: "Spread the sessions: give the balancer a rule that counts connections, and let no node take more than its share.",
			Details: []string{"The busiest node's share of all sessions was 92 % in the median of 18 windows of 5 minutes.", "12 times all sessions went to another node within 2 minutes."}},
		{Kind: diagnose.QueueFull, Title: "MSExchangeMapiFrontEndAppPool refused 194,000 requests at a queue of 1,000", Confidence: 0.9, From: after(9 * time.Hour), To: after(10*time.Hour + 28*time.Minute), Nodes: names[:1], Minutes: 83.5,
			Evidence: []diagnose.Evidence{row(1)}, Advice: "It follows from the skew. A longer queue would only have let clients wait longer."},
		{Kind: diagnose.Recycle, Title: "MSExchangeServicesAppPool was recycled once a node", Confidence: 0.7, From: after(27 * time.Hour), To: after(27*time.Hour + 20*time.Second), Nodes: names,
			Evidence: []diagnose.Evidence{row(7), row(8)}, Advice: "Look at the memory limit of the pool."},
		{Kind: diagnose.Code, Title: "\"400.2\" is a bad request, and not a full queue", Confidence: 0.4, Evidence: []diagnose.Evidence{row(9)}, Advice: "Nothing is to be done."},
	}
}

// fine is a farm on which nothing happened.
func fine() diagnose.Report {
	r := diagnose.Report{From: began, To: after(time.Hour), Nodes: []diagnose.Course{{Node: "EX01", Start: began, Step: 10 * time.Second}}}
	for range 360 {
		r.Nodes[0].Sessions = append(r.Nodes[0].Sessions, 40)
		r.Nodes[0].Requests = append(r.Nodes[0].Requests, 12)
	}
	r.Clear = []string{"No request was refused.", "No pool was off."}
	return r
}

// aboutOf is what a page says of itself.
func aboutOf() About {
	return About{Files: 212, Bytes: 4_012_345_678, Rows: 18_234_567, Rejected: 3, Version: "1.0"}
}
