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

// shutdownGrace is how long a program may take to exit before it is killed.
const shutdownGrace = 500 * time.Millisecond

// process is a running server program. Read and Write use its stdout and stdin.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	once   sync.Once
	// exited reports whether the process has exited. The system may then reuse its ID.
	exited atomic.Bool
}

// start starts a server's program in its own process group. It discards the
// program's stderr, which may contain anything.
func (w *Environment) start(s *Server, env map[string]string) (*process, error) {
	path, err := w.program(s.Command[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path)
	cmd.Args = append([]string{s.Command[0]}, s.Command[1:]...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = w.environ(env), w.Home, shutdownGrace
	newProcessGroup(cmd)
	p := &process{cmd: cmd}
	if p.stdin, err = cmd.StdinPipe(); err == nil {
		p.stdout, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, newError(diag.RemoteDown, "fix the command in servers.yaml", "cannot start the program: %v", withoutPath(err))
	}
	return p, nil
}

// Read and Write implement [io.ReadWriter] on the program's stdout and stdin.
func (p *process) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// Close closes the program's stdin and waits for it to exit. After
// shutdownGrace, it kills the program and its child processes.
func (p *process) Close() error {
	p.once.Do(func() {
		p.stdin.Close()
		gone := make(chan struct{})
		go func() {
			// ignore the exit status
			_ = p.cmd.Wait()
			p.exited.Store(true)
			close(gone)
		}()
		timer := time.NewTimer(shutdownGrace)
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

// kill immediately kills the program and its child processes.
func (p *process) kill() {
	p.signal()
	_ = p.Close()
}

func (p *process) signal() {
	if !p.exited.Load() {
		// fails only if the process is already gone
		_ = killGroup(p.cmd)
	}
}

// withoutPath removes the path from an os/exec error.
func withoutPath(err error) error {
	var x *exec.Error
	if errors.As(err, &x) {
		return x.Err
	}
	return err
}
