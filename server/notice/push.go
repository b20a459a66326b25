package notice

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Device is where a player wants to be pushed to.
type Device struct {
	ID        string // UUID, version 7
	PlayerID  string
	SessionID string // the sign-in that registered it; nothing is pushed when that has ended
	Token     string // the push service's name for the app on the device; a secret
	Platform  string // android, ios or web
	CreatedAt time.Time
}

const (
	// MaxDevices is how many devices of a player are pushed to.
	MaxDevices = 10
	// MaxToken is the most bytes of a push token.
	MaxToken = 4096
)

// Message is what is pushed to one device.
type Message struct {
	Token       string
	Title, Body string            // in the player's language
	Data        map[string]string // for the app
	// Collapse names messages of which a device that was away needs the last only.
	Collapse string
}

// Pusher is a service that delivers messages to devices.
type Pusher interface {
	// Push returns nil once the service has taken the message; ErrGone if the token is
	// no device's any more; *Later if it may be taken another time; and any other
	// error if it will not.
	Push(ctx context.Context, m Message) error
}

// ErrGone says that a token is no device's any more.
var ErrGone = errors.New("notice: the push token is no device's any more")

// Later says that a message may be taken another time.
type Later struct {
	After time.Duration // not before; 0 if the service named no time
	Err   error
}

// Error is the cause's.
func (l *Later) Error() string { return "notice: not pushed yet: " + l.Err.Error() }

// Unwrap returns the cause.
func (l *Later) Unwrap() error { return l.Err }

// Clock tells the time and calls back later.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine once d has passed. stop keeps a call
	// that has not begun from happening.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Register has the player's notices pushed to a device, in the language that the
// player has then. A token is one player's: whoever registered it before is pushed
// to there no more.
//
// Codes: InvalidRequest.
func (s *Service) Register(ctx context.Context, playerID, sessionID, token, platform string) (Device, error) {
	if token == "" || len(token) > MaxToken {
		return Device{}, &fault.Error{Code: fault.InvalidRequest, Field: "token", Message: "That is no push token."}
	}
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return Device{}, fmt.Errorf("notice: new device's id: %w", err)
	}
	return s.store.PutDevice(ctx, Device{
		ID: id.String(), PlayerID: playerID, SessionID: sessionID, Token: token, Platform: platform,
		CreatedAt: s.now().UTC().Truncate(time.Millisecond),
	}, MaxDevices)
}

// Unregister has nothing pushed to the player's device any more. A device that is
// not there changes nothing.
func (s *Service) Unregister(ctx context.Context, playerID, deviceID string) error {
	return s.store.DropDevice(ctx, playerID, deviceID)
}

const (
	// maxPushing is how many notices are pushed at the same time, maxPending how many
	// wait for that or for their repetition. What is over it is not pushed: the notice
	// is kept, and a service that takes nothing must not fill the memory.
	maxPushing = 8
	maxPending = 10000
	// maxTries is how often a message is offered, firstPause the pause behind the
	// first time, which doubles. The last try comes about five minutes later.
	maxTries   = 6
	firstPause = 10 * time.Second
	// maxPause is as long as a service may make a message wait.
	maxPause = time.Hour
	// pushTimeout bounds one try.
	pushTimeout = 30 * time.Second
)

// pushes offers notices to the push service, off the path of what made them. What
// waits is in memory: a push is a hint, and the notice itself is kept.
type pushes struct {
	service *Service
	pusher  Pusher
	clock   Clock
	slots   chan struct{}
	ctx     context.Context // of all tries; done when they have to end
	cancel  context.CancelFunc
	most    int // that may wait

	mu      sync.Mutex
	waiting map[*job]func() bool // stops the call
	pending int
	freed   chan struct{} // closed when one fewer is pending; nil if nobody waits for that
	stopped bool
	running sync.WaitGroup
}

// job is a notice on its way to devices.
type job struct {
	playerID string
	seq      int
	devices  []string // by id; nil for all that there are
	tried    int
}

func newPushes(s *Service, p Pusher, clock Clock) *pushes {
	ctx, cancel := context.WithCancel(context.Background())
	return &pushes{
		service: s, pusher: p, clock: clock, most: maxPending, slots: make(chan struct{}, maxPushing),
		ctx: ctx, cancel: cancel, waiting: make(map[*job]func() bool),
	}
}

func (p *pushes) stop() {
	p.mu.Lock()
	p.stopped = true
	for _, stop := range p.waiting {
		stop()
	}
	clear(p.waiting)
	p.mu.Unlock()
	p.cancel()
	p.running.Wait()
}

// room returns when no more than a part of what may wait does.
func (p *pushes) room(ctx context.Context) error {
	for {
		p.mu.Lock()
		if p.stopped || p.pending < p.most/2 {
			p.mu.Unlock()
			return nil
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-p.ctx.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begin has the job done after a pause.
func (p *pushes) begin(j job, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if p.pending >= p.most {
		slog.Warn("push: too many wait, one is left out", "player", j.playerID, "seq", j.seq)
		return
	}
	p.pending++
	p.waiting[&j] = p.clock.AfterFunc(pause, func() {
		p.mu.Lock()
		if p.stopped {
			p.mu.Unlock()
			return
		}
		delete(p.waiting, &j)
		p.running.Add(1)
		p.mu.Unlock()
		defer p.running.Done()
		p.slots <- struct{}{}
		again, pause := p.try(j)
		<-p.slots
		p.mu.Lock()
		p.pending--
		if p.freed != nil {
			close(p.freed)
			p.freed = nil
		}
		p.mu.Unlock()
		if again != nil {
			p.begin(*again, pause)
		}
	})
}

// try offers the notice to each device of the job, and returns the job that is
// left to be done after a pause, if one.
func (p *pushes) try(j job) (again *job, pause time.Duration) {
	ctx, cancel := context.WithTimeout(p.ctx, pushTimeout)
	defer cancel()
	log := slog.With("player", j.playerID, "seq", j.seq)
	// Asked anew each time: meanwhile a device may have gone or be somebody else's,
	// and the notice may have been read.
	devices, n, language, err := p.due(ctx, j)
	if err != nil {
		log.Error("push: the notice cannot be read", "error", err)
		return nil, 0
	}
	if len(devices) == 0 {
		return nil, 0
	}
	title, body := wording(n, language)
	data := map[string]string{"kind": string(n.Kind), "seq": strconv.Itoa(n.Seq)}
	collapse := string(n.Kind)
	if n.Said != nil {
		// One does not take another's place.
		collapse += ":" + n.Said.ID
		if n.Said.Link != "" {
			data["link"] = n.Said.Link
		}
	}
	rest := job{playerID: j.playerID, seq: j.seq, tried: j.tried + 1}
	for _, d := range devices {
		err := p.pusher.Push(ctx, Message{
			Token: d.Token, Title: title, Body: body, Collapse: collapse, Data: data,
		})
		var later *Later
		switch {
		case err == nil:
		case errors.Is(err, ErrGone):
			if err := p.service.store.DropDevice(ctx, d.PlayerID, d.ID); err != nil {
				log.Error("push: a device that is gone cannot be forgotten", "error", err)
			}
		case errors.As(err, &later):
			rest.devices = append(rest.devices, d.ID)
			pause = max(pause, later.After)
			log.Warn("push: not taken", "try", rest.tried, "error", err)
		default:
			log.Error("push: refused", "error", err)
		}
	}
	if len(rest.devices) == 0 || rest.tried >= maxTries {
		return nil, 0
	}
	pause = min(max(pause, firstPause<<j.tried), maxPause)
	return &rest, pause + p.spread(pause/2)
}

// due is where the job's notice is still to go, and the notice.
func (p *pushes) due(ctx context.Context, j job) ([]Device, Notice, string, error) {
	store := p.service.store
	devices, language, err := store.Devices(ctx, j.playerID)
	if err != nil || len(devices) == 0 {
		return nil, Notice{}, "", err
	}
	if j.devices != nil {
		devices = slices.DeleteFunc(devices, func(d Device) bool { return !slices.Contains(j.devices, d.ID) })
	}
	inbox, err := store.Inbox(ctx, j.playerID)
	if err != nil || inbox.Read >= j.seq {
		return nil, Notice{}, "", err
	}
	list, err := store.NoticesAfter(ctx, j.playerID, j.seq-1, 1)
	if err != nil {
		return nil, Notice{}, "", err
	}
	if len(list) == 0 || list[0].From == nil && list[0].Kind != System && list[0].Kind != LeagueClosed && list[0].Kind != Broadcast {
		// Whom it is about is out of sight.
		return nil, Notice{}, "", nil
	}
	return devices, list[0], language, nil
}

// spread is a random part of d, so that what failed together does not come back
// together.
func (p *pushes) spread(d time.Duration) time.Duration {
	var b [4]byte
	if _, err := io.ReadFull(p.service.random, b[:]); err != nil {
		return 0
	}
	return d * time.Duration(binary.BigEndian.Uint32(b[:])>>16) >> 16
}

// wording is a notice's in a language. In the app the words are the client's; a push is
// shown by the device itself.
func wording(n Notice, language string) (title, body string) {
	if n.Said != nil {
		return n.Said.Title.In(language), n.Said.Text.In(language)
	}
	if n.Kind == System {
		for _, l := range []string{language, "es", "en"} {
			if text := n.Text[l]; text != "" {
				return "Cuatrola", text
			}
		}
		return "Cuatrola", ""
	}
	t, ok := pushWords[n.Kind][language]
	if !ok {
		t = pushWords[n.Kind]["en"]
	}
	if l := n.League; l != nil {
		what := leagueWords[language]
		if what == nil {
			what = leagueWords["en"]
		}
		body = fmt.Sprintf(t[1], l.Rank)
		if l.Prize > 0 {
			body += " " + fmt.Sprintf(what["prize"], l.Prize)
		}
		switch {
		case l.Moved > 0:
			body += " " + what["up"]
		case l.Moved < 0:
			body += " " + what["down"]
		}
		return t[0], body
	}
	who := ""
	if n.From != nil {
		who = n.From.Name
	}
	return t[0], fmt.Sprintf(t[1], who)
}

// leagueWords are what a league's end may say besides the rank.
var leagueWords = map[string]map[string]string{
	"es": {"prize": "Premio en monedas: %d.", "up": "Subes de división.", "down": "Bajas de división."},
	"ca": {"prize": "Premi en monedes: %d.", "up": "Puges de divisió.", "down": "Baixes de divisió."},
	"en": {"prize": "Prize in coins: %d.", "up": "You move up.", "down": "You move down."},
}

var pushWords = map[Kind]map[string][2]string{
	FriendRequest: {
		"es": {"Solicitud de amistad", "%s te pide amistad."},
		"ca": {"Sol·licitud d'amistat", "%s et demana amistat."},
		"en": {"Friend request", "%s wants to be your friend."},
	},
	FriendAccepted: {
		"es": {"Nueva amistad", "%s ha aceptado tu solicitud."},
		"ca": {"Nova amistat", "%s ha acceptat la teva sol·licitud."},
		"en": {"New friend", "%s has accepted your request."},
	},
	PartyInvite: {
		"es": {"Jugar en pareja", "%s te espera para jugar en pareja."},
		"ca": {"Jugar en parella", "%s t'espera per jugar en parella."},
		"en": {"Play as a pair", "%s waits to play with you as a pair."},
	},
	RoomInvite: {
		"es": {"Invitación a una sala", "%s te invita a jugar."},
		"ca": {"Invitació a una sala", "%s et convida a jugar."},
		"en": {"Invitation to a room", "%s invites you to play."},
	},
	LeagueClosed: {
		"es": {"La liga de la semana", "Has quedado en el puesto %d."},
		"ca": {"La lliga de la setmana", "Has quedat en el lloc %d."},
		"en": {"The week's league", "You came in at number %d."},
	},
}
