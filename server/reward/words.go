package reward

import (
	"encoding/json"
	"fmt"

	"github.com/cuatrola/cuatrola/server/wallet"
)

// Words is a line of a statement in each language.
type Words struct{ ES, CA, EN string }

// words of each kind of transfer that says nothing more about itself.
var words = map[wallet.Kind]Words{
	wallet.KindWelcome:  {"Regalo de bienvenida", "Regal de benvinguda", "Welcome gift"},
	wallet.KindDaily:    {"Recompensa diaria", "Recompensa diària", "Daily reward"},
	wallet.KindGrant:    {"Regalo de la casa", "Regal de la casa", "Gift of the house"},
	wallet.KindReward:   {"Partida", "Partida", "Match"},
	wallet.KindPrize:    {"Premio de la liga", "Premi de la lliga", "League prize"},
	wallet.KindPurchase: {"Compra", "Compra", "Purchase"},
	wallet.KindClawback: {"Compra devuelta", "Compra retornada", "Purchase taken back"},
	wallet.KindSettle:   {"Deuda saldada", "Deute saldat", "Debt settled"},
	wallet.KindStake:    {"Entrada de una mesa", "Entrada d'una taula", "Entry of a table"},
	wallet.KindPot:      {"Bote de una mesa", "Pot d'una taula", "Pot of a table"},
	wallet.KindRefund:   {"Entrada devuelta", "Entrada retornada", "Entry given back"},
	wallet.KindBooster:  {"Booster de oro", "Booster d'or", "Gold booster"},
	wallet.KindVIP:      {"Pase VIP", "Passi VIP", "VIP pass"},
	wallet.KindMerge:    {"Cuentas unidas", "Comptes units", "Accounts merged"},
}

// WordsFor puts a line of a statement into words.
func WordsFor(line wallet.Line) Words {
	w := words[line.Kind]
	switch line.Kind {
	case wallet.KindGrant:
		if line.Amount < 0 {
			return Words{"Corrección de la casa", "Correcció de la casa", "Correction by the house"}
		}
	case wallet.KindReward:
		var r matchReceipt
		if json.Unmarshal(line.Data, &r) == nil && r.Match != "" {
			if r.Won {
				return Words{"Partida ganada", "Partida guanyada", "Match won"}
			}
			return Words{"Partida perdida", "Partida perduda", "Match lost"}
		}
	case wallet.KindPrize:
		var r struct {
			Rank int `json:"rank"`
		}
		if json.Unmarshal(line.Data, &r) == nil && r.Rank > 0 {
			return Words{
				fmt.Sprintf("%s, puesto %d", w.ES, r.Rank), fmt.Sprintf("%s, lloc %d", w.CA, r.Rank), fmt.Sprintf("%s, rank %d", w.EN, r.Rank),
			}
		}
	case wallet.KindDaily:
		var r receipt
		if json.Unmarshal(line.Data, &r) == nil && r.Streak > 1 {
			return Words{
				fmt.Sprintf("%s, día %d seguido", w.ES, r.Streak), fmt.Sprintf("%s, dia %d seguit", w.CA, r.Streak),
				fmt.Sprintf("%s, day %d in a row", w.EN, r.Streak),
			}
		}
	}
	return w
}

// DetailsFor is what a line's data tells the player whose line it is, as JSON; nil for
// nothing.
func DetailsFor(line wallet.Line) []byte {
	if line.Kind == wallet.KindGrant { // who gave it, and why, is the house's affair
		return nil
	}
	return line.Data
}
