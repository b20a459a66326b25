package talk

// Line is something that can be said at a table. Its code is for ever; its words are
// what clients show, each in its player's language.
type Line struct {
	Code string
	// Symbol is a reaction's picture; empty for phrases.
	Symbol string
	ES     string
	CA     string
	EN     string
}

// Reaction says whether the line is shown as a picture; its words then say what it is.
func (l Line) Reaction() bool { return l.Symbol != "" }

var lines = []Line{
	{Code: "hello", ES: "¡Buenas!", CA: "Bones!", EN: "Hello there!"},
	{Code: "good_luck", ES: "¡Suerte!", CA: "Sort!", EN: "Good luck!"},
	{Code: "well_played", ES: "¡Bien jugado!", CA: "Ben jugat!", EN: "Well played!"},
	{Code: "well_sung", ES: "¡Vaya cante!", CA: "Quin cant!", EN: "What a cante!"},
	{Code: "trust_me", ES: "Confía, compañero", CA: "Confia, company", EN: "Trust me, partner"},
	{Code: "your_turn", ES: "Te toca", CA: "Et toca", EN: "Your turn"},
	{Code: "thinking", ES: "Déjame pensar", CA: "Deixa'm pensar", EN: "Let me think"},
	{Code: "sorry", ES: "Perdón, fallo mío", CA: "Perdó, culpa meva", EN: "Sorry, my mistake"},
	{Code: "thanks", ES: "¡Gracias!", CA: "Gràcies!", EN: "Thanks!"},
	{Code: "so_close", ES: "¡Por poco!", CA: "Per ben poc!", EN: "So close!"},
	{Code: "another", ES: "¿Otra?", CA: "Una altra?", EN: "Another one?"},
	{Code: "goodbye", ES: "¡Hasta otra!", CA: "A reveure!", EN: "See you!"},
	{Code: "clap", Symbol: "👏", ES: "Aplauso", CA: "Aplaudiment", EN: "Applause"},
	{Code: "thumbs_up", Symbol: "👍", ES: "Pulgar arriba", CA: "Polze amunt", EN: "Thumbs up"},
	{Code: "laugh", Symbol: "😄", ES: "Risa", CA: "Rialla", EN: "Laughter"},
	{Code: "wow", Symbol: "😮", ES: "Asombro", CA: "Sorpresa", EN: "Amazement"},
	{Code: "cry", Symbol: "😢", ES: "Lágrima", CA: "Llàgrima", EN: "A tear"},
	{Code: "sweat", Symbol: "😅", ES: "Sudor", CA: "Suor", EN: "Sweat"},
	{Code: "heart", Symbol: "❤️", ES: "Corazón", CA: "Cor", EN: "A heart"},
	{Code: "fire", Symbol: "🔥", ES: "Fuego", CA: "Foc", EN: "Fire"},
}
