package h2

import "time"

const (
	// maxStreams is how many streams a client may have open, and how many
	// handlers run for one connection: those whose stream was reset count until
	// they have ended, and others wait for that.
	maxStreams = 250

	// streamWindow and connWindow are how much a client may send before somebody
	// reads it.
	streamWindow = 256 << 10
	connWindow   = 1 << 20

	// frameSize is the most that a frame may hold, which is what the protocol
	// begins with: each connection keeps a buffer of that size.
	frameSize = 16 << 10
	// readSize is how much is read at once. It holds some dozens of requests.
	readSize = 4 << 10
	// tableSize is how much HPACK may remember, on each side.
	tableSize = 4 << 10
	// maxContinuations is how many frames may continue a head.
	maxContinuations = 64
	// maxSettings is how many settings a frame may have.
	maxSettings = 64

	// outSize is how much of an answer is gathered before it becomes a frame.
	outSize = 4 << 10
	// maxUnsent is how much may wait to be sent before handlers wait.
	maxUnsent = 64 << 10
	// maxReplies is how many frames that answer the client's own (to pings, to
	// settings) may wait to be sent.
	maxReplies = 1000

	// calmFirst is how many frames that ask for nothing a client may send;
	// calmEach is how many more with each second, calmAnswer with each of its
	// requests that was answered, and one with as many calmBytes of an answer.
	calmFirst  = 2000
	calmEach   = 100
	calmAnswer = 8
	calmBytes  = 2 << 10
	// calmWaits is what it costs to reset a stream that waits for handlers to end.
	calmWaits = 4
	// calmHasty is how soon behind its head a reset costs, too, whose handler has
	// begun: no more handlers run for that, but each may have opened a connection.
	// Who has waited for an answer in vain is not charged.
	calmHasty = 10 * time.Millisecond

	// headTime is how long a client may take for its first frame, and for a head
	// in several frames, if the server does not say.
	headTime = 10 * time.Second
	// lastTime is how long the end of a connection waits for the client's.
	lastTime = time.Second
	// lastWrite is how long a client may take nothing, if neither the handler nor
	// the server says.
	lastWrite = 60 * time.Second
)
