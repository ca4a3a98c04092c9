package proxy

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long the folder must be quiet before the file is read: editors
// and orchestrators write in several steps.
const settle = 200 * time.Millisecond

// watch reloads the policy file when it changes, until ctx ends. The folder is
// watched and not the file, because most ways of changing a file put another
// one in its place.
func (p *Proxy) watch(ctx context.Context) {
	if p.file.path == "" {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		p.log.Warn("the policy file is not watched; SIGHUP reloads it", "error", err)
		return
	}
	defer w.Close()
	p.watchFolders(w)
	p.reloadIfChanged() // it may have changed before the watch began
	quiet := time.NewTimer(settle)
	quiet.Stop()
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Events:
			quiet.Reset(settle)
		case err := <-w.Errors:
			p.log.Warn("watching the policy file", "error", err)
			quiet.Reset(settle) // events may have been lost
		case <-quiet.C:
			p.watchFolders(w)
			p.reloadIfChanged()
		}
	}
}

// watchFolders watches the folder that the file is named in and, if the name
// is a link, the one that the file is in. To add a folder again does nothing,
// and the second one may be another than before.
func (p *Proxy) watchFolders(w *fsnotify.Watcher) {
	folders := []string{filepath.Dir(p.file.path)}
	if real, err := filepath.EvalSymlinks(p.file.path); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	for _, folder := range folders {
		if err := w.Add(folder); err != nil {
			p.log.Warn("cannot watch the policy file's folder", "folder", folder, "error", err)
		}
	}
}

func (p *Proxy) reloadIfChanged() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.reload(false) // it is logged, and shown on the admin address
}
