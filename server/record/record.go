// Package record reads and writes the JSON of the game: records of matches
// (cuatrola-record/1), what replaying them gives, positions and rule sets. The
// rules themselves know no JSON; wasm/src does the same for JavaScript, and both
// write the same bytes.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Format is the value of a record's "format" member.
const Format = "cuatrola-record/1"

// Record is one match as it is written down: complete, so that anyone can replay
// it with no other knowledge.
type Record struct {
	Rules rules.RuleSet
	Hands []rules.HandRecord
	// ID of the match, empty if the record names none.
	ID string
	// Players by seat, nil if the record names none.
	Players []Player
	// StartedAt and EndedAt are RFC 3339 times in UTC, empty if unknown.
	StartedAt, EndedAt string
	// Fair proves the deals, nil if the record does not.
	Fair *rules.FairProof
	// Other members, kept as they were read: those that this package does not
	// know, and those of the above that hold more or other than they should.
	Other map[string]json.RawMessage

	badFair error // why a "fair" member that is there proves nothing
}

// Player is who sat in a seat.
type Player struct {
	// Name as it was shown at the table.
	Name string `json:"name"`
	// Bot says that no person sat there.
	Bot bool `json:"bot"`
}

// requiredMembers of a record: format, rules and hands.
const requiredMembers = 3

// object is a JSON object as encoding/json reads it into an any: member names
// match exactly, the last of equal names wins, as in JavaScript.
type object = map[string]any

// Parse reads a line that is a record or an object that holds one under
// "record". Optional members never keep a line from being a record: what they
// hold is kept, in Other if it is not understood.
//
// The error says what keeps the line from being a record at all. What a record
// may hold and still be wrong, such as a malformed deal or an unknown card, is
// for the replay to say.
func Parse(line []byte) (*Record, error) {
	o, err := parseObject(line, "record")
	if err != nil {
		return nil, err
	}
	return parseRecord(o, line)
}

func parseRecord(o object, line []byte) (r *Record, err error) {
	if o["format"] != Format {
		return nil, fmt.Errorf("format is not %q", Format)
	}
	r = &Record{}
	if r.Rules, err = ParseRules(o["rules"]); err != nil {
		return nil, err
	}
	hands, ok := o["hands"].([]any)
	if !ok {
		return nil, errors.New("hands is not a list")
	}
	r.Hands = make([]rules.HandRecord, len(hands))
	for i, h := range hands {
		if err := parseHand(h, &r.Hands[i]); err != nil {
			return nil, fmt.Errorf("hands[%d]: %w", i, err)
		}
	}
	if len(o) > requiredMembers {
		r.parseOptional(o, line)
	}
	return r, nil
}

// parseObject reads a line of JSON that is an object, and gives that or the one that it
// holds under a name.
func parseObject(line []byte, under string) (object, error) {
	o, err := parseLine(line)
	if err != nil {
		return nil, err
	}
	return innerObject(o, under)
}

func parseLine(line []byte) (object, error) {
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return nil, errors.New("not JSON")
	}
	o, ok := v.(object)
	if !ok {
		return nil, errors.New("not a JSON object")
	}
	return o, nil
}

func innerObject(o object, under string) (object, error) {
	inner, found := o[under]
	if !found {
		return o, nil
	}
	held, ok := inner.(object)
	if !ok {
		return nil, errors.New(under + " is not a JSON object")
	}
	return held, nil
}

func parseHand(v any, h *rules.HandRecord) error {
	o, ok := v.(object)
	if !ok {
		return errors.New("not a JSON object")
	}
	h.Dealer = rules.NoSeat
	switch dealer := o["dealer"].(type) {
	case nil:
	case float64:
		if s, ok := seat(dealer); ok {
			h.Dealer = s
		}
	default:
		return errors.New("dealer is not a number")
	}
	if err := parseDeal(o["deal"], &h.Deal); err != nil {
		return err
	}
	h.Trump = rules.NoCard
	switch trump := o["trump"].(type) {
	case nil:
	case string:
		h.Trump, _ = rules.ParseCard(trump)
	default:
		return errors.New("trump is not a text")
	}
	actions, ok := o["actions"].([]any)
	if !ok {
		return errors.New("actions is not a list")
	}
	h.Actions = make([]rules.Action, len(actions))
	for i, a := range actions {
		text, ok := a.(string)
		if !ok {
			return fmt.Errorf("actions[%d] is not a text", i)
		}
		h.Actions[i] = rules.ParseAction(text)
	}
	return nil
}

// parseDeal leaves NoCard wherever a card is missing or is none: a replay calls
// that a bad deal.
func parseDeal(v any, deal *rules.Deal) error {
	for s := range deal {
		for i := range deal[s] {
			deal[s][i] = rules.NoCard
		}
	}
	if v == nil {
		return nil
	}
	seats, ok := v.([]any)
	if !ok {
		return errors.New("deal is not a list")
	}
	malformed := len(seats) != rules.Seats
	for s, cards := range seats {
		list, ok := cards.([]any)
		if !ok {
			return fmt.Errorf("deal[%d] is not a list", s)
		}
		malformed = malformed || len(list) != rules.HandSize
		for i, c := range list {
			text, ok := c.(string)
			if !ok {
				return fmt.Errorf("deal[%d][%d] is not a text", s, i)
			}
			if s < rules.Seats && i < rules.HandSize {
				deal[s][i], _ = rules.ParseCard(text)
			}
		}
	}
	if malformed {
		deal[0][0] = rules.NoCard
	}
	return nil
}

func seat(n float64) (rules.Seat, bool) {
	s := rules.Seat(0)
	for ; s < rules.Seats; s++ {
		if float64(s) == n {
			return s, true
		}
	}
	return rules.NoSeat, false
}

// Append writes the record as one line of JSON, without the line's end.
func (r *Record) Append(dst []byte) []byte {
	dst = append(dst, `{"format":"`+Format+`","rules":`...)
	dst = AppendRules(dst, r.Rules)
	dst = append(dst, `,"hands":[`...)
	for i := range r.Hands {
		h := &r.Hands[i]
		dst = comma(dst, i)
		dst = append(dst, `{"dealer":`...)
		dst = appendInt(dst, h.Dealer)
		dst = append(dst, `,"deal":[`...)
		for s := range h.Deal {
			dst = comma(dst, s)
			dst = appendTexts(dst, h.Deal[s][:])
		}
		dst = append(dst, `],"trump":"`...)
		dst = append(dst, h.Trump.String()...)
		dst = append(dst, `","actions":`...)
		dst = appendTexts(dst, h.Actions)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if r.ID != "" {
		dst = appendMember(dst, "id", r.ID)
	}
	if r.Players != nil {
		dst = appendMember(dst, "players", r.Players)
	}
	if r.StartedAt != "" {
		dst = appendMember(dst, "startedAt", r.StartedAt)
	}
	if r.EndedAt != "" {
		dst = appendMember(dst, "endedAt", r.EndedAt)
	}
	if _, kept := r.Other["fair"]; r.Fair != nil && !kept {
		dst = appendMember(dst, "fair", fairToJSON(r.Fair))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Other)) {
		dst = appendMember(dst, name, r.Other[name])
	}
	return append(dst, '}')
}

// appendMember writes a further member of an object; its value must be one that
// always has a JSON form.
func appendMember(dst []byte, name string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		panic(err)
	}
	dst = append(dst, ',')
	dst = append(dst, quoted...)
	dst = append(dst, ':')
	return append(dst, text...)
}

func comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

func appendInt[T ~uint8 | ~uint16 | ~int16 | ~int](dst []byte, n T) []byte {
	return strconv.AppendInt(dst, int64(n), 10)
}

// appendTexts writes a list of texts that need no escaping.
func appendTexts[T fmt.Stringer](dst []byte, list []T) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		dst = comma(dst, i)
		dst = append(dst, '"')
		dst = append(dst, v.String()...)
		dst = append(dst, '"')
	}
	return append(dst, ']')
}
