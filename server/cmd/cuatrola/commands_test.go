package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// asCommand makes the test binary be the command itself.
const asCommand = "CUATROLA_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

type output struct {
	stdout, stderr string
	status         int
}

// run runs the command in a process of its own, as a shell would.
func run(t *testing.T, stdin string, args ...string) output {
	t.Helper()
	return runIn(t.Context(), t, nil, stdin, args...)
}

// runIn is run with more in the environment.
func runIn(ctx context.Context, t *testing.T, env []string, stdin string, args ...string) output {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), asCommand+"=1"), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return output{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// Every line is answered or reported with its number, and the rest is answered
// all the same.
func TestLinesAreAnsweredOneByOne(t *testing.T) {
	const (
		pos  = `{"rules":"liga","trump":"B","seat":2,"trick":[],"hand":["SB","CO"]}`
		good = `{"format":"cuatrola-record/1","rules":"liga","hands":[]}`
	)
	long := `{"v":"` + strings.Repeat("x", maxLine) + `"}`
	for _, c := range []struct {
		what  string
		stdin string
		args  []string
		want  output
	}{
		{"positions", pos + "\n" + pos + "\n", []string{"legal"}, output{"{\"legal\":[\"CO\",\"SB\"]}\n{\"legal\":[\"CO\",\"SB\"]}\n", "", 0}},
		{"no line end, standard input by name", pos, []string{"legal", "-"}, output{"{\"legal\":[\"CO\",\"SB\"]}\n", "", 0}},
		{"line ends of another system", pos + "\r\n", []string{"legal"}, output{"{\"legal\":[\"CO\",\"SB\"]}\n", "", 0}},
		{"nothing", "", []string{"replay"}, output{"", "", 0}},
		{"blank lines", "\n  \n" + good + "\n\n", []string{"replay"}, output{`{"ok":true,"hands":[],"score":[0,0],"winner":null}` + "\n", "", 0}},
		{"a bad line among good ones", good + "\nx\n" + good + "\n", []string{"replay"}, output{
			strings.Repeat(`{"ok":true,"hands":[],"score":[0,0],"winner":null}`+"\n", 2), "line 2: not JSON\n", 1,
		}},
		{"a line too long", long + "\n" + good + "\n", []string{"replay", "--trace"}, output{
			`{"result":{"ok":true,"hands":[],"score":[0,0],"winner":null},"trace":[]}` + "\n", fmt.Sprintf("line 1: longer than %d bytes\n", maxLine), 1,
		}},
		{"an unknown option", `{"record":{"format":"cuatrola-record/1","rules":{"preset":"mesa","target":100},"hands":[]}}`, []string{"replay"}, output{
			"", "line 1: rules: option target has a value it cannot take\n", 1,
		}},
		{"an unknown option that is no name", `{"format":"cuatrola-record/1","rules":{"preset":"mesa","a\nline 7: b\u001b[2J":1},"hands":[]}`, []string{"replay"}, output{
			"", "line 1: rules: option a?line 7: b?[2J has a value it cannot take\n", 1,
		}},
		{"points of records", good + "\nx\n" + good + "\n", []string{"solve"}, output{
			strings.Repeat(`{"ok":false,"hand":0,"action":null,"error":"no_such_moment"}`+"\n", 2), "line 2: not JSON\n", 1,
		}},
		{"a record without a proof", good, []string{"fair", "verify"}, output{"", "line 1: fair is missing\n", 1}},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := run(t, c.stdin, c.args...); got != c.want {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
	if got := run(t, "", "replay", filepath.Join(t.TempDir(), "none")); got.status != 1 || got.stderr == "" {
		t.Errorf("a file that there is not: %+v", got)
	}
	file := filepath.Join(t.TempDir(), "records")
	if err := os.WriteFile(file, []byte(good+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, "", "replay", file); got.status != 0 || !strings.HasPrefix(got.stdout, `{"ok":true`) {
		t.Errorf("a file: %+v", got)
	}
}

// A last line without its end is answered like any other, however long it is:
// also where it ends with what is read at once.
func TestLastLineOfAnyLength(t *testing.T) {
	const record = `{"format":"cuatrola-record/1","rules":"liga","hands":[],"v":""}`
	for _, length := range []int{100, 1<<12 - 1, 1 << 12, 1<<16 - 1, 1 << 16, 1<<16 + 1, 5 << 16, maxLine - 1, maxLine, maxLine + 1, maxLine + 1<<16} {
		line := strings.Replace(record, `""`, `"`+strings.Repeat("x", length-len(record))+`"`, 1)
		want := output{`{"ok":true,"hands":[],"score":[0,0],"winner":null}` + "\n", "", 0}
		if length > maxLine {
			want = output{"", fmt.Sprintf("line 1: longer than %d bytes\n", maxLine), 1}
		}
		for _, end := range []string{"", "\n", "\r\n"} {
			if got := run(t, line+end, "replay"); got != want {
				t.Errorf("%d bytes, end %q: %+v", len(line), end, got)
			}
		}
	}
}

// What bots play is legal, ends with a winner and is dealt fairly.
func TestBotsPlayWholeMatches(t *testing.T) {
	for _, flags := range [][]string{
		{"--rules", "clasica"},
		{"--rules", "mesa", "--random"},
		{"--rules", "mesa-quintola", "--random"},
		{"--rules", "liga", "--level", "tabernero"},
		{"--rules", "liga", "--level", "maestro"},
		{"--rules", `{"preset":"liga","target":5,"end":"hands","cantes":"auto"}`, "--random"},
	} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			played := run(t, "", append([]string{"bots", "--matches", "5", "--seed", "7"}, flags...)...)
			if played.status != 0 || len(lines(played.stdout)) != 5 {
				t.Fatalf("%+v", played)
			}
			replayed := run(t, played.stdout, "replay")
			for _, line := range lines(replayed.stdout) {
				if !strings.HasPrefix(line, `{"ok":true`) || strings.HasSuffix(line, `"winner":null}`) {
					t.Errorf("%.200s", line)
				}
			}
			fair := run(t, played.stdout, "fair", "verify")
			if fair.status != 0 || strings.Count(fair.stdout, `"ok":true`) != 5 {
				t.Errorf("%+v", fair)
			}
		})
	}
}

// Players play each other on the same cards; what comes of it can be had again.
func TestBotsMatch(t *testing.T) {
	words := run(t, "", "bots", "match", "greedy", "random/never", "--rules", "liga", "--deals", "20", "--mode", "matches")
	if words.status != 0 || !strings.HasPrefix(words.stdout, "greedy against random/never, matches: 20 deals from both sides, seed 1") ||
		!strings.HasSuffix(words.stderr, "100 % of 20 deals\n") {
		t.Errorf("%+v", words)
	}
	var shares [2]float64
	for i, workers := range []string{"1", "3"} {
		var r struct {
			A, B, Rules, Mode string
			Wins              struct{ N, Mean float64 }
		}
		got := run(t, "", "bots", "match", "pimc5", "greedy", "--rules", "mesa", "--deals", "30", "--workers", workers, "--json")
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || r.A != "pimc5" || r.Rules != "mesa" || r.Mode != "hands" || r.Wins.N != 60 {
			t.Errorf("%v: %+v", err, got)
		}
		shares[i] = r.Wins.Mean
	}
	if shares[0] != shares[1] {
		t.Errorf("workers decide who wins: %v", shares)
	}
	for _, args := range [][]string{{"greedy", "?"}, {"?", "greedy"}, {"greedy", "greedy", "--deals", "0"}, {"greedy", "greedy", "--rules", "?"}, {"greedy"}} {
		if got := run(t, "", append([]string{"bots", "match"}, args...)...); got.status == 0 || got.stdout != "" && strings.Contains(got.stdout, "against") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestBotsRepeatThemselves(t *testing.T) {
	once := run(t, "", "bots", "--matches", "3", "--seed", "5", "--random")
	again := run(t, "", "bots", "--matches", "3", "--seed", "5", "--random")
	other := run(t, "", "bots", "--matches", "3", "--seed", "6", "--random")
	if once != again || once == other {
		t.Error("a seed does not decide what is played, or not alone")
	}
	if more := run(t, "", "bots", "--matches", "4", "--seed", "5", "--random"); !strings.HasPrefix(more.stdout, once.stdout) {
		t.Error("the first matches depend on how many there are")
	}
	if l := lines(once.stdout); l[0] == l[1] {
		t.Error("two matches are the same")
	}
}

// The last action of a spoiled record, and nothing before it, is refused.
func TestBotsIllegal(t *testing.T) {
	const matches = 300
	played := run(t, "", "bots", "--matches", fmt.Sprint(matches), "--rules", "liga", "--random", "--illegal")
	reasons := map[string]int{}
	results := lines(run(t, played.stdout, "replay").stdout)
	for i, line := range lines(played.stdout) {
		r, err := record.Parse([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		var result struct {
			OK           bool
			Hand, Action int
			Error        string
		}
		if err := json.Unmarshal([]byte(results[i]), &result); err != nil {
			t.Fatal(err)
		}
		last := len(r.Hands) - 1
		if result.OK || result.Hand != last || result.Action != len(r.Hands[last].Actions)-1 {
			t.Errorf("match %d: %+v", i, result)
		}
		reasons[result.Error]++
	}
	for _, why := range []rules.Reason{rules.MatchOver, rules.HandOver, rules.WrongPhase, rules.BidTooLow, rules.CardUnknown, rules.CardNotInHand, rules.MustFollow, rules.MustBeat, rules.MustTrump} {
		if reasons[why.String()] == 0 {
			t.Errorf("%v does not come up: %v", why, reasons)
		}
	}
}

func TestBotsRefuseBadFlags(t *testing.T) {
	for _, flags := range [][]string{
		{"--rules", "tute"}, {"--rules", `{"preset":"mesa","target":0}`}, {"--rules", `{"preset"`}, {"--level", "emperador"}, {"--matches", "many"},
	} {
		if got := run(t, "", append([]string{"bots"}, flags...)...); got.status == 0 || strings.Contains(got.stdout, record.Format) || got.stderr == "" {
			t.Errorf("%v: %+v", flags, got)
		}
	}
}

// A dishonest record among honest ones is pointed at; all are answered.
func TestFairVerify(t *testing.T) {
	honest := lines(run(t, "", "bots", "--matches", "3", "--random").stdout)
	swapped := mustParse(t, honest[1])
	deal := &swapped.Hands[2].Deal
	deal[0][0], deal[1][0] = deal[1][0], deal[0][0]
	got := run(t, strings.Join([]string{honest[0], string(swapped.Append(nil)), honest[2]}, "\n"), "fair", "verify", "-")
	answers := lines(got.stdout)
	if got.status != 1 || len(answers) != 3 || answers[1] != `{"ok":false,"error":"deal_mismatch","hand":2}` ||
		!strings.HasPrefix(answers[0], `{"ok":true,"hands":`) || !strings.HasPrefix(answers[2], `{"ok":true,"hands":`) {
		t.Errorf("%+v", got)
	}
}

// The coach's table has a row for each action and says how well each seat played; its JSON
// is a line for each record. What is at fault is answered up to there.
func TestReview(t *testing.T) {
	whole := mustParse(t, run(t, "", "bots", "--random", "--rules", `{"preset":"liga","target":3}`).stdout)
	whole.Hands = whole.Hands[:1]
	line := string(whole.Append(nil))
	got := run(t, line, "review", "--lang", "ca")
	rows := lines(got.stdout)
	if got.status != 0 || !strings.HasPrefix(rows[0], "Mà 0 · trumfo ") || len(rows) != len(whole.Hands[0].Actions)+5 ||
		!strings.HasPrefix(rows[len(rows)-1], "Encert: 0 random ") {
		t.Errorf("%d rows of %d actions: %+v", len(rows), len(whole.Hands[0].Actions), got)
	}
	if got.stderr != "" {
		t.Errorf("where nobody watches: %q", got.stderr)
	}
	for i, a := range whole.Hands[0].Actions {
		if !strings.Contains(rows[2+i], "  "+a.String()+" ") {
			t.Errorf("action %d, %v: %q", i, a, rows[2+i])
		}
	}
	var answer struct {
		OK    bool
		Error string
		Hands []struct {
			Decisions []struct {
				Played  string
				Reasons []struct{ Code, Text string }
			}
		}
		Seats []struct{ Accuracy float64 }
	}
	got = run(t, line, "review", "--json", "--hand", "0")
	if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil || !answer.OK || len(answer.Hands) != 1 || len(answer.Seats) != rules.Seats {
		t.Fatalf("%v: %+v", err, got)
	}
	for i, d := range answer.Hands[0].Decisions {
		if d.Played != whole.Hands[0].Actions[i].String() || len(d.Reasons) == 0 || d.Reasons[0].Text == "" {
			t.Errorf("%d: %+v", i, d)
		}
	}
	if got := run(t, line, "review", "--hand", "1"); got.status != 1 || !strings.Contains(got.stderr, "line 1: there is no finished hand 1") {
		t.Errorf("%+v", got)
	}
	whole.Hands[0].Actions = append(whole.Hands[0].Actions, rules.Pass)
	if got := run(t, string(whole.Append(nil)), "review", "--lang", "en"); got.status != 0 || !strings.Contains(got.stdout, "The record is at fault: 0/") {
		t.Errorf("%+v", got)
	}
	if got := run(t, line, "review", "--lang", "de"); got.status == 0 {
		t.Errorf("%+v", got)
	}
}

func mustParse(t *testing.T, line string) *record.Record {
	t.Helper()
	r, err := record.Parse([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
