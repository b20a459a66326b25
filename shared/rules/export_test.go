package rules

// SetScore puts a match at a score, which a test would otherwise have to play to.
func (m *Match) SetScore(score [2]uint16) {
	m.score = score
	m.hand.Score = score
}
