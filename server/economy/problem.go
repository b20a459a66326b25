package economy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Problem is a place where a document cannot be used.
type Problem struct {
	// Path to the value as a JSON pointer, "" for the whole document. Of a member
	// that is missing, the path that it would have.
	Path string `json:"path"`
	// Code says what is wrong, for who puts it into words.
	Code ProblemCode `json:"code"`
	// Message for a person, in English.
	Message string `json:"message"`
	// Limit is what the value passes: a number, a count, or the name of a type.
	Limit string `json:"limit,omitempty"`
	// Line and Column, both from 1, of what is no JSON; 0 for all else.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// ProblemCode is a kind of problem.
type ProblemCode string

// Problems of form, which the schema says.
const (
	NotJSON      ProblemCode = "not_json"
	Missing      ProblemCode = "missing"
	Unknown      ProblemCode = "unknown"     // no member of this name
	Repeated     ProblemCode = "repeated"    // twice in a list
	WrongType    ProblemCode = "wrong_type"  // Limit names the right one
	WrongChoice  ProblemCode = "wrong_value" // none of those that there are
	WrongForm    ProblemCode = "wrong_form"  // a text that does not look as it must
	WrongTime    ProblemCode = "wrong_time"  // not as 2026-12-24T06:00:00Z
	TooSmall     ProblemCode = "too_small"
	TooLarge     ProblemCode = "too_large"
	TooShort     ProblemCode = "too_short" // Limit in characters
	TooLong      ProblemCode = "too_long"
	TooFew       ProblemCode = "too_few" // Limit in entries
	TooMany      ProblemCode = "too_many"
	OneOf        ProblemCode = "one_of" // exactly one of several members
	WrongAnyhow  ProblemCode = "wrong"  // what has no code of its own
	NameRepeated ProblemCode = "name_repeated"
)

// Problems that a schema cannot say.
const (
	NoSuchZone      ProblemCode = "no_such_zone"
	WinnersGetLess  ProblemCode = "winners_get_less"
	Unsorted        ProblemCode = "unsorted"
	NobodyWaits     ProblemCode = "nobody_waits"      // the longest wait ends before the bots come
	TooManyMove     ProblemCode = "too_many_move"     // more than a group has
	NothingBelow    ProblemCode = "nothing_below"     // no division to move down to
	NothingAbove    ProblemCode = "nothing_above"     // no division to move up to
	TooManyPrizes   ProblemCode = "too_many_prizes"   // more than a group has players
	PrizeGrows      ProblemCode = "prize_grows"       // with a lower rank
	KeyTaken        ProblemCode = "key_taken"         // by another in the list
	PassesRenewOnly ProblemCode = "passes_renew_only" // coins and boosters are sold once
	EndsBefore      ProblemCode = "ends_before"       // it begins
)

// ProblemCodes lists all of them, for whoever has words for each.
func ProblemCodes() []ProblemCode {
	return []ProblemCode{
		NotJSON, Missing, Unknown, Repeated, WrongType, WrongChoice, WrongForm, WrongTime, TooSmall, TooLarge, TooShort, TooLong,
		TooFew, TooMany, OneOf, WrongAnyhow, NameRepeated,
		NoSuchZone, WinnersGetLess, Unsorted, NobodyWaits, TooManyMove, NothingBelow, NothingAbove, TooManyPrizes, PrizeGrows,
		KeyTaken, PassesRenewOnly, EndsBefore,
	}
}

// notJSON says where a text stops being JSON.
func notJSON(text []byte, err error) Problem {
	at := len(text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = min(int(syntax.Offset), len(text))
		// Offset is behind the byte that does not fit.
		at = max(at-1, 0)
	}
	before := text[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
	return Problem{
		Code: NotJSON, Line: line, Column: column,
		Message: "This is not JSON, from line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + " on.",
	}
}

// repeatedNames finds members that an object has twice: of those the last would
// count here, and the first for another reader.
func repeatedNames(text []byte) []Problem {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var all []Problem
	var walk func(path []string) error
	walk = func(path []string) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'):
			seen := map[string]bool{}
			for d.More() {
				name, err := d.Token()
				if err != nil {
					return err
				}
				member, ok := name.(string)
				if !ok {
					return io.ErrUnexpectedEOF
				}
				at := append(slices.Clone(path), member)
				if seen[member] {
					all = append(all, Problem{Path: pointer(at), Code: NameRepeated, Message: "This member is here twice."})
				}
				seen[member] = true
				if err := walk(at); err != nil {
					return err
				}
			}
		case json.Delim('['):
			for i := 0; d.More(); i++ {
				if err := walk(append(slices.Clone(path), strconv.Itoa(i))); err != nil {
					return err
				}
			}
		default:
			return nil
		}
		_, err = d.Token()
		return err
	}
	// What is not JSON has been refused before.
	_ = walk(nil)
	return all
}

// schemaProblems are the innermost causes, sorted by place.
func schemaProblems(err error) []Problem {
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []Problem{{Code: WrongAnyhow, Message: err.Error()}}
	}
	all := causes(invalid)
	sortByPath(all)
	return all
}

func sortByPath(all []Problem) {
	slices.SortStableFunc(all, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
}

var english = message.NewPrinter(language.English)

func causes(e *jsonschema.ValidationError) []Problem {
	if _, choice := e.ErrorKind.(*kind.OneOf); choice && len(e.Causes) > 1 {
		return oneOf(e)
	}
	if len(e.Causes) == 0 {
		return schemaProblem(e)
	}
	var all []Problem
	for _, cause := range e.Causes {
		all = append(all, causes(cause)...)
	}
	return all
}

// oneOf has the problems of the form that was most likely meant: the one with the
// fewest.
func oneOf(e *jsonschema.ValidationError) []Problem {
	var best []Problem
	tie := false
	for _, cause := range e.Causes {
		all := causes(cause)
		switch {
		case best == nil || len(all) < len(best):
			best, tie = all, false
		case len(all) == len(best):
			tie = true
		}
	}
	if tie {
		return []Problem{{Path: pointer(e.InstanceLocation), Code: OneOf, Message: "It has to be exactly one of these."}}
	}
	return best
}

// schemaProblem puts what the library says into words of ours.
func schemaProblem(e *jsonschema.ValidationError) []Problem {
	p := Problem{Path: pointer(e.InstanceLocation), Message: sentence(e.ErrorKind.LocalizedString(english))}
	is := func(code ProblemCode, limit string) []Problem {
		p.Code, p.Limit = code, limit
		return []Problem{p}
	}
	count := func(code ProblemCode, limit int) []Problem { return is(code, strconv.Itoa(limit)) }
	each := func(code ProblemCode, message string, names []string) []Problem {
		all := make([]Problem, len(names))
		for i, name := range names {
			all[i] = Problem{Path: pointer(append(slices.Clone(e.InstanceLocation), name)), Code: code, Message: message}
		}
		return all
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return each(Missing, "This is missing.", k.Missing)
	case *kind.AdditionalProperties:
		return each(Unknown, "There is no such member.", k.Properties)
	case *kind.Type:
		return is(WrongType, strings.Join(k.Want, ", "))
	case *kind.Enum, *kind.Const:
		return is(WrongChoice, "")
	case *kind.Pattern:
		return is(WrongForm, k.Want)
	case *kind.Format:
		return is(WrongTime, k.Want)
	case *kind.Minimum:
		return is(TooSmall, whole(k.Want))
	case *kind.Maximum:
		return is(TooLarge, whole(k.Want))
	case *kind.MinLength:
		return count(TooShort, k.Want)
	case *kind.MaxLength:
		return count(TooLong, k.Want)
	case *kind.MinItems:
		return count(TooFew, k.Want)
	case *kind.MaxItems:
		return count(TooMany, k.Want)
	case *kind.AdditionalItems:
		return is(TooMany, "")
	case *kind.MinProperties:
		return count(TooFew, k.Want)
	case *kind.UniqueItems:
		p.Path = pointer(append(slices.Clone(e.InstanceLocation), strconv.Itoa(k.Duplicates[1])))
		return is(Repeated, "")
	}
	return is(WrongAnyhow, "")
}

func whole(r *big.Rat) string { return r.RatString() }

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
