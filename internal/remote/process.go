package remote

import (
	"errors"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vadehq/vade/diag"
)

// grace is how long a program has to end by itself when it is told to.
const grace = 500 * time.Millisecond

// process is a server that is a program. It reads and writes the streams of it.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	once   sync.Once
	// reaped: the number of the process may be another's by now.
	reaped atomic.Bool
}

// start starts the program of a server, in a process group of its own. What it
// writes as errors goes nowhere: it may hold anything.
func (w *World) start(s *Server, env map[string]string) (*process, error) {
	path, err := w.program(s.Command[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path)
	cmd.Args = append([]string{s.Command[0]}, s.Command[1:]...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = w.environ(env), w.Home, grace
	group(cmd)
	p := &process{cmd: cmd}
	if p.stdin, err = cmd.StdinPipe(); err == nil {
		p.stdout, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, failed(diag.RemoteDown, "correct the command in servers.yaml", "its program can not be started: %v", plain(err))
	}
	return p, nil
}

// Read and Write are those of the streams of the program.
func (p *process) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// Close tells the program to end, and ends it with all that it started where it
// does not. It returns when the program is gone.
func (p *process) Close() error {
	p.once.Do(func() {
		p.stdin.Close()
		gone := make(chan struct{})
		go func() {
			// Its error is how the program ended, which is nobody's business.
			_ = p.cmd.Wait()
			p.reaped.Store(true)
			close(gone)
		}()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-gone:
			return
		case <-timer.C:
		}
		p.signal()
		<-gone
	})
	return nil
}

// kill ends the program at once, with all that it started.
func (p *process) kill() {
	p.signal()
	_ = p.Close()
}

func (p *process) signal() {
	if !p.reaped.Load() {
		// One that is gone meanwhile is what is wanted.
		_ = endGroup(p.cmd)
	}
}

// plain takes the path from an error of the system.
func plain(err error) error {
	var x *exec.Error
	if errors.As(err, &x) {
		return x.Err
	}
	return err
}
