package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/gofiber/contrib/websocket"

	"github.com/cuatrola/cuatrola/admin"
	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/broadcast"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/jobs"
	"github.com/cuatrola/cuatrola/server/internal/keyfile"
	"github.com/cuatrola/cuatrola/server/internal/limit"
	"github.com/cuatrola/cuatrola/server/internal/logs"
	"github.com/cuatrola/cuatrola/server/internal/mail"
	"github.com/cuatrola/cuatrola/server/internal/metrics"
	"github.com/cuatrola/cuatrola/server/internal/oidc"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/internal/passkey"
	"github.com/cuatrola/cuatrola/server/internal/push"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/internal/socket"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/report"
	"github.com/cuatrola/cuatrola/server/review"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/server/sanction"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/simulation"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/talk"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/wasm/play"
)

type serveCommand struct {
	config.Server `embed:""`
}

// Run serves until the process is told to stop.
func (c *serveCommand) Run() error {
	slog.SetDefault(slog.New(logs.Handler{Handler: slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel})}))
	stopping, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	hurried, hurry := context.WithCancel(context.Background())
	defer hurry()
	context.AfterFunc(stopping, func() {
		// The second signal is for who does not want to wait, the third ends it all.
		again, forget := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		stop()
		<-again.Done()
		forget()
		hurry()
	})
	err := serve(stopping, hurried, c.Server)
	if err != nil {
		slog.Error("stopped", "error", err)
	}
	return err
}

// documentOf reads a version of the economy, which the match that asks began under; nil,
// and said in the log, if it cannot be read.
func documentOf(economies *economy.Service, versions economy.Store, number int) *economy.Document {
	d, err := economies.At(number, func(number int) (*economy.Version, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return versions.Version(ctx, number)
	})
	if err != nil {
		slog.Warn("cannot read the economy of a match", "economy", number, "error", err)
		return nil
	}
	return d
}

// awayAfter reads from the economy how many turns in a row a person misses before it is
// shown as away.
func awayAfter(economies *economy.Service, versions economy.Store) func(int) int {
	return func(number int) int {
		d := documentOf(economies, versions, number)
		if d == nil {
			return math.MaxInt // it is shown too late or not at all; the match goes on
		}
		return d.Matches.Away.AfterTurns
	}
}

// paceOf reads from the economy how bots' waits vary.
func paceOf(economies *economy.Service, versions economy.Store) func(int) bot.Pace {
	return func(number int) bot.Pace {
		d := documentOf(economies, versions, number)
		if d == nil {
			return bot.Natural()
		}
		p := &d.Bots.Pause
		return bot.Pace{Bid: p.BidPercent, Lead: p.LeadPercent, Forced: p.ForcedPercent, Spread: p.SpreadPercent}
	}
}

// thinkers is how many bots may think at a time where the setting says so many.
func thinkers(setting int) int {
	if setting == 0 {
		return runtime.GOMAXPROCS(0) / 2
	}
	return setting
}

// serve puts the server together, lets it run until stopping is done, and takes it
// apart in the opposite order. hurried cuts short how long it still serves then.
func serve(stopping, hurried context.Context, c config.Server) error {
	// Whoever is served until the end needs what runs beside the requests.
	ctx, end := context.WithCancel(context.WithoutCancel(stopping))
	defer end()
	starting := context.AfterFunc(stopping, end)
	rest.Prepare()
	keys, err := signingKeys(c)
	if err != nil {
		return err
	}
	stopTracing, err := startTracing(ctx)
	if err != nil {
		return err
	}
	defer stopTracing()
	counts := metrics.New()
	db, err := openCounted(ctx, c.Database, counts)
	if err != nil {
		return err
	}
	defer db.Close()
	if c.Migrate {
		done, err := db.Migrate(ctx)
		if err != nil {
			return err
		}
		for _, m := range done {
			slog.Info("migrated", "version", m.Version, "name", m.Name)
		}
	} else if err := upToDate(ctx, db); err != nil {
		return err
	}
	wall, err := commonTime(ctx, db)
	if err != nil {
		return err
	}
	news, err := bus.Open(c.NATSURL)
	if err != nil {
		return naming("NATS_URL", err)
	}
	defer news.Close()
	news.Count(counts)

	mailer, err := mailerOf(c)
	if err != nil {
		return err
	}
	halts := halt.New(db, wall.Now, news.PublishHalts)
	if err := followHalts(ctx, halts, news); err != nil {
		return err
	}
	tokens := account.NewTokens(keys, c.JWTIssuer, c.JWTAudience, c.AccessTTL)
	go rereadKeys(ctx, c, tokens)
	accounts := account.New(db, tokens, wall.Now,
		account.WithRefreshTTL(c.RefreshTTL), account.WithAnnounce(news.PublishEnded), account.WithHalts(halts),
		account.WithMailer(mailer, c.PublicURL), account.WithIDTokens(oidc.New(wall.Now,
			provider(account.ViaApple, c.Apple), provider(account.ViaGoogle, c.Google))))
	// Behind the requests, before the database: mails that they have promised.
	defer accounts.Wait()
	economies := economy.NewService(db, wall.Now)
	if err := economies.Start(ctx); err != nil {
		return err
	}
	rewards := reward.New(db, db, economies, wall.Now, rand.Reader)
	db.SettleWith(rewards.Settle)
	db.VoidWith(rewards.Refund)
	engagements := engagement.New(db, news.PublishEngagement)
	matches := match.New(db, wall, news.Publish, match.WithOver(func(m *match.Match) {
		for _, p := range m.Players() {
			engagements.Announce(engagement.Change{PlayerID: p.PlayerID})
		}
	}), match.WithAway(awayAfter(economies, db)), match.WithPace(paceOf(economies, db)), match.WithThinkers(thinkers(c.BotThinkers)),
		match.WithMeter(counts), match.WithWork(workAt))
	pushing, err := pushOptions(c, wall)
	if err != nil {
		return err
	}
	notices := notice.New(db, wall.Now, news.PublishNotice, pushing...)
	defer notices.Stop()
	leagues := league.New(db.League(), economies, wall.Now, rand.Reader, notices.Announce)
	hub := socket.NewHub(matches, accounts.Authenticate, rest.AppendView)
	hub.LimitFrames(c.LimitFrames)
	hub.Count(counts, wall.Now)
	talking := talk.New(matches, db, wall.Now, news.PublishTalk)
	hub.ServeTalk(talking)
	if err := news.SubscribeTalk(hub.Hear); err != nil {
		return err
	}
	if err := news.Subscribe(func(ctx context.Context, matchID string, e match.Entry) {
		matches.Observe(matchID, e)
		hub.Notify(ctx, matchID, e.Seq)
	}); err != nil {
		return err
	}
	hub.ServeNotices(notices, func(n notice.Notice, inbox notice.Inbox) any { return rest.NoticeJSON(n, inbox) })
	if err := news.SubscribeNotices(hub.NotifyNotices); err != nil {
		return err
	}
	rooms := room.New(room.Options{
		Store: db, Matches: matches, Economy: liveEconomy(economies), Now: wall.Now, Random: rand.Reader,
		Tell: engagements.Announce, Announce: notices.Announce, Halts: halts,
	})
	counts.ClientFaultKinds(rest.ClientFaultKinds())
	seen, pulse := newOverview(db, economies, hub, wall.Now)
	defer beating(ctx, pulse)()
	entrance := lobby.New(lobby.Options{
		Store: db, Matches: matches, Economy: economies, Clock: wall, Random: rand.Reader,
		Announce: engagements.Announce, Notify: notices.Announce, Meter: lobbyMeter{counts, pulse}, NoStakes: c.Stakes == "off", Halts: halts,
	})
	if !c.Stripe.On() {
		slog.Info("nothing is sold through Stripe, for it has no keys")
	}
	counter, from, err := openShop(c.Shop, db, economies, wall.Now, shop.WithObserver(counts.ProviderEvent))
	if err != nil {
		return err
	}
	places := rest.Places{Rooms: rooms, Lobby: entrance}
	hub.ServeEngagements(engagements, func(ctx context.Context, e engagement.Engagement) (any, error) { return places.EngagementJSON(ctx, e) })
	if err := news.SubscribeEngagements(hub.NotifyEngagement); err != nil {
		return err
	}
	if err := news.SubscribeEnded(func(ids []string, why fault.Code) {
		accounts.ObserveEnded(ids)
		hub.EndSessions(ids, why)
	}); err != nil {
		return err
	}
	// Before the first request: what was signed out stays out.
	if _, err := accounts.Sync(ctx); err != nil {
		return err
	}
	go syncSessions(ctx, accounts, hub)
	seats := privacy.Places{Of: engagements.Of, LeaveRoom: rooms.Remove, LeaveQueue: entrance.Leave}
	rights := privacy.New(db, accounts, seats, wall.Now, c.DeletionGrace, append(db.ExportParts(), rest.ExportMatches(matches))...)
	attempts := attempt.New(db, wall.Now)
	trail := audit.New(db, wall.Now, rand.Reader)
	who := staff.Options{Store: db, Trail: trail, Attempts: attempts, Now: wall.Now, Idle: c.StaffIdle, Length: c.StaffSession}
	if keys, err := passkey.New(c.PublicURL); err == nil {
		who.Keys = keys
	} else {
		// Such as an address in place of a name: browsers keep no passkeys for those.
		slog.Warn("the panel takes no passkeys", "error", err)
	}
	members := staff.New(who)
	if err := firstOwner(ctx, members, c.PublicURL); err != nil {
		return err
	}
	grants, err := support.ParseLimits(c.GrantLimits)
	if err != nil {
		return fmt.Errorf("CUATROLA_GRANT_LIMITS: %w", err)
	}
	helpers := support.New(support.Options{
		Store: db, Notices: notices, Grants: rewards, Sessions: accounts, Limits: grants, Now: wall.Now, Random: rand.Reader,
	})
	go forget(ctx, []sweep{rights.Sweep, attempts.Prune, members.Prune, helpers.Sweep}, min(forgetEvery, max(time.Second, c.DeletionGrace/100)))
	go closeIdleRooms(ctx, rooms)
	watch := fairness.New(db, fairnessLimits(economies), wall.Now, rand.Reader)
	defer watch.Stop()
	drafts := simulation.New(db.Simulations(), wall.Now, rand.Reader)
	defer func() {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := drafts.Stop(soon); err != nil {
			slog.WarnContext(soon, "a simulation does not end", "error", err)
		}
	}()
	var background *jobs.Runner // there before the first request
	broadcasts := broadcast.New(broadcast.Options{
		Store: db, Economy: economies, Now: wall.Now, Random: rand.Reader, Spread: notices.Spread,
		Wake: func() {
			if err := background.Now(ctx, broadcastsJob); err != nil {
				slog.WarnContext(ctx, "a broadcast begins with the next turn only", "error", err)
			}
		},
	})
	// Half of the processors at most, since moves come first.
	reviews, err := review.New(matches, runtime.GOMAXPROCS(0)/2)
	if err != nil {
		return err
	}
	operators := panel.New(panel.Options{
		Staff: members, Trail: trail, PublicURL: c.PublicURL, Log: slog.Default(), Now: wall.Now,
		Economy: economy.NewDesk(economies, drafts, rand.Reader), Simulations: drafts,
		Seen: seen, RunNow: func(ctx context.Context, job string) error { return background.Now(ctx, job) },
		Matches: matches, ViewJSON: func(v match.View) any { return rest.ViewJSON(v) },
		Leagues: leagues, Fairness: watch,
		Shop: counter, Names: db.PlayerNames, Balance: db.Balance, Halts: halts, Broadcasts: broadcasts,
		Players: panel.PlayersArea{
			Support: helpers, Sanctions: sanction.New(db, accounts, seats.Leave, wall.Now, rand.Reader), Reports: report.New(db, notices, wall.Now),
			Accounts: accounts, Engagements: engagements, Matches: matches, Notices: notices, Rewards: rewards, Shop: counter, Privacy: rights,
		},
	})
	server, err := rest.New(rest.Options{
		Accounts: accounts, Matches: matches, Reviews: reviews, People: people.New(db, wall.Now, notices.Announce), Notices: notices, Rewards: rewards, Leagues: leagues,
		Engagements: engagements, Rooms: rooms, Lobby: entrance, Economies: economies, Shop: counter, Webhooks: from.webhooks(counter), PublicURL: c.PublicURL,
		Talk: talking, Support: helpers, Panel: operators,
		Stream: websocket.New(hub.Serve, streamConfig),
		Page:   play.Files(), PanelPage: admin.Files(), Ready: readiness(stopping, db, news), Observe: countRequests(counts, pulse), Faulted: countFaults(counts, pulse),
		Log: slog.Default(), Now: wall.Now, TrustedProxies: c.Proxies(), Origins: c.CORSOrigins, Limits: limits(c),
		Privacy: rights, Attempts: attempts, Halts: halts,
	})
	if err != nil {
		return err
	}
	if err := matches.Start(ctx); err != nil {
		return err
	}
	defer matches.Stop()
	go heal(ctx, hub, news, db)
	go watchDatabase(ctx, hub, db)
	entrance.Start()
	defer entrance.Stop()
	_, prices, err := economies.Live(ctx)
	if err != nil {
		return err
	}
	// What comes round, once for all processes. Nobody's life hangs on a second here:
	// what does, such as a turn at the table, has its own clock.
	background, err = startJobs(ctx, db, wall.Now, counts, seen, pulse, append(append(shopJobs(counter), from.jobs...),
		nightlyCheck(seen, db, prices.Location(), counts.Ledger),
		summaries(seen),
		leagueJob(leagues),
		jobs.Job{Name: broadcastsJob, When: jobs.Every(time.Minute), Run: broadcasts.Work},
		fairnessDaily(watch, prices.Location()), fairnessAsked(watch),
	)...)
	if err != nil {
		return err
	}
	defer stopJobs(ctx, background)
	if err := (watched{db, news, hub, matches, seen, background, readiness(stopping, db, news)}).by(counts); err != nil {
		return err
	}
	if err := broadcasts.Resume(ctx); err != nil {
		return err
	}

	failed := make(chan error, 2)
	if c.PrivateListen != "" {
		l, err := net.Listen("tcp", c.PrivateListen)
		if err != nil {
			return fmt.Errorf("CUATROLA_PRIVATE_LISTEN: %w", err)
		}
		go func() { failed <- counts.Serve(ctx, l) }()
		slog.Info("metrics and profiles", "address", l.Addr().String())
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("CUATROLA_LISTEN: %w", err)
	}
	go func() { failed <- server.Serve(l) }()
	slog.Info("listening", "address", l.Addr().String(), "database", db.Kind())

	if starting() { // nobody has stopped it meanwhile
		select {
		case err = <-failed:
		case <-stopping.Done():
			slog.Info("stopping", "drain", c.DrainDelay.String())
			err = linger(hurried, c.DrainDelay, failed)
		}
		end()
	}
	// Sockets first: their clients come back elsewhere while the rest drains.
	hub.Close()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownTimeout)
	defer cancel()
	return errors.Join(err, server.Shutdown(drain))
}

// streamConfig of the sockets: a frame with a view fits into one buffer, and so goes out in
// one system call; sockets that say nothing have none.
var streamConfig = websocket.Config{RecoverHandler: recovered, WriteBufferSize: 4 << 10, WriteBufferPool: &sync.Pool{}}

// linger serves on while load balancers find out that this process is not ready, and
// send nobody else.
func linger(hurried context.Context, delay time.Duration, failed <-chan error) error {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-hurried.Done():
	case err := <-failed:
		return err
	}
	return nil
}

// broadcastsJob sends what is told to many. A turn goes on where one was broken off.
const broadcastsJob = "broadcasts"

// startJobs begins to run background jobs.
func startJobs(ctx context.Context, db *store.Store, now func() time.Time, counts *metrics.Metrics, seen *overview.Service, pulse *overview.Pulse, all ...jobs.Job) (*jobs.Runner, error) {
	queue, err := db.Queue()
	if err != nil {
		return nil, err
	}
	runner, err := jobs.New(queue, now, counts.Job, all...)
	if err != nil {
		return nil, err
	}
	runner.Watch(seen.JobBegan, func(ctx context.Context, job string, at time.Time, err error) {
		seen.JobEnded(ctx, job, at, err)
		if err != nil {
			pulse.Add(overview.JobFailures, job, 1)
		}
	})
	return runner, runner.Start(ctx)
}

// stopJobs gives background jobs ten seconds to end.
func stopJobs(ctx context.Context, runner *jobs.Runner) {
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := runner.Stop(soon); err != nil {
		slog.WarnContext(soon, "background jobs do not end", "error", err)
	}
}

// syncEvery is how often ended sessions are read, for a message may be lost.
const syncEvery = 30 * time.Second

// syncSessions hears of ended sessions whose message was lost.
func syncSessions(ctx context.Context, accounts *account.Service, hub *socket.Hub) {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		missed, err := accounts.Sync(ctx)
		if err != nil {
			slog.WarnContext(ctx, "ended sessions cannot be read", "error", err)
		}
		hub.EndSessions(missed, fault.SessionEnded)
	}
}

// followHalts reads what is stopped, before the first request and from then on: with
// each change that is announced, and every syncEvery, for a message may be lost.
func followHalts(ctx context.Context, halts *halt.Service, news *bus.Bus) error {
	read := func() {
		if err := halts.Sync(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "what is stopped cannot be read", "error", err)
		}
	}
	if err := news.SubscribeHalts(read); err != nil {
		return err
	}
	if err := halts.Sync(ctx); err != nil {
		return err
	}
	go func() {
		tick := time.NewTicker(syncEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				read()
			}
		}
	}()
	return nil
}

// forgetEvery is how often a process looks for accounts whose grace period is over,
// unless the period is so short that this would be late.
const forgetEvery = time.Minute

// sweep forgets what is due.
type sweep func(context.Context) error

// forget carries out what players have asked for, until ctx is done. All processes
// do it; each account is one's.
func forget(ctx context.Context, sweeps []sweep, often time.Duration) {
	every := time.NewTicker(often)
	defer every.Stop()
	for {
		for _, one := range sweeps {
			if err := one(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "what is to be forgotten is not", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// liveEconomy is the number of the version that is live.
func liveEconomy(e *economy.Service) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		v, _, err := e.Live(ctx)
		if err != nil {
			return 0, err
		}
		return v.Number, nil
	}
}

// closeRoomsEvery is how late a room may be closed in which nothing happens.
const closeRoomsEvery = time.Minute

// closeIdleRooms closes rooms in which nothing happens, until ctx is done. All
// processes do it; each room is one's.
func closeIdleRooms(ctx context.Context, rooms *room.Service) {
	every := time.NewTicker(closeRoomsEvery)
	defer every.Stop()
	for {
		if err := rooms.Sweep(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "idle rooms are not closed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// limits are the limits on requests. They count in this process's memory.
func limits(c config.Server) rest.Limits {
	var l rest.Limits
	if c.LimitAddress > 0 {
		l.Address = limit.New[netip.Addr](c.LimitAddress, time.Minute)
	}
	if c.LimitAccount > 0 {
		l.Account = limit.New[string](c.LimitAccount, time.Minute)
	}
	if c.LimitSignUps > 0 {
		l.SignUps = limit.New[netip.Addr](c.LimitSignUps, time.Hour)
	}
	if c.LimitMails > 0 {
		l.Mails = limit.New[netip.Addr](c.LimitMails, time.Hour)
	}
	if c.LimitExports > 0 {
		l.Exports = limit.New[string](c.LimitExports, time.Hour)
	}
	if c.LimitFaults > 0 {
		l.ClientFaults = limit.New[string](c.LimitFaults, time.Hour)
	}
	return l
}

func mailerOf(c config.Server) (account.Mailer, error) {
	if c.SMTPURL == "" {
		return mail.Files{Dir: c.MailDir()}, nil
	}
	m, err := mail.NewSMTP(c.SMTPURL, c.MailFrom)
	if err != nil {
		return nil, fmt.Errorf("CUATROLA_SMTP_URL: %w", err)
	}
	return m, nil
}

func provider(name string, c config.OIDC) oidc.Provider {
	return oidc.Provider{Name: name, Issuer: c.Issuer, KeysURL: c.KeysURL, Audiences: c.Audiences}
}

// pushOptions have notices pushed to devices, if there is an account to do it with.
func pushOptions(c config.Server, wall *clock.Common) ([]notice.Option, error) {
	if c.FCMCredentials == "" {
		return nil, nil
	}
	credentials, err := serviceaccount.Read(c.FCMCredentials)
	if err != nil {
		return nil, fmt.Errorf("CUATROLA_FCM_CREDENTIALS: %w", err)
	}
	return []notice.Option{notice.WithPush(push.New(credentials, c.FCMURL, wall.Now), wall)}, nil
}

// readiness says whether requests can be answered now.
func readiness(running context.Context, db *store.Store, news *bus.Bus) func(context.Context) error {
	return func(ctx context.Context) error {
		if running.Err() != nil {
			return errors.New("stopping")
		}
		if !news.Ready() {
			return errors.New("the bus is not connected")
		}
		return db.Ping(ctx)
	}
}

// signingKeys reads the keys that sign access tokens. In the embedded default they
// are made at the first start.
func signingKeys(c config.Server) (account.Keys, error) {
	if c.JWTKeyFile != "" {
		keys, err := keyfile.Load(c.JWTKeyFile)
		return keys, naming("CUATROLA_JWT_KEY_FILE", err)
	}
	keys, created, err := keyfile.LoadOrCreate(c.KeyFile())
	if created {
		slog.Warn("made a key to sign access tokens with", "file", c.KeyFile())
	}
	return keys, naming("CUATROLA_DATA_DIR", err)
}

// rereadKeys takes up the keys in the file at each SIGHUP. A file that cannot be
// read changes nothing.
func rereadKeys(ctx context.Context, c config.Server, tokens *account.Tokens) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
		}
		keys, err := signingKeys(c)
		if err != nil {
			slog.ErrorContext(ctx, "the keys cannot be read again", "error", err)
			continue
		}
		tokens.SetKeys(keys)
		slog.InfoContext(ctx, "read the keys again")
	}
}

func openStore(ctx context.Context, c config.Database) (*store.Store, error) {
	return openCounted(ctx, c, nil)
}

// openCounted is openStore with what the database is asked counted.
func openCounted(ctx context.Context, c config.Database, meter store.Meter) (*store.Store, error) {
	setting := "CUATROLA_DATA_DIR"
	if c.DatabaseURL != "" {
		setting = "DATABASE_URL"
	}
	db, err := store.Open(ctx, store.Options{URL: c.DatabaseURL, File: c.SQLiteFile(), MaxConns: c.DatabaseConns, Meter: meter, Slow: c.SlowQuery})
	return db, naming(setting, err)
}

// naming says which setting an error comes of.
func naming(setting string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", setting, err)
}

// upToDate returns an error if the database lacks changes that this program needs.
func upToDate(ctx context.Context, db *store.Store) error {
	all, err := db.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Applied.IsZero() {
			return fmt.Errorf("the database lacks %s: run `cuatrola migrate up` first, or leave CUATROLA_MIGRATE on", m.Name)
		}
	}
	return nil
}

// recovered logs a panic of a socket, and tells the client nothing of it.
func recovered(*websocket.Conn) {
	if r := recover(); r != nil {
		slog.Error("socket: panic", "panic", r, "stack", string(debug.Stack()))
	}
}
