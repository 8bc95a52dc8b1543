package gitops

import (
	"container/list"
	"sync"
)

// deltaCacheSize bounds the bytes of delta bases that one store holds on to.
const deltaCacheSize = 32 << 20

// deltaKey names a base by where it stands: no hash has to be computed for it.
type deltaKey struct {
	pack   *pack
	offset int64
}

type deltaValue struct {
	key  deltaKey
	kind ObjectType
	data []byte
}

// deltaCache keeps the delta bases used last. Its slices are shared: read only.
type deltaCache struct {
	mu    sync.Mutex
	max   int
	size  int
	order list.List // of *deltaValue, the latest in front
	at    map[deltaKey]*list.Element
}

func newDeltaCache(size int) *deltaCache {
	return &deltaCache{max: size, at: map[deltaKey]*list.Element{}}
}

func (c *deltaCache) get(k deltaKey) (ObjectType, []byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[k]
	if !ok {
		return "", nil, false
	}
	c.order.MoveToFront(e)
	v := e.Value.(*deltaValue)
	return v.kind, v.data, true
}

// put remembers data unless it alone would push most others out.
func (c *deltaCache) put(k deltaKey, kind ObjectType, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.at[k]; ok || len(data) > c.max/4 {
		return
	}
	c.at[k] = c.order.PushFront(&deltaValue{k, kind, data})
	c.size += len(data)
	for c.size > c.max {
		last := c.order.Back()
		v := c.order.Remove(last).(*deltaValue)
		delete(c.at, v.key)
		c.size -= len(v.data)
	}
}
