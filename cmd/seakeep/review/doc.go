// Package review says what a policy file means: each rung's numbers as they
// take effect, what is off, and what follows from the numbers together, which
// nobody sees who reads the file key by key. How long a call may take at worst;
// how often a dependency may be asked for one call, and for all of them; how
// many slots its traffic needs; whom one bad tenant can hurt.
//
// Of a file comes a Sheet. It is written as pages of text, as the one table that
// a service is judged by (for terminals, as Markdown or HTML), or as JSON.
// Nothing here is measured: all of it follows from the file.
package review
