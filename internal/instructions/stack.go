package instructions

// stackChunk is how many elements a stack takes room for at once.
const stackChunk = 256

// stack grows without being copied, so that no more room is taken than it needs.
type stack[T any] struct {
	chunks [][]T
	size   int
}

func (s *stack[T]) push(v T) {
	if s.size == len(s.chunks)*stackChunk {
		s.chunks = append(s.chunks, make([]T, stackChunk))
	}
	*s.at(s.size) = v
	s.size++
}

// at returns the element i, counted from the bottom.
func (s *stack[T]) at(i int) *T { return &s.chunks[i/stackChunk][i%stackChunk] }

// truncate takes elements off until there are n.
func (s *stack[T]) truncate(n int) { s.size = n }
