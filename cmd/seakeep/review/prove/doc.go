// Package prove runs what makes a finding of package check bite: a scenario built
// from the file's own settings and what it says was measured, in virtual time,
// once with the file as it is and once with the finding's changes made.
//
// # Algorithm
//
// Each rule that can be proven has a world: a small scenario, and the figure that
// tells. The workers of our service are a little more than the traffic of a usual
// day needs, so that what one dependency holds is missing elsewhere: beside its
// page there always is another, which calls nothing. Servers take the times that
// were measured. Both have the same arrivals and draws in each run, so that the
// figure is compared run by run: worse means that the interval of the differences,
// which holds the truth in 95 of 100 cases, leaves out zero.
package prove
