// Count the tokens of standard input: count MODEL.wwho < TEXT
//
//	go build count.go    (with cgo; pkg-config finds the library)
package main

/*
#cgo pkg-config: wwho
#include <stdlib.h>
#include <wwho.h>

// Encode a text with memory of C, which Go's collector leaves alone, and return a status; *n is the number of tokens.
static int count(const wwho_model *model, void *scratch, const uint8_t *text, size_t len, size_t *n) {
    wwho_job job = {.scratch = scratch, .scratch_len = wwho_scratch_size(model), .cap = len * 16 + 16};
    int status = wwho_encode(model, text, len, NULL, &job);
    *n = job.n;
    return status;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"
)

// Model is an artifact, opened. Close frees its memory.
type Model struct {
	blob, work, scratch unsafe.Pointer
	model               *C.wwho_model
}

func require(status C.int) error {
	if status == C.WWHO_OK {
		return nil
	}
	return errors.New(C.GoString(C.wwho_status_str(status)))
}

// Open opens an artifact.
func Open(artifact []byte) (*Model, error) {
	m := &Model{blob: C.CBytes(artifact)}
	n, size := C.size_t(len(artifact)), C.size_t(0)
	err := require(C.wwho_workspace_size((*C.uint8_t)(m.blob), n, &size))
	if err == nil {
		m.work = C.malloc(size)
		err = require(C.wwho_open((*C.uint8_t)(m.blob), n, m.work, size, &m.model))
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	m.scratch = C.calloc(1, C.wwho_scratch_size(m.model))
	return m, nil
}

// Count returns the number of tokens of a text. One goroutine at a time may call it.
func (m *Model) Count(text []byte) (int, error) {
	bytes := append(text, 0) // an empty text has an address, too
	var n C.size_t
	err := require(C.count(m.model, m.scratch, (*C.uint8_t)(&bytes[0]), C.size_t(len(text)), &n))
	return int(n), err
}

// Close frees the memory of the model.
func (m *Model) Close() {
	for _, memory := range []unsafe.Pointer{m.blob, m.work, m.scratch} {
		C.free(memory)
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: count MODEL.wwho < TEXT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func run(path string) error {
	artifact, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	model, err := Open(artifact)
	if err != nil {
		return err
	}
	defer model.Close()
	n, err := model.Count(text)
	if err == nil {
		fmt.Println(n)
	}
	return err
}
