package economy

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Change is a value that two documents do not share.
type Change struct {
	// Path as a JSON pointer.
	Path string `json:"path"`
	// Before and After as JSON; nil where there is no value.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// Compare lists what differs between two documents, in the order of their paths.
// Both must be JSON.
func Compare(before, after []byte) []Change {
	a, b := decode(before), decode(after)
	var all []Change
	compare(nil, a, b, &all)
	return all
}

func decode(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return absent{}
	}
	return v
}

// absent stands for a value that is not there, which is not null.
type absent struct{}

func compare(path []string, a, b any, all *[]Change) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			names := maps.Clone(a)
			maps.Copy(names, b)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				compare(append(slices.Clone(path), name), member(a, name), member(b, name), all)
			}
			return
		}
	case []any:
		if b, ok := b.([]any); ok {
			for i := range max(len(a), len(b)) {
				compare(append(slices.Clone(path), strconv.Itoa(i)), item(a, i), item(b, i), all)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		*all = append(*all, Change{Path: pointer(path), Before: encode(a), After: encode(b)})
	}
}

func member(o map[string]any, name string) any {
	if v, ok := o[name]; ok {
		return v
	}
	return absent{}
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

func encode(v any) json.RawMessage {
	if _, none := v.(absent); none {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}
