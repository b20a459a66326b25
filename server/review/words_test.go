package review

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Every code says something in every language, with the same places in each.
func TestEveryCodeHasItsTexts(t *testing.T) {
	for _, code := range coach.Codes() {
		places := ""
		for i, language := range Languages {
			text := Text(code).In(language)
			if err := Text(code).Check("text", 120); err != nil {
				t.Errorf("%v: %v", code, err)
			}
			if strings.HasPrefix(text, "{") || !strings.HasSuffix(text, ".") {
				t.Errorf("%v: %q is no sentence", code, text)
			}
			found := ""
			for _, place := range []string{"{better}", "{points}", "{chance}"} {
				found += strings.Repeat(place, strings.Count(text, place))
			}
			if i > 0 && found != places {
				t.Errorf("%v: %q names %s, another language %s", code, text, found, places)
			}
			places = found
			said := Say(coach.Reason{Code: code, Better: rules.Play(0), Points: 40, Chance: 6250}, language)
			if strings.ContainsAny(said, "{}") {
				t.Errorf("%v: %q", code, said)
			}
		}
	}
	if len(texts) != len(coach.Codes()) {
		t.Errorf("%d texts of %d codes", len(texts), len(coach.Codes()))
	}
}

func TestSay(t *testing.T) {
	for _, test := range []struct {
		reason   coach.Reason
		language string
		want     string
	}{
		{coach.Reason{Code: coach.BidMissed, Better: rules.Cuatrola, Chance: 7963}, "es", "Había juego para apostar: la cuatrola sale el 80\u00a0% de las veces."},
		{coach.Reason{Code: coach.TrumpsLeftOut, Better: rules.Play(rules.NewCard(rules.Ace, rules.Oros))}, "ca", "Quedaven trumfos fora: convenia arrossegar amb l’as d’oros."},
		{coach.Reason{Code: coach.PointsThrown, Better: rules.Play(rules.NewCard(rules.Jack, rules.Copas)), Points: 10}, "en", "You gave 10 points to a trick that was theirs: the jack of cups was better."},
		{coach.Reason{Code: coach.CanteKept, Better: rules.Sing(rules.Bastos), Points: 40}, "en", "You kept silent on 40 points that cost nothing: singing clubs was better."},
	} {
		if got := Say(test.reason, test.language); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// A card of which no higher one is out can still be ruffed: what is said of it is said
// of its suit alone.
func TestCardsAreHighInTheirSuit(t *testing.T) {
	for _, code := range []coach.Code{coach.SureTrickLeft, coach.SureTrickEarly, coach.WinnerThrown} {
		for i, suit := range []string{"palo", "coll", "suit"} {
			if text := Text(code).In(Languages[i]); !strings.Contains(text, suit) {
				t.Errorf("%v: %q", code, text)
			}
		}
	}
}

func TestEveryActionHasItsPhrase(t *testing.T) {
	seen := map[string]bool{}
	for a := rules.Action(0); a <= rules.Silent; a++ {
		for _, language := range Languages {
			text := Phrase(a).In(language)
			if text == "" || seen[language+text] {
				t.Errorf("%v: %q", a, text)
			}
			seen[language+text] = true
		}
	}
}

// The npm package says the same: its texts are written from these.
func TestPackageHasTheSameTexts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "review.gen.ts")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "./gen", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../wasm/src/review.gen.ts")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("wasm/src/review.gen.ts is not what `make generate` writes")
	}
}
