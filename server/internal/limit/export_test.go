package limit

// Len is how many buckets there are.
func (m *Memory[K]) Len() int {
	n := 0
	for i := range m.shards {
		n += len(m.shards[i].buckets)
	}
	return n
}
