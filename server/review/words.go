package review

import (
	"strconv"
	"strings"

	"github.com/cuatrola/cuatrola/server/words"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/rules"
)

//go:generate go run ./gen ../../wasm/src/review.gen.ts

// Texts of the coach's reasons, by code. {better}, {points} and {chance} stand for what a
// reason names. None begins with one of them, so that none needs a capital.
//
// They are said here alone: the npm package's are written from them.
var texts = map[coach.Code]words.Words{
	coach.OnlyMove: {
		ES: "No había otra.",
		CA: "No n’hi havia cap altra.",
		EN: "There was nothing else.",
	},
	coach.BestMove: {
		ES: "Lo mejor con lo que sabías.",
		CA: "El millor amb el que sabies.",
		EN: "The best with what you knew.",
	},
	coach.NearlyBest: {
		ES: "Bien; algo mejor era {better}.",
		CA: "Bé; una mica millor era {better}.",
		EN: "Good; slightly better was {better}.",
	},
	coach.Unlucky: {
		ES: "Bien hecho y mala suerte: con estas cartas era mejor {better}.",
		CA: "Ben fet i mala sort: amb aquestes cartes era millor {better}.",
		EN: "Right, but unlucky: as the cards lay, {better} was better.",
	},
	coach.Lucky: {
		ES: "Hubo suerte: con estas cartas salió bien.",
		CA: "Hi va haver sort: amb aquestes cartes va sortir bé.",
		EN: "Lucky: as the cards lay, it was right.",
	},
	coach.BidSound: {
		ES: "Buena apuesta: sale el {chance} de las veces.",
		CA: "Bona aposta: surt el {chance} de les vegades.",
		EN: "A sound bid: it is made {chance} of the time.",
	},
	coach.BidRisky: {
		ES: "Apuesta arriesgada: sale el {chance} de las veces, y era mejor pasar.",
		CA: "Aposta arriscada: surt el {chance} de les vegades, i era millor passar.",
		EN: "A risky bid: it is made {chance} of the time, and passing was better.",
	},
	coach.BidMissed: {
		ES: "Había juego para apostar: {better} sale el {chance} de las veces.",
		CA: "Hi havia joc per apostar: {better} surt el {chance} de les vegades.",
		EN: "The hand was worth a bid: {better} is made {chance} of the time.",
	},
	coach.BidLow: {
		ES: "Te quedaste corto: {better} sale el {chance} de las veces.",
		CA: "Et vas quedar curt: {better} surt el {chance} de les vegades.",
		EN: "Too low: {better} is made {chance} of the time.",
	},
	coach.BidHigh: {
		ES: "Demasiado alto: sale el {chance} de las veces, y era mejor {better}.",
		CA: "Massa alt: surt el {chance} de les vegades, i era millor {better}.",
		EN: "Too high: it is made {chance} of the time, and {better} was better.",
	},
	coach.PassSound: {
		ES: "Bien pasado: {better} saldría el {chance} de las veces.",
		CA: "Ben passat: {better} sortiria el {chance} de les vegades.",
		EN: "A sound pass: {better} would be made {chance} of the time.",
	},
	coach.SilenceRight: {
		ES: "Bien callado: convenía guardar el cante.",
		CA: "Ben callat: convenia guardar el cant.",
		EN: "Rightly silent: the cante was worth keeping.",
	},
	coach.CanteKept: {
		ES: "Callaste {points} puntos que no costaban nada: era mejor {better}.",
		CA: "Vas callar {points} punts que no costaven res: era millor {better}.",
		EN: "You kept silent on {points} points that cost nothing: {better} was better.",
	},
	coach.CanteSmaller: {
		ES: "Había un cante mejor: {better}, {points} puntos.",
		CA: "Hi havia un cant millor: {better}, {points} punts.",
		EN: "There was a better cante: {better}, {points} points.",
	},
	coach.CanteEarly: {
		ES: "Convenía callar y guardar el cante.",
		CA: "Convenia callar i guardar el cant.",
		EN: "It was better to keep silent and save the cante.",
	},
	coach.MarriageBroken: {
		ES: "Rompiste rey y caballo, un cante de {points}: era mejor {better}.",
		CA: "Vas trencar rei i cavall, un cant de {points}: era millor {better}.",
		EN: "You broke up king and knight, a cante of {points}: {better} was better.",
	},
	coach.TrumpsLeftOut: {
		ES: "Quedaban triunfos fuera: convenía arrastrar con {better}.",
		CA: "Quedaven trumfos fora: convenia arrossegar amb {better}.",
		EN: "There were trumps left to draw: {better} was the lead.",
	},
	coach.TrumpsEarly: {
		ES: "Aún no tocaba arrastrar: mejor {better}.",
		CA: "Encara no tocava arrossegar: millor {better}.",
		EN: "Not the moment to lead trumps: {better} was better.",
	},
	coach.LedIntoRuff: {
		ES: "Saliste a un palo que un contrario puede fallar: mejor {better}.",
		CA: "Vas sortir a un coll que un contrari pot fallar: millor {better}.",
		EN: "You led a suit that an opponent can ruff: {better} was better.",
	},
	coach.TenExposed: {
		ES: "Expusiste {points} puntos a una carta mayor: mejor {better}.",
		CA: "Vas exposar {points} punts a una carta més alta: millor {better}.",
		EN: "You exposed {points} points to a higher card: {better} was better.",
	},
	coach.SureTrickLeft: {
		ES: "Convenía salir con {better}: nadie más tenía una carta mayor de su palo.",
		CA: "Convenia sortir amb {better}: ningú més no tenia cap carta més alta del seu coll.",
		EN: "The lead was {better}: nobody else had a higher card of its suit.",
	},
	coach.SureTrickEarly: {
		ES: "Convenía guardar esa carta, pues nadie más tenía otra mayor de su palo: mejor {better}.",
		CA: "Convenia guardar aquesta carta, ja que ningú més no en tenia cap de més alta del seu coll: millor {better}.",
		EN: "That card was worth keeping, as nobody else had a higher one of its suit: {better} was better.",
	},
	coach.PointsThrown: {
		ES: "Echaste {points} puntos a una baza que era de los otros: mejor {better}.",
		CA: "Vas tirar {points} punts a una basa que era dels altres: millor {better}.",
		EN: "You gave {points} points to a trick that was theirs: {better} was better.",
	},
	coach.PartnerUnfed: {
		ES: "La baza era del compañero: podías darle {points} puntos con {better}.",
		CA: "La basa era del company: podies donar-li {points} punts amb {better}.",
		EN: "The trick was your partner’s: {better} would have given it {points} points.",
	},
	coach.TrumpWasted: {
		ES: "Gastaste un triunfo en una baza que ya era del compañero: mejor {better}.",
		CA: "Vas gastar un trumfo en una basa que ja era del company: millor {better}.",
		EN: "You spent a trump on a trick that was your partner’s: {better} was better.",
	},
	coach.TrumpThrown: {
		ES: "Gastaste un triunfo sin ganar la baza: mejor {better}.",
		CA: "Vas gastar un trumfo sense guanyar la basa: millor {better}.",
		EN: "You spent a trump without winning the trick: {better} was better.",
	},
	coach.WinnerThrown: {
		ES: "Tiraste una carta que nadie más superaba en su palo: mejor {better}.",
		CA: "Vas tirar una carta que ningú més no superava en el seu coll: millor {better}.",
		EN: "You threw away a card that nobody else could beat in its suit: {better} was better.",
	},
	coach.TookDearly: {
		ES: "Te llevaste la baza demasiado cara: mejor {better}.",
		CA: "Et vas endur la basa massa cara: millor {better}.",
		EN: "You took the trick too dearly: {better} was better.",
	},
	coach.TookLow: {
		ES: "Con esa carta aún podían quitarte la baza: mejor {better}.",
		CA: "Amb aquesta carta encara et podien prendre la basa: millor {better}.",
		EN: "That card could still be beaten: {better} was better.",
	},
	coach.TrickDeclined: {
		ES: "Convenía llevarse la baza con {better}.",
		CA: "Convenia endur-se la basa amb {better}.",
		EN: "The trick was worth taking with {better}.",
	},
	coach.TookNeedlessly: {
		ES: "No convenía llevarse esta baza: mejor {better}.",
		CA: "No convenia endur-se aquesta basa: millor {better}.",
		EN: "The trick was better left: {better} was better.",
	},
	coach.BetterCard: {
		ES: "Con {better} ganabas la mano un {chance} más de las veces.",
		CA: "Amb {better} guanyaves la mà un {chance} més de les vegades.",
		EN: "With {better} you would win the hand {chance} more of the time.",
	},
	coach.OtherCard: {
		ES: "Era mejor {better}.",
		CA: "Era millor {better}.",
		EN: "The better choice was {better}.",
	},
}

// Text is a code's in each language, with its places for what a reason names.
func Text(c coach.Code) words.Words { return texts[c] }

// Say is a reason in a language: es, ca or en.
func Say(r coach.Reason, language string) string {
	text := texts[r.Code].In(language)
	if !strings.Contains(text, "{") {
		return text
	}
	percent := strconv.Itoa((int(r.Chance)*100+coach.Whole/2)/coach.Whole) + percentSign.In(language)
	return strings.NewReplacer(
		"{better}", Phrase(r.Better).In(language),
		"{points}", strconv.Itoa(int(r.Points)),
		"{chance}", percent,
	).Replace(text)
}

// percentSign stands behind a number; a space before it must not break the line.
var percentSign = words.Words{ES: "\u00a0%", CA: "\u00a0%", EN: "%"}

var (
	ranks = [rules.Ranks]words.Words{
		{ES: "la sota de ", CA: "la sota ", EN: "the jack of "},
		{ES: "el caballo de ", CA: "el cavall ", EN: "the knight of "},
		{ES: "el rey de ", CA: "el rei ", EN: "the king of "},
		{ES: "el tres de ", CA: "el tres ", EN: "the three of "},
		{ES: "el as de ", CA: "l’as ", EN: "the ace of "},
	}
	suits = [rules.Suits]words.Words{
		{ES: "oros", CA: "oros", EN: "coins"},
		{ES: "copas", CA: "copes", EN: "cups"},
		{ES: "espadas", CA: "espases", EN: "swords"},
		{ES: "bastos", CA: "bastos", EN: "clubs"},
	}
	others = map[rules.Action]words.Words{
		rules.Pass:     {ES: "pasar", CA: "passar", EN: "passing"},
		rules.Solo:     {ES: "el solo", CA: "el solo", EN: "a solo"},
		rules.Cuatrola: {ES: "la cuatrola", CA: "la cuatrola", EN: "a cuatrola"},
		rules.Quintola: {ES: "la quintola", CA: "la quintola", EN: "a quintola"},
		rules.Silent:   {ES: "callar", CA: "callar", EN: "keeping silent"},
	}
)

// Phrase is an action as it stands in a sentence: "el as de oros", "cantar copas".
func Phrase(a rules.Action) words.Words {
	if c, ok := a.Card(); ok {
		rank, suit := ranks[c.Rank()], suits[c.Suit()]
		of := "de "
		if c.Suit() == rules.Oros || c.Suit() == rules.Espadas { // before a vowel
			of = "d’"
		}
		return words.Words{ES: rank.ES + suit.ES, CA: rank.CA + of + suit.CA, EN: rank.EN + suit.EN}
	}
	if s, ok := a.Suit(); ok {
		return words.Words{ES: "cantar " + suits[s].ES, CA: "cantar " + suits[s].CA, EN: "singing " + suits[s].EN}
	}
	return others[a]
}
