package telemetry

const (
	idCalls id = iota
	idCallDuration
	idCallsInFlight
	idRejected
	idObserved
	idQueued
	idAttempts
	idAttemptDuration
	idAttemptFailures
	idAbandoned
	idRetries
	idRetryDenied
	idBudgetTokens
	idHedgeDenied
	idHedgeWins
	idHedgeDelay
	idBreakerState
	idBreakerTransitions
	idBreakerSeconds
	idBreakerKeys
	idBreakerForced
	idLate
	idThrottleRefusal
	idBulkheadInFlight
	idBulkheadLimit
	idBulkheadQueue
	idBulkheadQueueLimit
	idBulkheadWait
	idFallback
	idFallbackRunning
	idCacheLookups
	idCacheEntries
	idCacheBytes
	idDeadlineExceeded
	idDeadlineRemaining
	idFaultInjected
	idFaultChanges
	idFaultActive
	idEndpoints
	idEndpointChanges
	idEjected
	idEjections
	idPanic
	idPanicChanges
	idResolveChanges
	idResolveFailures
	idCertificates
	idCertificateFailures
	idFailoverState
	idFailoverTransitions
	idFailoverSeconds
	idFailoverCalls
	idRequests
	idRequestsGood
	idRequestDuration
	idRequestsInFlight
	idRequestsQueued
	idRequestWait
	idShed
	idRequestsObserved
	idLimit
	idLimitInFlight
	idLimitChanges
	idLimitBaseline
	idQueueLength
	idQueueLimit
	idShedAdmitted
	idShedChanges
	idAdmissionAllowed
	idRecoveryState
	idRecoveryChanges
	idDegradeLevel
	idDegradeChanges
	idDegradePressure
	idTenants
	idTenantsForgotten
	idIdempotency
	idTied
	idObjectiveEvents
	idObjectiveBad
	idObjectiveGoal
	idBudgetLeft
	idBudgetOfPeriod
	idBurnRate
	idBurning
	idBudgetSteps
	idObjectiveChanges
	idBuildInfo
	idProxyReady
	idProxyConnections
	idProxyRequests
	idProxyTunnels
	idProxyReloads
	idProxyBeacons
	idProxyLoaded
	idCount
)

// The parts of the table, which are the headings of docs/monitoring.md.
const (
	partCalls     = "Calls"
	partAttempts  = "Attempts, retries and copies"
	partBreaker   = "Breaker"
	partBulkhead  = "Bulkhead and throttle"
	partFallback  = "Fallback"
	partDeadline  = "Deadlines"
	partFault     = "Faults"
	partEndpoints = "Endpoints and providers"
	partServe     = "Requests that come in"
	partPressure  = "Limit, queue and pressure"
	partSLO       = "Objectives"
	partProgram   = "The program"
)

func counter(part, name, otel, unit string, labels []string, help string) Definition {
	return Definition{Name: name, OTel: otel, Kind: Counter, Unit: unit, Labels: labels, Part: part, Help: help}
}

func gauge(part, name, otel, unit string, labels []string, help string) Definition {
	return Definition{Name: name, OTel: otel, Kind: Gauge, Unit: unit, Labels: labels, Part: part, Help: help}
}

func histogram(part, name, otel string, labels []string, help string) Definition {
	return Definition{Name: name, OTel: otel, Kind: Histogram, Unit: "s", Labels: labels, Part: part, Help: help}
}

// definitions is the one table of all metrics, in three files because it is long.
var definitions = func() (all [idCount]Definition) {
	for _, half := range [...]map[id]Definition{clientMetrics, serveMetrics, sloMetrics} {
		for i := range all {
			if d, ok := half[id(i)]; ok {
				all[i] = d
			}
		}
	}
	return all
}()
