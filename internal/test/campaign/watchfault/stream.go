package watchfault

import (
	"bytes"
	"sync"
)

// A stream is a pipe with a writer that never waits for the reader.
type stream struct {
	mu    sync.Mutex
	more  *sync.Cond
	buf   bytes.Buffer
	ended error
}

func newStream() *stream {
	s := &stream{}
	s.more = sync.NewCond(&s.mu)
	return s
}

func (s *stream) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf.Write(b)
	s.more.Broadcast()
}

// end ends the stream. The reader reads what was written before.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = err
	}
	s.more.Broadcast()
}

// Read reads what was written, or waits for it.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.buf.Len() == 0 && s.ended == nil {
		s.more.Wait()
	}
	if s.buf.Len() == 0 {
		return 0, s.ended
	}
	return s.buf.Read(p)
}
