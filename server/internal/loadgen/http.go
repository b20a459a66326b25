package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

// servers are all addresses of the one service, whose requests go to one after the
// other: no server is anybody's own.
type servers struct {
	urls    []string
	http    *fasthttp.Client
	timeout time.Duration
	next    atomic.Uint64
}

func newServers(urls []string, timeout time.Duration) *servers {
	return &servers{urls: urls, timeout: timeout, http: &fasthttp.Client{
		Name: "cuatrola-load", MaxConnsPerHost: 1 << 16, ReadTimeout: timeout, WriteTimeout: timeout,
		NoDefaultUserAgentHeader: false, DisablePathNormalizing: true,
		// A request that may have been carried out is not sent again.
		MaxIdemponentCallAttempts: 1, RetryIfErr: func(*fasthttp.Request, int, error) (bool, bool) { return false, false },
	}}
}

// any is the server whose turn it is.
func (s *servers) any() string { return s.urls[s.next.Add(1)%uint64(len(s.urls))] }

// call is one request.
type call struct {
	method, path, token, key string
	body, answer             any
}

// do carries it out on any server. What the server answers with, if it is no success,
// is a *client.Problem.
func (s *servers) do(c call) error { return s.on(s.any(), c) }

// on carries it out on that server.
func (s *servers) on(base string, c call) error {
	req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(res)
	req.SetRequestURI(base + c.path)
	req.Header.SetMethod(c.method)
	if c.body != nil {
		data, err := json.Marshal(c.body)
		if err != nil {
			return err
		}
		req.Header.SetContentType("application/json")
		req.SetBodyRaw(data)
	}
	if c.token != "" {
		req.Header.Set(fasthttp.HeaderAuthorization, "Bearer "+c.token)
	}
	if c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
	}
	if err := s.http.DoTimeout(req, res, s.timeout); err != nil {
		return err
	}
	if status := res.StatusCode(); status >= 300 {
		p := &client.Problem{}
		if err := json.Unmarshal(res.Body(), p); err != nil || p.Code == "" {
			p.Code = fmt.Sprintf("status_%d", status)
		}
		p.Status = status
		return p
	}
	if c.answer == nil {
		return nil
	}
	return json.Unmarshal(res.Body(), c.answer)
}

// codeOf is what an error is counted as: the server's own code, or what befell the
// connection.
func codeOf(err error) string {
	var p *client.Problem
	switch {
	case errors.As(err, &p):
		return p.Code
	case errors.Is(err, fasthttp.ErrTimeout), errors.Is(err, fasthttp.ErrDialTimeout):
		return "no_answer"
	default:
		return "no_connection"
	}
}
