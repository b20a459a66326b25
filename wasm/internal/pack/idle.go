package main

import (
	"errors"
	"fmt"
	"strings"
)

const (
	sectionImport = 2
	sectionCode   = 10
)

// idle are functions of the runtime that run only while its execution tracer or its
// profiler is on, or when GODEBUG asks for something, each a name or a name's beginning
// with a star: the module has no package that turns them on and no environment. The
// linker cannot know; together they are a twentieth of the code.
//
// Those that ask whether the tracer is on stay, and so does whatever prints a panic.
var idle = []string{
	"runtime.traceLocker.*", "runtime.traceWriter.*", "runtime.traceEventWriter.*", "runtime.(*traceBuf).*", "runtime.(*traceMap).*",
	"runtime.(*traceRegionAlloc).*", "runtime.(*traceStackTable).*", "runtime.(*traceStringTable).*", "runtime.(*traceTypeTable).*",
	"runtime.traceAdvance*", "runtime.traceStack", "runtime.traceReadCPU", "runtime.traceStopReadCPU", "runtime.traceSyncBatch*",
	"runtime.traceRegisterLabelsAndReasons", "runtime.makeTraceFrame*", "runtime.fpTraceback*", "runtime.traceBufFlush", "runtime.traceCPUFlush*",
	"runtime.schedtrace*", "runtime.printScavTrace", "runtime.(*profBuf).*", "runtime.gcDumpObject", "runtime.printAncestorTraceback*",
	"runtime.printOneCgoTraceback", "runtime.printCgoTraceback", "runtime.checkFinalizersAndCleanups*",
}

// busy are exceptions to idle.
var busy = []string{"runtime.traceLocker.ok"}

// linked is a function's name as the linker writes it for WebAssembly.
var linked = strings.NewReplacer("(", "_", ")", "_", "*", "_", "/", "_")

func isIdle(name string) bool {
	fits := func(list []string) bool {
		for _, want := range list {
			beginning, open := strings.CutSuffix(want, "*")
			beginning = linked.Replace(beginning)
			if name == beginning || open && strings.HasPrefix(name, beginning) {
				return true
			}
		}
		return false
	}
	return fits(idle) && !fits(busy)
}

// trap is the body of a function that must not be called: no locals, unreachable, end.
var trap = []byte{0x00, 0x00, opEnd}

// dropIdle gives the module's idle functions a body that traps. names are those of its
// functions by index, imports how many of them come first that have no body.
func dropIdle(body []byte, names map[uint32]string, imports uint32) ([]byte, error) {
	r := reader{body}
	count, err := r.uint()
	if err != nil {
		return nil, err
	}
	out := appendUint(make([]byte, 0, len(body)), count)
	for i := range count {
		function, err := r.vector()
		if err != nil {
			return nil, err
		}
		if isIdle(names[imports+i]) {
			function = trap
		}
		out = appendUint(out, uint32(len(function)))
		out = append(out, function...)
	}
	if len(r.b) != 0 {
		return nil, fmt.Errorf("%d bytes after the last function", len(r.b))
	}
	return out, nil
}

// functionNames reads the names of functions from a module's custom section for names,
// appendix 7.4 of the specification; nil for any other custom section.
func functionNames(section []byte) (map[uint32]string, error) {
	r := reader{section}
	title, err := r.vector()
	if err != nil || string(title) != "name" {
		return nil, err
	}
	for len(r.b) > 0 {
		kind, err := r.byte()
		if err != nil {
			return nil, err
		}
		chunk, err := r.vector()
		if err != nil {
			return nil, err
		}
		if kind != 1 {
			continue
		}
		list := reader{chunk}
		count, err := list.uint()
		if err != nil {
			return nil, err
		}
		names := make(map[uint32]string)
		for range count {
			index, err := list.uint()
			if err != nil {
				return nil, err
			}
			name, err := list.vector()
			if err != nil {
				return nil, err
			}
			names[index] = string(name)
		}
		return names, nil
	}
	return nil, errors.New("no names of functions")
}

// importedFunctions counts a module's imports; all of a Go module's are functions.
func importedFunctions(body []byte) (uint32, error) {
	r := reader{body}
	count, err := r.uint()
	if err != nil {
		return 0, err
	}
	for range count {
		for range 2 {
			if _, err := r.vector(); err != nil {
				return 0, err
			}
		}
		kind, err := r.byte()
		if err != nil {
			return 0, err
		}
		if kind != 0 {
			return 0, errors.New("something other than a function is imported")
		}
		if _, err := r.uint(); err != nil {
			return 0, err
		}
	}
	return count, nil
}
