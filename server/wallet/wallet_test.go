package wallet_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/wallet"
)

func TestNewRefusesWhatIsNoTransfer(t *testing.T) {
	ana, bea := wallet.Player("ana"), wallet.Player("bea")
	for name, c := range map[string]struct {
		key     string
		entries []wallet.Entry
	}{
		"coins of nothing":     {"k", []wallet.Entry{{Account: ana, Amount: 5}}},
		"not level":            {"k", []wallet.Entry{{Account: ana, Amount: 5}, {Account: bea, Amount: -4}}},
		"nothing":              {"k", nil},
		"only zeros":           {"k", wallet.Move(ana, bea, 0)},
		"from and to the same": {"k", wallet.Move(ana, ana, 5)},
		"no key":               {"", wallet.Move(ana, bea, 5)},
		"no such account":      {"k", wallet.Move(ana, "bank:1", 5)},
		"no such house":        {"k", wallet.Move("house:mine", ana, 5)},
		"nobody's account":     {"k", wallet.Move(ana, wallet.Player(""), 5)},
		"too much":             {"k", wallet.Move(ana, bea, wallet.MaxAmount+1)},
	} {
		if tr, err := wallet.New("id", c.key, wallet.KindGrant, time.Time{}, c.entries...); err == nil {
			t.Errorf("%s: %+v", name, tr)
		}
	}
}

func TestNewPutsEntriesInOrder(t *testing.T) {
	ana, bea := wallet.Player("ana"), wallet.Player("bea")
	tr, err := wallet.New("id", "k", wallet.KindPot, time.Time{},
		wallet.Entry{Account: bea, Amount: 3}, wallet.Entry{Account: wallet.Escrow("t"), Amount: -7},
		wallet.Entry{Account: ana, Amount: 2}, wallet.Entry{Account: bea, Amount: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []wallet.Entry{{Account: wallet.Escrow("t"), Amount: -7}, {Account: ana, Amount: 2}, {Account: bea, Amount: 5}}
	for i, e := range tr.Entries {
		if e != want[i] {
			t.Errorf("entry %d is %+v, want %+v", i, e, want[i])
		}
	}
}

func TestHashTellsTransfersApart(t *testing.T) {
	ana, bea := wallet.Player("ana"), wallet.Player("bea")
	base := func(change func(*wallet.Transfer)) [32]byte {
		tr, err := wallet.New("id", "k", wallet.KindGrant, time.Time{}, wallet.Move(ana, bea, 5)...)
		if err != nil {
			t.Fatal(err)
		}
		change(tr)
		return tr.Hash()
	}
	first := base(func(*wallet.Transfer) {})
	if first != base(func(tr *wallet.Transfer) { tr.ID, tr.At = "other", time.Unix(1, 0) }) {
		t.Error("id and time are part of the hash")
	}
	input := func(tr *wallet.Transfer) { tr.Input = "a booster" }
	if base(input) != base(func(tr *wallet.Transfer) { input(tr); tr.Entries[0].Amount++; tr.Data = []byte("x") }) {
		t.Error("what follows from the input is part of the hash")
	}
	if first == base(input) || base(input) == base(func(tr *wallet.Transfer) { tr.Input = "a pass" }) {
		t.Error("the input is not part of the hash")
	}
	for name, change := range map[string]func(*wallet.Transfer){
		"kind":     func(tr *wallet.Transfer) { tr.Kind = wallet.KindPrize },
		"resolves": func(tr *wallet.Transfer) { tr.Resolves = "x" },
		"data":     func(tr *wallet.Transfer) { tr.Data = []byte("x") },
		"amount":   func(tr *wallet.Transfer) { tr.Entries[0].Amount++ },
		"account":  func(tr *wallet.Transfer) { tr.Entries[0].Account = wallet.Player("eva") },
	} {
		if first == base(change) {
			t.Errorf("%s is not part of the hash", name)
		}
	}
}

// What is kept is compared with what comes later: the hash stays as it is.
func TestHashStays(t *testing.T) {
	transfer := &wallet.Transfer{
		Kind: wallet.KindPot, Resolves: "escrow:table", Data: []byte(`{"match":"m"}`),
		Entries: wallet.Move(wallet.Escrow("table"), wallet.Player("ana"), 400),
	}
	const (
		plain = "71ea8263403a1cb3795bd1fc367fa3b6d8d9b2e41387c9785b8e59a6fd448013"
		input = "d0f3c575df3ad5a8ea2888b309edf75a62bb14d86336406720acf62b6b521677"
	)
	if got := fmt.Sprintf("%x", transfer.Hash()); got != plain {
		t.Error(got)
	}
	transfer.Input = "booster"
	if got := fmt.Sprintf("%x", transfer.Hash()); got != input {
		t.Error(got)
	}
}
