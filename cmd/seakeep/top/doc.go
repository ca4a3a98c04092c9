// Package top is the wall in a terminal: what "seakeep top" shows.
//
// It follows the stream of the dashboard's API and draws each snapshot anew. When
// the connection drops it says so and since when, keeps the last figures on the
// screen, and tries again; the stream goes on where it was. Into a pipe it writes
// one table and ends.
//
// Words that come from a proxy are printed without control characters: what a
// client sends must not move somebody's cursor.
package top
