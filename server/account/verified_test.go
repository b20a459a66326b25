package account_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
)

// A token that has been found good is held against time and keys again each time.
func TestVerifiedAgain(t *testing.T) {
	key := newKey(t)
	tokens := newTokens(t, key)
	token := issue(t, tokens)
	for name, c := range map[string]struct {
		at   time.Time
		code fault.Code
	}{
		"at once":         {t0, ""},
		"the last moment": {t0.Add(ttl + 29*time.Second), ""},
		"expired":         {t0.Add(ttl + 30*time.Second), fault.TokenExpired},
		"not issued yet":  {t0.Add(-31 * time.Second), fault.Unauthenticated},
	} {
		if _, err := tokens.Verify(token.Access, t0); err != nil {
			t.Fatal(err)
		}
		if _, err := tokens.Verify(token.Access, c.at); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want code %q", name, err, c.code)
		}
	}
	// A key that is no longer trusted takes its tokens along.
	other, err := account.ParseKeys(newKey(t))
	if err != nil {
		t.Fatal(err)
	}
	tokens.SetKeys(other)
	if _, err := tokens.Verify(token.Access, t0); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("a token of a key that is gone: %v", err)
	}
	same, err := account.ParseKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	tokens.SetKeys(same)
	if _, err := tokens.Verify(token.Access, t0); err != nil {
		t.Errorf("a token of a key that is back: %v", err)
	}
}

// However many tokens there are, memory is bounded, and each is still its own.
func TestVerifiedMany(t *testing.T) {
	tokens := newTokens(t, newKey(t))
	var first string
	for i := range 3000 {
		c := account.Caller{PlayerID: fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", i), SessionID: player}
		token, err := tokens.Issue(c, t0)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = token.Access
		}
		for range 2 {
			if got, err := tokens.Verify(token.Access, t0); err != nil || got != c {
				t.Fatalf("%+v, %v", got, err)
			}
		}
	}
	if got, err := tokens.Verify(first, t0); err != nil || got.PlayerID != "01890a5d-ac96-774b-bcce-000000000000" {
		t.Errorf("%+v, %v", got, err)
	}
}
