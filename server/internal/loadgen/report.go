package loadgen

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is what a run has measured.
type Report struct {
	Began time.Time `json:"began"`
	// Seconds that were measured, without warm-up and end.
	Seconds float64  `json:"seconds"`
	URLs    []string `json:"urls"`
	Mix     string   `json:"mix"`
	Series  []Series `json:"series"`
	// All of these are of the whole run, with warm-up and end.
	Totals Totals `json:"totals"`
	// Violations are what no server may do, whatever befalls it.
	Violations []string `json:"violations"`
	// ViolationCount is of all of them; only the first are told.
	ViolationCount int `json:"violationCount"`
}

// Totals count what the clients know to have happened, from the first request on.
type Totals struct {
	Players int64 `json:"players"`
	Matches int64 `json:"matches"`
	// Finished are the matches of them that were played to the end.
	Finished int64 `json:"finished"`
	// Events that were heard at all four seats, Acknowledged actions, and Views that
	// were held against the rules.
	Events       int64 `json:"events"`
	Acknowledged int64 `json:"acknowledged"`
	Views        int64 `json:"views"`
	// Sessions that were begun by signing in, and Posted transfers.
	Sessions int64 `json:"sessions"`
	Posted   int64 `json:"posted"`
	// Broken are sockets that ended though their client did not want it.
	Broken int64 `json:"broken"`
}

// Series is one sort of thing. Times are milliseconds from when it was due.
type Series struct {
	Name   string           `json:"name"`
	Count  int64            `json:"count"`
	Rate   float64          `json:"rate"`
	Unsent int64            `json:"unsent"`
	Errors map[string]int64 `json:"errors"`
	Mean   float64          `json:"meanMs"`
	P50    float64          `json:"p50Ms"`
	P90    float64          `json:"p90Ms"`
	P99    float64          `json:"p99Ms"`
	P999   float64          `json:"p999Ms"`
	Max    float64          `json:"maxMs"`
	// Points are by time.
	Points []Point `json:"points"`
	// HDR is the histogram of microseconds in the format of HdrHistogram, V2
	// compressed, base64.
	HDR string `json:"hdr"`
}

// Point is one interval of a series.
type Point struct {
	At   float64 `json:"at"` // seconds, its end
	Rate float64 `json:"rate"`
	P50  float64 `json:"p50Ms"`
	P99  float64 `json:"p99Ms"`
}

// Of is the series with that name, an empty one if there is none.
func (r *Report) Of(name string) Series {
	for _, s := range r.Series {
		if s.Name == name {
			return s
		}
	}
	return Series{Name: name}
}

// Write writes it for people.
func (r *Report) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s for %.0f s on %s\n\n", r.Mix, r.Seconds, strings.Join(r.URLs, ", "))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ms from when it was due\tdone\t/s\tp50\tp90\tp99\tp99.9\tmost\tunsent\terrors\t")
	for _, s := range r.Series {
		errors := int64(0)
		for _, n := range s.Errors {
			errors += n
		}
		if s.Count+s.Unsent+errors == 0 {
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%d\t%d\t\n",
			s.Name, s.Count, s.Rate, s.P50, s.P90, s.P99, s.P999, s.Max, s.Unsent, errors)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.Series {
		for _, code := range slices.Sorted(maps.Keys(s.Errors)) {
			fmt.Fprintf(w, "%s: %d × %s\n", s.Name, s.Errors[code], code)
		}
	}
	n := r.Totals
	fmt.Fprintf(w, "\nin all: %d players, %d sessions, %d matches (%d finished), %d events at four seats each, %d actions acknowledged, %d views checked, %d postings, %d sockets broken\n",
		n.Players, n.Sessions, n.Matches, n.Finished, n.Events, n.Acknowledged, n.Views, n.Posted, n.Broken)
	for _, v := range r.Violations {
		fmt.Fprintln(w, "VIOLATION:", v)
	}
	_, err := fmt.Fprintf(w, "%d violations\n", r.ViolationCount)
	return err
}
