//go:build !unix

package gitops

import "context"

// Queue lets everybody through where there are no advisory locks.
func (r *Repo) Queue(context.Context) (leave func(), waited bool) { return func() {}, false }

// QueueRemote lets everybody through, too.
func (r *Repo) QueueRemote(context.Context) (leave func(), waited bool) { return func() {}, false }
