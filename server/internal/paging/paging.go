// Package paging cuts lists into pages, for both APIs alike.
package paging

// usual is how many items a page has if nothing else is asked for.
const usual = 20

// Size is how many items a page may have.
func Size(limit *int) int {
	if limit == nil {
		return usual
	}
	return *limit
}

// Cut leaves a page of a list that was read with one item more than the page may
// have: that one tells that there is a next page, whose cursor is the last shown.
func Cut[T any](list []T, limit int, cursor func(T) string) (page []T, next *string) {
	if len(list) <= limit {
		return list, nil
	}
	last := cursor(list[limit-1])
	return list[:limit], &last
}
