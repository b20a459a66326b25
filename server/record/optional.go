package record

import (
	"encoding/json"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// parseOptional reads the members that a record need not have. o is what line
// holds. A member is taken only where writing it back loses nothing of it.
func (r *Record) parseOptional(o object, line []byte) {
	understood := map[string]bool{
		"format": true, "rules": true, "hands": true,
		// Written back, it would be taken for a line that holds a record.
		"record": true,
	}
	r.ID, understood["id"] = nonEmpty(o["id"])
	r.StartedAt, understood["startedAt"] = nonEmpty(o["startedAt"])
	r.EndedAt, understood["endedAt"] = nonEmpty(o["endedAt"])
	r.Players, understood["players"] = parsePlayers(o["players"])
	if v, found := o["fair"]; found {
		r.Fair, r.badFair = parseFair(v)
		members, _ := v.(object)
		understood["fair"] = r.badFair == nil && len(members) == fairMembers
	}
	var raw map[string]json.RawMessage
	for name := range o {
		if understood[name] {
			continue
		}
		if raw == nil {
			raw = rawMembers(line)
			r.Other = map[string]json.RawMessage{}
		}
		r.Other[name] = raw[name]
	}
}

// rawMembers is each member of the record in the line, as it is written there.
func rawMembers(line []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	// Neither fails: the same text has been read as an object already.
	_ = json.Unmarshal(line, &members)
	if inner, found := members["record"]; found {
		members = nil
		_ = json.Unmarshal(inner, &members)
	}
	return members
}

func nonEmpty(v any) (string, bool) {
	s, _ := v.(string)
	return s, s != ""
}

func parsePlayers(v any) ([]Player, bool) {
	list, _ := v.([]any)
	if len(list) != rules.Seats {
		return nil, false
	}
	players := make([]Player, len(list))
	for s, v := range list {
		o, _ := v.(object)
		name, named := o["name"].(string)
		bot, known := o["bot"].(bool)
		if !named || !known || len(o) != 2 {
			return nil, false
		}
		players[s] = Player{Name: name, Bot: bot}
	}
	return players, true
}
