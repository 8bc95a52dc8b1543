package gitops

// ReadObjectIn reads one object of an object directory, packed or loose, and
// does nothing else: no repository is opened and no process started. It is what
// the benchmark times as a whole process. Errors: that of reading, also where the
// object is not there.
func ReadObjectIn(objects string, h Hash) ([]byte, error) {
	s := newObjectStore(objectConfig{Dirs: []string{objects}})
	_, data, err := s.readFast(h, maxObject)
	return data, err
}
