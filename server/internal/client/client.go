// Package client speaks to a running server as an app would, over REST and the
// socket: for the load generator and for the tests that break the server from
// outside.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
)

// Client is one player's connection to a server. Make one with SignUp.
type Client struct {
	base   string // such as http://127.0.0.1:8080
	http   *http.Client
	Player Player
	token  string
	secret string
}

// Player is a player as the contract has it.
type Player struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// View is what the client needs of the contract's View.
type View struct {
	MatchID string   `json:"matchId"`
	Seq     int      `json:"seq"`
	Phase   string   `json:"phase"`
	You     *int     `json:"you"`
	Turn    *int     `json:"turn"`
	Legal   []string `json:"legal"`
	Winner  *int     `json:"winner"`
	// Raw is the whole view.
	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the whole view beside what it reads of it.
func (v *View) UnmarshalJSON(data []byte) error {
	type plain View
	if err := json.Unmarshal(data, (*plain)(v)); err != nil {
		return err
	}
	v.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// Problem is an error that the server answered with.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Error gives status, code and text.
func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// SignUp makes a new guest at the server.
func SignUp(ctx context.Context, base string, h *http.Client) (*Client, error) {
	c := &Client{base: strings.TrimSuffix(base, "/"), http: h}
	var guest struct {
		Player       Player `json:"player"`
		DeviceSecret string `json:"deviceSecret"`
		AccessToken  string `json:"accessToken"`
	}
	if err := c.call(ctx, http.MethodPost, "/v1/guests", "", struct{}{}, &guest); err != nil {
		return nil, err
	}
	c.Player, c.secret, c.token = guest.Player, guest.DeviceSecret, guest.AccessToken
	return c, nil
}

// WithToken is a client of whoever has the access token.
func WithToken(base string, h *http.Client, token string) *Client {
	return &Client{base: strings.TrimSuffix(base, "/"), http: h, token: token}
}

// At is the same player at another address of the servers.
func (c *Client) At(base string, h *http.Client) *Client {
	other := *c
	other.base, other.http = strings.TrimSuffix(base, "/"), h
	return &other
}

// Token is the client's access token.
func (c *Client) Token() string { return c.token }

// SignIn gets a new access token with the device's secret.
func (c *Client) SignIn(ctx context.Context) error {
	var session struct {
		AccessToken string `json:"accessToken"`
	}
	body := map[string]string{"deviceSecret": c.secret}
	if err := c.call(ctx, http.MethodPost, "/v1/sessions", "", body, &session); err != nil {
		return err
	}
	c.token = session.AccessToken
	return nil
}

// SignOut ends all of the player's sessions.
func (c *Client) SignOut(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/v1/sessions", "", nil, nil)
}

// NewMatch is the body of a request for a match against bots.
type NewMatch struct {
	Rules       any  `json:"rules"`
	TurnSeconds int  `json:"turnSeconds,omitempty"`
	BotPauseMs  *int `json:"botPauseMs,omitempty"`
	Seat        *int `json:"seat,omitempty"`
}

// CreateMatch asks for a match. The same key makes it once.
func (c *Client) CreateMatch(ctx context.Context, key string, m NewMatch) (View, error) {
	var v View
	return v, c.call(ctx, http.MethodPost, "/v1/matches", key, m, &v)
}

// Queue is the body of a request for people to play with.
type Queue struct {
	Rules     string `json:"rules,omitempty"`
	Stake     int64  `json:"stake,omitempty"`
	PartnerID string `json:"partnerId,omitempty"`
}

// Order is one of the shop's.
type Order struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// Order orders a product through Stripe, and returns the order and what is needed to
// pay it.
func (c *Client) Order(ctx context.Context, key, sku, currency string) (o Order, pay map[string]string, err error) {
	var begun struct {
		Order  Order             `json:"order"`
		Client map[string]string `json:"client"`
	}
	err = c.call(ctx, "POST", "/v1/shop/orders", key, map[string]string{"sku": sku, "provider": "stripe", "currency": currency}, &begun)
	return begun.Order, begun.Client, err
}

// Purchase buys something for coins. The same key buys it once.
func (c *Client) Purchase(ctx context.Context, key, item string) error {
	return c.call(ctx, http.MethodPost, "/v1/wallet/purchases", key, map[string]string{"item": item}, nil)
}

// Enter looks for people to play with. The same key does it once.
func (c *Client) Enter(ctx context.Context, key string, q Queue) (Engagement, error) {
	var e Engagement
	return e, c.call(ctx, http.MethodPost, "/v1/queue", key, q, &e)
}

// Leave stops looking, or stands up from a table.
func (c *Client) Leave(ctx context.Context) (Engagement, error) {
	var e Engagement
	return e, c.call(ctx, http.MethodDelete, "/v1/queue", "", nil, &e)
}

// Engagement asks what the player is taken up with.
func (c *Client) Engagement(ctx context.Context) (Engagement, error) {
	var e Engagement
	return e, c.call(ctx, http.MethodGet, "/v1/me/engagement", "", nil, &e)
}

// Seed gives the client's own seed for the deals.
func (c *Client) Seed(ctx context.Context, matchID, seed string) (View, error) {
	var v View
	return v, c.call(ctx, http.MethodPost, "/v1/matches/"+matchID+"/seed", "", map[string]string{"seed": seed}, &v)
}

// Act does something in a match, on the view with the number seq.
func (c *Client) Act(ctx context.Context, matchID string, seq int, action string) (View, error) {
	var v View
	body := map[string]any{"seq": seq, "action": action}
	return v, c.call(ctx, http.MethodPost, "/v1/matches/"+matchID+"/actions", "", body, &v)
}

// View reads what the client may know of a match.
func (c *Client) View(ctx context.Context, matchID string) (View, error) {
	var v View
	return v, c.call(ctx, http.MethodGet, "/v1/matches/"+matchID, "", nil, &v)
}

// Record reads the record of a match that is over, a line of JSON.
func (c *Client) Record(ctx context.Context, matchID string) ([]byte, error) {
	var raw json.RawMessage
	return raw, c.call(ctx, http.MethodGet, "/v1/matches/"+matchID+"/record", "", nil, &raw)
}

// Get reads any resource as the client's player.
func (c *Client) Get(ctx context.Context, path string) ([]byte, error) {
	var raw json.RawMessage
	return raw, c.call(ctx, http.MethodGet, path, "", nil, &raw)
}

// Do sends any other request as the client's player, and reads the answer into
// answer unless that is nil.
func (c *Client) Do(ctx context.Context, method, path string, body, answer any) error {
	return c.call(ctx, method, path, "", body, answer)
}

func (c *Client) call(ctx context.Context, method, path, key string, body, answer any) error {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, in)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 400 {
		p := &Problem{Status: res.StatusCode}
		if err := json.Unmarshal(data, p); err != nil {
			p.Detail = string(data)
		}
		return p
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(data, answer)
}

// Frame is any frame that the server sends on the socket.
type Frame struct {
	Type   string `json:"type"`
	ID     int    `json:"id"`
	Topic  string `json:"topic"`
	Seq    int    `json:"seq"`
	Kind   string `json:"kind"`
	Seat   int    `json:"seat"`
	Action string `json:"action"`
	By     string `json:"by"`
	View   *View  `json:"view"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	// Engagement is in frames of the topic of that name.
	Engagement *Engagement `json:"engagement"`
	// Raw is the frame as it came.
	Raw []byte `json:"-"`
}

// Engagement is what a player is taken up with.
type Engagement struct {
	Kind   string `json:"kind"`
	ID     string `json:"id"`
	Seq    int    `json:"seq"`
	Reason string `json:"reason"`
	Room   *Room  `json:"room"`
}

// Room is a room with friends.
type Room struct {
	ID      string     `json:"id"`
	Code    string     `json:"code"`
	Owner   string     `json:"owner"`
	Seats   []RoomSeat `json:"seats"`
	MatchID string     `json:"matchId"`
}

// RoomSeat is a seat in a room.
type RoomSeat struct {
	Taken  string  `json:"taken"`
	Player *Player `json:"player"`
	Ready  bool    `json:"ready"`
}

// Stream is an open socket. One goroutine may read and one may write.
type Stream struct {
	ws *websocket.Conn
}

const handshakeTimeout = 10 * time.Second

// Stream opens the socket, says hello and subscribes to the matches given, each
// from behind its event with that number.
func (c *Client) Stream(ctx context.Context, matches map[string]int) (*Stream, error) {
	topics := make(map[string]int, len(matches))
	for id, seq := range matches {
		topics["match:"+id] = seq
	}
	return c.Follow(ctx, topics)
}

// Follow opens the socket, says hello and subscribes to the topics given, each from
// behind its event with that number.
func (c *Client) Follow(ctx context.Context, topics map[string]int) (*Stream, error) {
	dialer := websocket.Dialer{HandshakeTimeout: handshakeTimeout}
	ws, res, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(c.base, "http")+"/v1/stream", nil)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	s := &Stream{ws: ws}
	if err := s.Send(map[string]any{"type": "hello", "token": c.token, "topics": topics}); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Send writes a frame.
func (s *Stream) Send(frame any) error { return s.ws.WriteJSON(frame) }

// Subscribe follows one more topic from behind its event with that number.
func (s *Stream) Subscribe(id int, topic string, seq int) error {
	return s.Send(map[string]any{"type": "subscribe", "id": id, "topic": topic, "seq": seq})
}

// Act sends an action; the frame with the same id answers it.
func (s *Stream) Act(id int, matchID string, seq int, action string) error {
	return s.Send(map[string]any{"type": "act", "id": id, "match": matchID, "seq": seq, "action": action})
}

// Next waits for the server's next frame.
func (s *Stream) Next() (Frame, error) {
	_, data, err := s.ws.ReadMessage()
	if err != nil {
		return Frame{}, err
	}
	f := Frame{Raw: data}
	return f, json.Unmarshal(data, &f)
}

// Close ends the socket.
func (s *Stream) Close() { _ = s.ws.Close() }
