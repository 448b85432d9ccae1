// SPDX-License-Identifier: GPL-2.0-or-later

// A Go program whose chains of calls are known. Usage: planted MILLISECONDS
//
// Each leaf is called by one chain. The leaves are in all kinds of code: without a frame, with a
// frame, in closures, in deferred functions, behind interfaces, and in Go's runtime. Each chain runs
// in a goroutine of its own. Garbage is collected meanwhile.
package main

import (
	"os"
	"strconv"
	"sync"
	"time"
)

const rounds = 100000

// ---- a leaf without a frame ----

//go:noinline
func leafBare(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += i ^ (sum << 1)
	}
	return
}

//go:noinline
func bareInner(n int) int { return leafBare(n) + 1 }

//go:noinline
func bareOuter(n int) int { return bareInner(n) + 1 }

// ---- a leaf with a large frame ----

//go:noinline
func leafFramed(n int) (sum int) {
	var words [1024]int
	for i := 0; i < n; i++ {
		words[i&1023] += i ^ sum
		sum += words[(i*7)&1023]
	}
	return
}

//go:noinline
func framedInner(n int) int { return leafFramed(n) + 1 }

//go:noinline
func framedOuter(n int) int { return framedInner(n) + 1 }

// ---- a closure ----

//go:noinline
func leafCalled(n, step int) (sum int) {
	for i := 0; i < n; i++ {
		sum += step ^ (sum << 1)
	}
	return
}

//go:noinline
func apply(f func(int) int, n int) int { return f(n) + 1 }

//go:noinline
func closing(n int) int {
	step := n & 7
	return apply(func(n int) int { return leafCalled(n, step) + 1 }, n)
}

// ---- a deferred function ----

//go:noinline
func leafDeferred(n int, sum *int) {
	for i := 0; i < n; i++ {
		*sum += i ^ (*sum << 1)
	}
}

//go:noinline
func deferring(n int) (sum int) {
	defer func() { leafDeferred(n, &sum) }()
	return n
}

// ---- a method behind an interface ----

type worker interface{ work(int) int }
type number struct{ start int }

//go:noinline
func (x *number) work(n int) int {
	sum := x.start
	for i := 0; i < n; i++ {
		sum += i ^ (sum << 1)
	}
	return sum
}

//go:noinline
func dispatch(w worker, n int) int { return w.work(n) + 1 }

// ---- functions of the runtime, in assembly and not ----

//go:noinline
func moving(to, from []byte) int {
	copy(to, from)
	return int(to[0])
}

//go:noinline
func mapping(m map[uint64]int, n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += m[uint64(i)*7919%20000]
	}
	return
}

var kept [64][]byte

//go:noinline
func litter(n int) int {
	for i := 0; i < n; i++ {
		kept[i%64] = make([]byte, 4096)
	}
	return len(kept[0])
}

// ---- the goroutines ----

func repeat(end time.Time, wait *sync.WaitGroup, work func() int) {
	defer wait.Done()
	for sum := 0; time.Now().Before(end); sum += work() {
	}
}

func main() {
	ms, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(ms) * time.Millisecond)
	to, from := make([]byte, 1<<16), make([]byte, 1<<16)
	m := map[uint64]int{}
	for i := 0; i < 20000; i++ {
		m[uint64(i)] = i
	}
	works := []func() int{
		func() int { return bareOuter(rounds) },
		func() int { return framedOuter(rounds) },
		func() int { return closing(rounds) },
		func() int { return deferring(rounds) },
		func() int { return dispatch(&number{3}, rounds) },
		func() int {
			for i := 0; i < 100; i++ {
				moving(to, from)
			}
			return 1
		},
		func() int { return mapping(m, rounds) },
		func() int { return litter(100) },
	}
	var wait sync.WaitGroup
	wait.Add(len(works))
	for _, work := range works {
		go repeat(end, &wait, work)
	}
	wait.Wait()
}
