package support

// What players are told, in each language. What the operator has typed comes behind it
// as it is.

// About is what a warning is about.
type About string

// What there is to warn of.
const (
	AboutFairness About = "fairness"
	AboutWords    About = "words"
	AboutName     About = "name"
	AboutStalling About = "stalling"
	AboutRules    About = "rules"
)

var warnings = map[About]map[string]string{
	AboutFairness: {
		"es": "Aviso de la casa: en Cuatrola se juega limpio. Si vuelve a pasar, cerraremos tu cuenta por un tiempo.",
		"ca": "Avís de la casa: a Cuatrola es juga net. Si torna a passar, tancarem el teu compte durant un temps.",
		"en": "A warning from the house: Cuatrola is played fair. If it happens again, your account will be closed for a while.",
	},
	AboutWords: {
		"es": "Aviso de la casa: trata a los demás con respeto. Si vuelve a pasar, cerraremos tu cuenta por un tiempo.",
		"ca": "Avís de la casa: tracta els altres amb educació. Si torna a passar, tancarem el teu compte durant un temps.",
		"en": "A warning from the house: treat the others with respect. If it happens again, your account will be closed for a while.",
	},
	AboutName: {
		"es": "Aviso de la casa: elige nombres que no ofendan a nadie.",
		"ca": "Avís de la casa: tria noms que no ofenguin ningú.",
		"en": "A warning from the house: choose names that offend nobody.",
	},
	AboutStalling: {
		"es": "Aviso de la casa: no hagas esperar a la mesa ni dejes las partidas a medias.",
		"ca": "Avís de la casa: no facis esperar la taula ni deixis les partides a mitges.",
		"en": "A warning from the house: do not keep the table waiting, and finish the matches that you begin.",
	},
	AboutRules: {
		"es": "Aviso de la casa: respeta las normas de Cuatrola.",
		"ca": "Avís de la casa: respecta les normes de Cuatrola.",
		"en": "A warning from the house: keep to the rules of Cuatrola.",
	},
}

// warning is what a player is warned of.
func warning(about About, words string) (text map[string]string, ok bool) {
	known, ok := warnings[about]
	text = make(map[string]string, len(known))
	for language, sentence := range known {
		if words != "" {
			sentence += "\n\n" + words
		}
		text[language] = sentence
	}
	return text, ok
}

func renamed(to string) map[string]string {
	return map[string]string{
		"es": "La casa te ha cambiado el nombre: ahora te llamas " + to + ". El anterior no cumplía las normas.",
		"ca": "La casa t'ha canviat el nom: ara et dius " + to + ". L'anterior no complia les normes.",
		"en": "The house has changed your name: you are called " + to + " now. The one before was against the rules.",
	}
}

var merged = map[string]string{
	"es": "Lo que tenías como invitado está ahora en esta cuenta.",
	"ca": "El que tenies com a convidat és ara en aquest compte.",
	"en": "What you had as a guest is in this account now.",
}
