package proxy

import (
	"net"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)
