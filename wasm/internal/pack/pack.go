package main

import (
	"bytes"
	"errors"
	"fmt"
)

// Section ids of the WebAssembly core specification, section 5.5.
const (
	sectionCustom    = 0
	sectionData      = 11
	sectionDataCount = 12
)

// maxGap is the longest run of zeros that is written out rather than skipped
// by a new segment. A header costs about six bytes raw, but its offset hardly
// compresses, while zeros nearly vanish; past a few hundred bytes nothing is
// won, and below this the compressed size is flat.
const maxGap = 256

var errTruncated = errors.New("truncated module")

// segment is one active data segment of memory 0.
type segment struct {
	offset uint32
	bytes  []byte
}

// part is a section of a module.
type part struct {
	id   byte
	body []byte
}

// Pack returns the module with its data segments joined, its line tables and its
// custom sections dropped, and its idle functions emptied if it says what its functions
// are called. Everything else is copied as it is. The result depends on the input alone.
func Pack(module []byte) ([]byte, error) {
	header := []byte("\x00asm\x01\x00\x00\x00")
	if !bytes.HasPrefix(module, header) {
		return nil, errors.New("not a WebAssembly 1.0 module")
	}
	sections, err := readSections(module[len(header):])
	if err != nil {
		return nil, err
	}
	var names map[uint32]string
	imports := uint32(0)
	for _, s := range sections {
		switch s.id {
		case sectionCustom:
			found, err := functionNames(s.body)
			if err != nil {
				return nil, fmt.Errorf("custom section: %w", err)
			}
			if found != nil {
				names = found
			}
		case sectionImport:
			if imports, err = importedFunctions(s.body); err != nil {
				return nil, fmt.Errorf("import section: %w", err)
			}
		}
	}
	out := append(make([]byte, 0, len(module)), header...)
	for _, s := range sections {
		switch s.id {
		case sectionCustom:
			continue
		case sectionDataCount:
			// Names the number of segments for memory.init and data.drop,
			// which need stable segment indices: nothing to join safely.
			return nil, errors.New("module uses passive data segments")
		case sectionData:
			if s.body, err = packData(s.body); err != nil {
				return nil, fmt.Errorf("data section: %w", err)
			}
		case sectionCode:
			if s.body, err = dropIdle(s.body, names, imports); err != nil {
				return nil, fmt.Errorf("code section: %w", err)
			}
		}
		out = append(out, s.id)
		out = appendUint(out, uint32(len(s.body)))
		out = append(out, s.body...)
	}
	return out, nil
}

func readSections(b []byte) ([]part, error) {
	var sections []part
	r := reader{b}
	for len(r.b) > 0 {
		id, err := r.byte()
		if err != nil {
			return nil, err
		}
		body, err := r.vector()
		if err != nil {
			return nil, err
		}
		sections = append(sections, part{id, body})
	}
	return sections, nil
}

// packData rewrites the body of a data section.
func packData(body []byte) ([]byte, error) {
	segments, err := readSegments(body)
	if err != nil {
		return nil, err
	}
	memory, base, err := layOut(segments)
	if err != nil {
		return nil, err
	}
	dropLines(memory, int(base))
	segments = split(memory, base)

	out := appendUint(nil, uint32(len(segments)))
	for _, s := range segments {
		out = append(out, 0x00, opI32Const)
		out = appendInt(out, int32(s.offset))
		out = append(out, opEnd)
		out = appendUint(out, uint32(len(s.bytes)))
		out = append(out, s.bytes...)
	}
	return out, nil
}

// maxMemory bounds what layOut builds: far more than any module here needs.
const maxMemory = 64 << 20

// layOut is the memory that the segments fill, from the lowest on.
func layOut(segments []segment) (memory []byte, base uint32, err error) {
	if len(segments) == 0 {
		return nil, 0, nil
	}
	base = segments[0].offset
	end := uint64(0)
	for _, s := range segments {
		base = min(base, s.offset)
		end = max(end, uint64(s.offset)+uint64(len(s.bytes)))
	}
	if end-uint64(base) > maxMemory {
		return nil, 0, errors.New("segments lie too far apart")
	}
	memory = make([]byte, end-uint64(base))
	for _, s := range segments {
		copy(memory[s.offset-base:], s.bytes) // in order: a later segment wins, as in WebAssembly
	}
	return memory, base, nil
}

// split cuts memory into segments at its long runs of zeros.
func split(memory []byte, base uint32) []segment {
	var segments []segment
	start, end := 0, 0 // of the segment being gathered; empty while end is 0
	for i, b := range memory {
		if b == 0 {
			continue
		}
		if end > 0 && i-end > maxGap {
			segments = append(segments, segment{base + uint32(start), memory[start:end]})
			end = 0
		}
		if end == 0 {
			start = i
		}
		end = i + 1
	}
	if end > 0 {
		segments = append(segments, segment{base + uint32(start), memory[start:end]})
	}
	return segments
}

const (
	opI32Const = 0x41
	opEnd      = 0x0b
)

func readSegments(body []byte) ([]segment, error) {
	r := reader{body}
	count, err := r.uint()
	if err != nil {
		return nil, err
	}
	var segments []segment
	for range count {
		kind, err := r.uint()
		if err != nil {
			return nil, err
		}
		if kind != 0 {
			return nil, fmt.Errorf("segment kind %d, want 0 (active, memory 0)", kind)
		}
		op, err := r.byte()
		if err != nil {
			return nil, err
		}
		offset, err := r.int()
		if err != nil {
			return nil, err
		}
		end, err := r.byte()
		if err != nil {
			return nil, err
		}
		if op != opI32Const || end != opEnd {
			return nil, errors.New("segment offset is not a constant")
		}
		data, err := r.vector()
		if err != nil {
			return nil, err
		}
		segments = append(segments, segment{uint32(offset), data})
	}
	if len(r.b) != 0 {
		return nil, fmt.Errorf("%d bytes after the last segment", len(r.b))
	}
	return segments, nil
}

// reader takes values off the front of b.
type reader struct{ b []byte }

func (r *reader) byte() (byte, error) {
	if len(r.b) == 0 {
		return 0, errTruncated
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v, nil
}

// uint reads an unsigned LEB128 of at most 32 bits.
func (r *reader) uint() (uint32, error) {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b, err := r.byte()
		if err != nil {
			return 0, err
		}
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v), nil
		}
	}
	return 0, errors.New("number too long")
}

// int reads a signed LEB128 of at most 32 bits.
func (r *reader) int() (int32, error) {
	var v int64
	for shift := 0; shift < 35; {
		b, err := r.byte()
		if err != nil {
			return 0, err
		}
		v |= int64(b&0x7f) << shift
		shift += 7
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				v |= -1 << shift
			}
			return int32(v), nil
		}
	}
	return 0, errors.New("number too long")
}

// vector reads a length and that many bytes.
func (r *reader) vector() ([]byte, error) {
	n, err := r.uint()
	if err != nil {
		return nil, err
	}
	if uint64(n) > uint64(len(r.b)) {
		return nil, errTruncated
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v, nil
}

func appendUint(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendInt(b []byte, v int32) []byte {
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}
