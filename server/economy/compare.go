package economy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Change is a value that two documents do not share.
type Change struct {
	// Path as a JSON pointer, into the document after the change; into the one before
	// it where the value is there alone.
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
			if before, after := keys(a), keys(b); before != nil && after != nil {
				compareByKey(path, a, b, before, after, all)
				return
			}
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

// keys are what tells the entries of a list apart: the sku of products, the name of
// divisions. nil where entries have none, or not each its own.
func keys(list []any) []string {
	for _, key := range []string{"sku", "name"} {
		var found []string
		seen := map[string]bool{}
		for _, entry := range list {
			o, ok := entry.(map[string]any)
			if !ok {
				return nil
			}
			k, ok := o[key].(string)
			if !ok || seen[k] {
				break
			}
			seen[k] = true
			found = append(found, k)
		}
		if len(found) == len(list) && len(list) > 0 {
			return found
		}
	}
	return nil
}

// compareByKey compares entries with the same key, wherever they are, so that one put
// in front does not make all others different. That the order changed is said of the
// list, by the keys.
func compareByKey(path []string, a, b []any, before, after []string, all *[]Change) {
	var stayBefore, stayAfter []string
	for i, key := range after {
		at := append(slices.Clone(path), strconv.Itoa(i))
		if j := slices.Index(before, key); j >= 0 {
			stayAfter = append(stayAfter, key)
			compare(at, a[j], b[i], all)
		} else {
			compare(at, absent{}, b[i], all)
		}
	}
	for j, key := range before {
		if slices.Contains(after, key) {
			stayBefore = append(stayBefore, key)
		} else {
			compare(append(slices.Clone(path), strconv.Itoa(j)), a[j], absent{}, all)
		}
	}
	if !slices.Equal(stayBefore, stayAfter) {
		*all = append(*all, Change{Path: pointer(path), Before: encode(before), After: encode(after)})
	}
}

// Fingerprint tells documents apart by what they say, however they are written.
func Fingerprint(document []byte) string {
	sum := sha256.Sum256(encode(decode(document)))
	return hex.EncodeToString(sum[:])
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
