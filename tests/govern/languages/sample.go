package clock

import "fmt"

const Limit, Floor = 3, 0

const (
	A = iota
	B
)

var zone string

type Clock[T any] struct {
	hour int
}

type Bell interface {
	Ring()
}

type Hour = int

func (c *Clock[T]) Turn(by int) {
	local := "x"
	var other int
	fmt.Println(local, other, 'c')
}

func New() *Clock[int] { return nil }
