package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// readyCommand is for images and units without curl.
type readyCommand struct {
	Listen  string        `env:"CUATROLA_LISTEN" default:":8080" placeholder:"ADDRESS" help:"Address that the server serves on."`
	Timeout time.Duration `default:"3s" help:"How long it may take."`
}

// Run asks what a balancer asks.
func (c *readyCommand) Run() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("CUATROLA_LISTEN: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() { // all of the machine's addresses
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return fmt.Errorf("%s: %s", res.Status, text)
	}
	fmt.Println("ready")
	return nil
}
