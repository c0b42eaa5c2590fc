package serve

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is how long one message of a client is at most.
const maxLine = 4 << 20

// shutdownTime is how long the requests that are being answered have when the server
// ends.
const shutdownTime = 10 * time.Second

// Stdio serves one client over two streams, a message a line, until the client
// closes its one or ctx ends. Requests that are being answered then are finished
// first.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.stdio(ctx, in, out, shutdownTime)
}

func (s *Server) stdio(ctx context.Context, in io.Reader, out io.Writer, most time.Duration) error {
	reader, writer := &drain{in: in}, &oneWriter{out: out}
	flight := newFlight(&s.answers)
	transport := finishing{
		Transport: &mcp.IOTransport{Reader: newSifter(reader, writer, flight), Writer: writer, MaxLineLength: 2 * maxLine},
		most:      most, flight: flight,
	}
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), transport, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		// The client sees the end of the stream once its answers are written.
		reader.end()
		s.close()
		select {
		case <-ended:
		case <-time.After(most + time.Second):
			// Closing waits for an answer that is being written, and so for ever
			// where the client does not read.
			go func() { _ = session.Close() }()
		}
	}
	return err
}

// drain is a reader that can be told that the stream ends here, also while a read
// from it waits. What the client has written before is still read.
type drain struct {
	in   io.Reader
	once sync.Once
	// lines are what was read, done is closed when the end begins, gone when nobody
	// reads any more.
	lines      chan []byte
	done, gone chan struct{}
	rest       []byte
	err        error
	mu         sync.Mutex
	// until is when the end is there at the latest.
	until time.Time
	left  sync.Once
}

func (d *drain) start() {
	d.once.Do(func() {
		d.lines, d.done, d.gone = make(chan []byte), make(chan struct{}), make(chan struct{})
		go d.pump()
	})
}

// pump reads ahead by one piece. It ends with the stream: a read from a terminal
// can not be ended before.
func (d *drain) pump() {
	defer close(d.lines)
	for {
		buf := make([]byte, 32<<10)
		n, err := d.in.Read(buf)
		if n > 0 {
			select {
			case d.lines <- buf[:n]:
			case <-d.gone:
				return
			}
		}
		if err != nil {
			d.mu.Lock()
			d.err = err
			d.mu.Unlock()
			return
		}
	}
}

// Read implements [io.Reader].
func (d *drain) Read(p []byte) (int, error) {
	d.start()
	if len(d.rest) == 0 {
		var ok bool
		select {
		case d.rest, ok = <-d.lines:
		case <-d.done:
			if d.rest, ok = d.waiting(); !ok {
				d.leave()
				return 0, io.EOF
			}
		}
		if !ok {
			d.mu.Lock()
			defer d.mu.Unlock()
			return 0, d.err
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// waiting returns what the client has written before the end, as far as it comes soon.
func (d *drain) waiting() ([]byte, bool) {
	d.mu.Lock()
	quiet := min(quietTimes*quietTime, time.Until(d.until))
	d.mu.Unlock()
	if quiet <= 0 {
		return nil, false
	}
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	select {
	case piece, ok := <-d.lines:
		return piece, ok
	case <-timer.C:
		return nil, false
	}
}

func (d *drain) leave() { d.left.Do(func() { close(d.gone) }) }

// end ends the stream for the one who reads.
func (d *drain) end() {
	d.start()
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.done:
	default:
		d.until = time.Now().Add(drainMost)
		close(d.done)
	}
}

// Close implements [io.Closer].
func (d *drain) Close() error {
	d.end()
	d.leave()
	return nil
}

// oneWriter is what several write whole messages to. Closing is left to the process.
type oneWriter struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements [io.Writer].
func (w *oneWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close implements [io.Closer].
func (w *oneWriter) Close() error { return nil }
