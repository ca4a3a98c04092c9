// Package certs keeps certificates that are read from files, and reads them
// again when the files change.
//
// Whoever renews certificates writes files; nobody should have to restart a
// program for it. Store.Get looks whether the files have changed, at most once
// a second, when somebody is about to shake hands: there is nothing to watch,
// and no goroutine to end. A key and its certificate are two files, which
// cannot be replaced at one moment, and a file may be read while it is being
// written. So what cannot be used changes nothing: what was in use stays, the
// files are looked at again, and the mistake is told once.
//
// A Store is safe for use by many goroutines; one lock guards all of it, also
// while files are read.
package certs
