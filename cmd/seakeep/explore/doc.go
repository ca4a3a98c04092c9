// Package explore asks the simulator's searches for a command and writes down
// what they found: where a cliff is, what a change of policy is worth, and
// whether a system that tips over comes back.
package explore
