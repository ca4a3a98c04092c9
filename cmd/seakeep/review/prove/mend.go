package prove

import (
	"slices"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
)

// mendOthers mends the other findings of the same dependency, or of the door,
// and returns their rules. A change that does not go together with those before
// it is left out, and so is one of a key that this finding changes.
func (s *stage) mendOthers() (mended []string) {
	text := s.file.Text()
	for _, f := range check.Files(s.files) {
		if f.File != s.finding.File || f.Rule == s.finding.Rule || f.About() != s.finding.About() ||
			len(f.Changes) == 0 || slices.ContainsFunc(f.Changes, s.changes) {
			continue
		}
		out := text
		for _, c := range f.Changes {
			if next, err := config.Set(out, c.Path, c.Value); err == nil {
				out = next
			}
		}
		if file, err := config.Parse(s.file.Name(), out); err == nil && s.still(file) {
			text = out
			mended = append(mended, f.Rule)
		}
	}
	if file, err := config.Parse(s.file.Name(), text); err == nil && len(mended) > 0 {
		s.replace(file)
	}
	return mended
}

// changes reports whether the finding changes the same key.
func (s *stage) changes(c check.Change) bool {
	return slices.ContainsFunc(s.finding.Changes, func(own check.Change) bool { return own.Path == c.Path })
}

// still reports whether the finding is there in another version of its file, so
// that something is left to prove.
func (s *stage) still(file *config.File) bool {
	files := slices.Clone(s.files)
	files[slices.Index(files, s.file)] = file
	return slices.ContainsFunc(check.Files(files), func(f check.Finding) bool {
		return f.Rule == s.finding.Rule && f.File == s.finding.File && f.Path == s.finding.Path
	})
}

// replace puts another version of the finding's file in its place.
func (s *stage) replace(file *config.File) {
	s.files = slices.Clone(s.files)
	s.files[slices.Index(s.files, s.file)] = file
	if s.dep != nil {
		s.dep = file.Dependency(s.dep.Name)
	}
	s.file = file
}
