// Package config is the one list of what can be set. Every setting is a flag with
// an environment variable; kong reads both, and a value that cannot be used stops
// the process before it has done anything, naming the setting.
//
// No message and no log holds a value of a setting that is a secret.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/mail"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/support"
)

// Database says where the data is. It belongs to every command that needs it.
type Database struct {
	DatabaseURL   string        `name:"database-url" env:"DATABASE_URL" placeholder:"URL" help:"PostgreSQL connection URL (secret). Empty: SQLite in the data directory."`
	DatabaseConns int           `name:"database-conns" env:"CUATROLA_DATABASE_CONNS" default:"20" help:"Connections to PostgreSQL at most, 2 to 1000."`
	SlowQuery     time.Duration `name:"slow-query" env:"CUATROLA_SLOW_QUERY" default:"500ms" help:"A statement that takes the database this long is logged, without its values, and counted, 1ms to 10m. 0: none is."`
	DataDir       string        `name:"data-dir" env:"CUATROLA_DATA_DIR" default:"data" placeholder:"DIR" help:"Directory of the embedded database and keys. Made if it is absent."`
}

// Validate is called by kong.
func (d *Database) Validate() error {
	if d.DatabaseURL != "" {
		// The message must not quote the URL, for it holds a password.
		u, err := url.Parse(d.DatabaseURL)
		if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			return errors.New("DATABASE_URL: not a URL like postgres://user:password@host/database")
		}
	}
	if d.DatabaseConns < 2 || d.DatabaseConns > 1000 {
		return invalid("CUATROLA_DATABASE_CONNS", d.DatabaseConns, "a number from 2 to 1000")
	}
	if d.SlowQuery != 0 && (d.SlowQuery < time.Millisecond || d.SlowQuery > 10*time.Minute) {
		return invalid("CUATROLA_SLOW_QUERY", d.SlowQuery, "0, or 1ms to 10m")
	}
	if d.DataDir == "" {
		return invalid("CUATROLA_DATA_DIR", d.DataDir, "a directory")
	}
	return nil
}

// SQLiteFile is the embedded database's file.
func (d *Database) SQLiteFile() string { return filepath.Join(d.DataDir, "cuatrola.sqlite") }

// OIDC says whose ID tokens are taken.
type OIDC struct {
	Audiences []string `name:"audiences" env:"AUDIENCES" placeholder:"ID,…" help:"Client ids whose ${provider} ID tokens are taken: one for each app and the page. Empty: none are."`
	Issuer    string   `name:"issuer" env:"ISSUER" default:"${issuer}" help:"Who issues ${provider} ID tokens."`
	KeysURL   string   `name:"keys-url" env:"KEYS_URL" default:"${keys}" placeholder:"URL" help:"Where ${provider} publishes the keys that sign them."`
}

func (o *OIDC) validate(setting string) error {
	if len(o.Audiences) == 0 {
		return nil
	}
	if slices.Contains(o.Audiences, "") {
		return invalid(setting+"AUDIENCES", strings.Join(o.Audiences, ","), "a list of client ids")
	}
	if o.Issuer == "" {
		return invalid(setting+"ISSUER", o.Issuer, "an issuer")
	}
	if u, err := url.Parse(o.KeysURL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return invalid(setting+"KEYS_URL", o.KeysURL, "a URL")
	}
	return nil
}

// Stripe says whose money is taken through Stripe, and how what Stripe tells is known to
// be Stripe's.
type Stripe struct {
	SecretKey      string   `name:"secret-key" env:"SECRET_KEY" placeholder:"KEY" help:"Stripe's secret or restricted key (secret), sk_live_… or rk_live_…, or one of its test mode, in which no money moves. Empty: nothing is sold through Stripe."`
	PublishableKey string   `name:"publishable-key" env:"PUBLISHABLE_KEY" placeholder:"KEY" help:"Stripe's publishable key of the same mode, which payment sheets are given."`
	WebhookSecrets []string `name:"webhook-secrets" env:"WEBHOOK_SECRETS" placeholder:"SECRET,…" help:"Signing secret (secret) of Stripe's webhook endpoint at /v1/webhooks/stripe, whsec_…; two while the one replaces the other. Needed with the secret key."`
	APIURL         string   `name:"api-url" env:"API_URL" default:"https://api.stripe.com" placeholder:"URL" help:"Where Stripe is."`
}

// On says whether anything is sold through Stripe.
func (s *Stripe) On() bool { return s.SecretKey != "" }

// Options are those of a till.
func (s *Stripe) Options() stripe.Options {
	return stripe.Options{Key: s.SecretKey, PublishableKey: s.PublishableKey, Secrets: s.WebhookSecrets, URL: s.APIURL}
}

// Validate is called by kong.
func (s *Stripe) Validate() error {
	if !s.On() {
		if s.PublishableKey != "" || len(s.WebhookSecrets) > 0 {
			return errors.New("CUATROLA_STRIPE_SECRET_KEY: needed with Stripe's other settings")
		}
		return nil
	}
	o := s.Options()
	err := o.Check()
	if wrong, ok := errors.AsType[*stripe.Wrong](err); ok {
		return fmt.Errorf("CUATROLA_STRIPE_%s: %w", wrong.Setting, err)
	}
	return err
}

// Which purchases are given for: those that cost money, or those that try it out.
const (
	purchasesLive = "live"
	purchasesTest = "test"
)

// AppStore says which app's purchases in Apple's store are given for, and how what Apple
// signs is known to be Apple's.
type AppStore struct {
	Bundle    string `name:"bundle" env:"BUNDLE" placeholder:"ID" help:"Bundle identifier of the app whose purchases in Apple's App Store are given for. Empty: none are."`
	RootFile  string `name:"root-file" env:"ROOT_FILE" placeholder:"FILE" help:"Certificate that Apple's signatures have to lead to, in PEM or DER: Apple Root CA - G3, from https://www.apple.com/certificateauthority/. Needed with the bundle identifier."`
	Purchases string `name:"purchases" env:"PURCHASES" default:"live" help:"live or test: purchases in Apple's store, or in its sandbox. The others are given nothing for."`
}

// On says whether Apple's store is sold through.
func (a *AppStore) On() bool { return a.Bundle != "" }

// Test says whether it is about no money.
func (a *AppStore) Test() bool { return a.Purchases == purchasesTest }

// Validate is called by kong.
func (a *AppStore) Validate() error {
	switch {
	case a.On() && a.RootFile == "":
		// Nothing could be told from a forgery.
		return errors.New("CUATROLA_APPLE_ROOT_FILE: needed with CUATROLA_APPLE_BUNDLE")
	case !a.On() && a.RootFile != "":
		return errors.New("CUATROLA_APPLE_BUNDLE: needed with CUATROLA_APPLE_ROOT_FILE")
	case a.Purchases != purchasesLive && a.Purchases != purchasesTest:
		return invalid("CUATROLA_APPLE_PURCHASES", a.Purchases, "live or test")
	}
	return nil
}

// Play says which app's purchases in Google Play are given for, and who asks for them.
type Play struct {
	Package      string `name:"package" env:"PACKAGE" placeholder:"NAME" help:"Package name of the app whose purchases in Google Play are given for. Empty: none are."`
	Credentials  string `name:"credentials" env:"CREDENTIALS" placeholder:"FILE" help:"JSON key file (secret) of the service account that asks Google Play about purchases. Needed with the package name."`
	Purchases    string `name:"purchases" env:"PURCHASES" default:"live" help:"live or test: purchases that cost money, or those of testers. The others are given nothing for."`
	PushAudience string `name:"push-audience" env:"PUSH_AUDIENCE" placeholder:"TEXT" help:"Audience of the tokens that Google's notifications come with, as the push subscription has it. Empty: none are heard, and a renewed pass is known when the app shows it."`
	PushEmail    string `name:"push-email" env:"PUSH_EMAIL" placeholder:"ADDRESS" help:"Address of the service account that sends Google's notifications. Needed with the audience."`
	PushIssuer   string `name:"push-issuer" env:"PUSH_ISSUER" default:"https://accounts.google.com" help:"Who issues the tokens that Google's notifications come with."`
	PushKeysURL  string `name:"push-keys-url" env:"PUSH_KEYS_URL" default:"https://www.googleapis.com/oauth2/v3/certs" placeholder:"URL" help:"Where the keys are published that sign them."`
	APIURL       string `name:"api-url" env:"API_URL" default:"https://androidpublisher.googleapis.com" placeholder:"URL" help:"Where Google Play's interface is."`
}

// On says whether Google Play is sold through.
func (p *Play) On() bool { return p.Package != "" }

// Test says whether it is about no money.
func (p *Play) Test() bool { return p.Purchases == purchasesTest }

// Validate is called by kong.
func (p *Play) Validate() error {
	const setting = "CUATROLA_GOOGLE_PLAY_"
	switch {
	case p.On() && p.Credentials == "":
		return errors.New(setting + "CREDENTIALS: needed with " + setting + "PACKAGE")
	case !p.On() && (p.Credentials != "" || p.PushAudience != "" || p.PushEmail != ""):
		return errors.New(setting + "PACKAGE: needed with Google Play's other settings")
	case p.Purchases != purchasesLive && p.Purchases != purchasesTest:
		return invalid(setting+"PURCHASES", p.Purchases, "live or test")
	case (p.PushAudience == "") != (p.PushEmail == ""):
		// By the audience alone, everybody with an account at Google could send.
		return errors.New(setting + "PUSH_AUDIENCE, " + setting + "PUSH_EMAIL: one is needed with the other")
	case p.PushIssuer == "":
		return invalid(setting+"PUSH_ISSUER", p.PushIssuer, "an issuer")
	}
	for _, u := range []struct{ name, text string }{{"PUSH_KEYS_URL", p.PushKeysURL}, {"API_URL", p.APIURL}} {
		if parsed, err := url.Parse(u.text); err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
			return invalid(setting+u.name, u.text, "a URL")
		}
	}
	return nil
}

// Shop says through whom there is something to buy for money, and how. It belongs to
// every command that needs it.
type Shop struct {
	OrderTTL time.Duration `name:"order-ttl" env:"CUATROLA_ORDER_TTL" default:"24h" help:"How long an order can be paid, 30m to 24h. One that is paid later all the same is given."`
	Stripe   Stripe        `embed:"" prefix:"stripe-" envprefix:"CUATROLA_STRIPE_"`
	AppStore AppStore      `embed:"" prefix:"apple-" envprefix:"CUATROLA_APPLE_"`
	Play     Play          `embed:"" prefix:"google-play-" envprefix:"CUATROLA_GOOGLE_PLAY_"`
}

// Validate is called by kong.
func (s *Shop) Validate() error {
	if s.OrderTTL < 30*time.Minute || s.OrderTTL > 24*time.Hour {
		return invalid("CUATROLA_ORDER_TTL", s.OrderTTL, "a time from 30m to 24h")
	}
	return errors.Join(s.Stripe.Validate(), s.AppStore.Validate(), s.Play.Validate())
}

// Server is what the server can be told.
type Server struct {
	Database `embed:""`
	Shop     `embed:""`

	Listen          string        `name:"listen" env:"CUATROLA_LISTEN" default:":8080" placeholder:"ADDRESS" help:"Address to serve on."`
	PrivateListen   string        `name:"private-listen" env:"CUATROLA_PRIVATE_LISTEN" placeholder:"ADDRESS" help:"Address for metrics and profiles, such as 127.0.0.1:9090. Never a public one. Empty: none."`
	TrustedProxies  []string      `name:"trusted-proxies" env:"CUATROLA_TRUSTED_PROXIES" placeholder:"NET,…" help:"Addresses or networks of proxies whose X-Forwarded-For is believed, from its right end on. Without it, all who come through a proxy count as one address."`
	CORSOrigins     []string      `name:"cors-origins" env:"CUATROLA_CORS_ORIGINS" placeholder:"ORIGIN,…" help:"Other sites whose pages may use the server, like https://play.example; * is any. Empty: none."`
	LimitAddress    int           `name:"limit-address" env:"CUATROLA_LIMIT_ADDRESS" default:"3000" help:"Requests a minute from one address at most; many people may share one. 0: no limit."`
	LimitAccount    int           `name:"limit-account" env:"CUATROLA_LIMIT_ACCOUNT" default:"1200" help:"Requests a minute of one account at most. 0: no limit."`
	LimitSignUps    int           `name:"limit-sign-ups" env:"CUATROLA_LIMIT_SIGN_UPS" default:"600" help:"Guests an hour from one address at most. 0: no limit."`
	LimitMails      int           `name:"limit-mails" env:"CUATROLA_LIMIT_MAILS" default:"60" help:"Mails an hour that one address can have sent at most. 0: no limit."`
	LimitExports    int           `name:"limit-exports" env:"CUATROLA_LIMIT_EXPORTS" default:"10" help:"Exports an hour of one account at most. 0: no limit."`
	LimitFaults     int           `name:"limit-client-faults" env:"CUATROLA_LIMIT_CLIENT_FAULTS" default:"20" help:"Faults an hour that one account's clients can report at most. 0: no limit."`
	LimitFrames     int           `name:"limit-frames" env:"CUATROLA_LIMIT_FRAMES" default:"50" help:"Frames a second that a socket's client may send, for ten seconds ten times as many. 0: no limit."`
	BotThinkers     int           `name:"bot-thinkers" env:"CUATROLA_BOT_THINKERS" default:"0" help:"How many bots may think at a time. 0: half of the processors. More of them are late before their tables than people's requests."`
	NATSURL         string        `name:"nats-url" env:"NATS_URL" placeholder:"URL" help:"NATS servers, with commas between (secret). Empty: one inside the process."`
	Migrate         bool          `name:"migrate" env:"CUATROLA_MIGRATE" default:"true" negatable:"" help:"Bring the database up to date at start."`
	JWTKeyFile      string        `name:"jwt-key-file" env:"CUATROLA_JWT_KEY_FILE" placeholder:"FILE" help:"PEM file of the Ed25519 key that signs access tokens, the previous one after it. Needed with DATABASE_URL. Empty: made in the data directory."`
	JWTIssuer       string        `name:"jwt-issuer" env:"CUATROLA_JWT_ISSUER" default:"cuatrola" help:"Who issues access tokens."`
	JWTAudience     string        `name:"jwt-audience" env:"CUATROLA_JWT_AUDIENCE" default:"cuatrola-api" help:"Whom access tokens are for."`
	AccessTTL       time.Duration `name:"access-ttl" env:"CUATROLA_ACCESS_TTL" default:"1h" help:"How long an access token lives, 1m to 24h."`
	RefreshTTL      time.Duration `name:"refresh-ttl" env:"CUATROLA_REFRESH_TTL" default:"1440h" help:"How long a session lives without being used, 1h to 8760h."`
	PublicURL       string        `name:"public-url" env:"CUATROLA_PUBLIC_URL" default:"http://localhost:8080" placeholder:"URL" help:"Where people reach the page, for the links in mails; the panel's passkeys are good there only."`
	SMTPURL         string        `name:"smtp-url" env:"CUATROLA_SMTP_URL" placeholder:"URL" help:"Mail server (secret), smtp://user:password@host:587 or smtps://…; ?tls=none for a relay on the same machine. Empty: mails are put into files in the data directory."`
	MailFrom        string        `name:"mail-from" env:"CUATROLA_MAIL_FROM" default:"Cuatrola <cuatrola@localhost>" help:"Sender of mails."`
	Apple           OIDC          `embed:"" prefix:"apple-" envprefix:"CUATROLA_APPLE_" set:"provider=Apple" set:"issuer=https://appleid.apple.com" set:"keys=https://appleid.apple.com/auth/keys"`
	Google          OIDC          `embed:"" prefix:"google-" envprefix:"CUATROLA_GOOGLE_" set:"provider=Google" set:"issuer=https://accounts.google.com" set:"keys=https://www.googleapis.com/oauth2/v3/certs"`
	Stakes          string        `name:"stakes" env:"CUATROLA_STAKES" default:"on" help:"on or off: whether there are staked tables. Off where the law does not want them; those that are open are cancelled, and every entry is given back."`
	StaffIdle       time.Duration `name:"staff-idle" env:"CUATROLA_STAFF_IDLE" default:"30m" help:"How long one stays signed in to the operator's panel without doing anything, 1m to 24h."`
	StaffSession    time.Duration `name:"staff-session" env:"CUATROLA_STAFF_SESSION" default:"12h" help:"How long one stays signed in to it at most, 1m to 168h."`
	GrantLimits     string        `name:"grant-limits" env:"CUATROLA_GRANT_LIMITS" default:"owner=10000000/100000000,economist=100000/500000,support=5000/25000" help:"How many coins each role may give or take on the panel, as role=at once/on one day, with commas between. A role that is not named may give nothing."`
	DeletionGrace   time.Duration `name:"deletion-grace" env:"CUATROLA_DELETION_GRACE" default:"336h" help:"How long an account can be restored that its player has deleted, 0s to 8760h."`
	DrainDelay      time.Duration `name:"drain-delay" env:"CUATROLA_DRAIN_DELAY" default:"0s" help:"How long a server that is told to stop serves on as before, while /readyz says that it is not ready and load balancers find that out, 0s to 5m. A second signal ends that."`
	ShutdownTimeout time.Duration `name:"shutdown-timeout" env:"CUATROLA_SHUTDOWN_TIMEOUT" default:"15s" help:"How long a stopping server waits for requests under way, 1s to 5m."`
	FCMCredentials  string        `name:"fcm-credentials" env:"CUATROLA_FCM_CREDENTIALS" placeholder:"FILE" help:"JSON key file (secret) of the service account that pushes through Firebase Cloud Messaging. Empty: nothing is pushed."`
	FCMURL          string        `name:"fcm-url" env:"CUATROLA_FCM_URL" default:"https://fcm.googleapis.com" placeholder:"URL" help:"Where Firebase Cloud Messaging is."`
	LogLevel        slog.Level    `name:"log-level" env:"CUATROLA_LOG_LEVEL" default:"INFO" help:"DEBUG, INFO, WARN or ERROR."`
}

const maxLimit = 1_000_000

// Proxies are the networks of TrustedProxies, which Validate has checked.
func (s *Server) Proxies() []netip.Prefix {
	var all []netip.Prefix
	for _, text := range s.TrustedProxies {
		if p, err := netip.ParsePrefix(text); err == nil {
			all = append(all, p.Masked())
		} else if a, err := netip.ParseAddr(text); err == nil {
			all = append(all, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return all
}

// Validate is called by kong.
func (s *Server) Validate() error {
	// Not promoted by kong: the embedded struct's own method is hidden by this one.
	if err := errors.Join(s.Database.Validate(), s.Shop.Validate()); err != nil {
		return err
	}
	if _, _, err := net.SplitHostPort(s.Listen); err != nil {
		return invalid("CUATROLA_LISTEN", s.Listen, "an address like :8080 or 127.0.0.1:8080")
	}
	if s.PrivateListen != "" {
		if _, _, err := net.SplitHostPort(s.PrivateListen); err != nil {
			return invalid("CUATROLA_PRIVATE_LISTEN", s.PrivateListen, "an address like 127.0.0.1:9090")
		}
	}
	for _, p := range s.TrustedProxies {
		_, errAddr := netip.ParseAddr(p)
		_, errNet := netip.ParsePrefix(p)
		if errAddr != nil && errNet != nil {
			return invalid("CUATROLA_TRUSTED_PROXIES", p, "an address or a network like 10.0.0.0/8")
		}
	}
	for _, o := range s.CORSOrigins {
		if u, err := url.Parse(o); o != "*" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Scheme+"://"+u.Host != o) {
			return invalid("CUATROLA_CORS_ORIGINS", o, "an origin like https://play.example, or *")
		}
	}
	for _, l := range []struct {
		name  string
		value int
	}{
		{"CUATROLA_LIMIT_ADDRESS", s.LimitAddress},
		{"CUATROLA_LIMIT_ACCOUNT", s.LimitAccount},
		{"CUATROLA_LIMIT_SIGN_UPS", s.LimitSignUps},
		{"CUATROLA_LIMIT_MAILS", s.LimitMails},
		{"CUATROLA_LIMIT_EXPORTS", s.LimitExports},
		{"CUATROLA_LIMIT_CLIENT_FAULTS", s.LimitFaults},
		{"CUATROLA_LIMIT_FRAMES", s.LimitFrames},
		{"CUATROLA_BOT_THINKERS", s.BotThinkers},
	} {
		if l.value < 0 || l.value > maxLimit {
			return invalid(l.name, l.value, "a number from 0 to 1000000")
		}
	}
	if s.NATSURL != "" {
		for one := range strings.SplitSeq(s.NATSURL, ",") {
			if u, err := url.Parse(strings.TrimSpace(one)); err != nil || u.Host == "" {
				return errors.New("NATS_URL: not a URL like nats://host:4222, nor several of them with commas between")
			}
		}
	}
	if s.DatabaseURL != "" && s.JWTKeyFile == "" {
		return errors.New("CUATROLA_JWT_KEY_FILE: needed with DATABASE_URL, since all processes have to sign with one key; make one with: cuatrola keys generate FILE")
	}
	if u, err := url.Parse(s.FCMURL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return invalid("CUATROLA_FCM_URL", s.FCMURL, "a URL like https://fcm.googleapis.com")
	}
	if s.JWTIssuer == "" {
		return invalid("CUATROLA_JWT_ISSUER", s.JWTIssuer, "a name")
	}
	if s.JWTAudience == "" {
		return invalid("CUATROLA_JWT_AUDIENCE", s.JWTAudience, "a name")
	}
	if s.AccessTTL < time.Minute || s.AccessTTL > 24*time.Hour {
		return invalid("CUATROLA_ACCESS_TTL", s.AccessTTL, "1m to 24h")
	}
	if s.RefreshTTL < time.Hour || s.RefreshTTL > 8760*time.Hour {
		return invalid("CUATROLA_REFRESH_TTL", s.RefreshTTL, "1h to 8760h")
	}
	if u, err := url.Parse(s.PublicURL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Fragment != "" {
		return invalid("CUATROLA_PUBLIC_URL", s.PublicURL, "a URL like https://cuatrola.example.org")
	}
	if s.SMTPURL != "" {
		// Neither this message nor the one it holds quotes the URL, for it has a password.
		if _, err := mail.NewSMTP(s.SMTPURL, s.MailFrom); err != nil {
			return fmt.Errorf("CUATROLA_SMTP_URL, CUATROLA_MAIL_FROM: %w", err)
		}
	}
	if err := s.Apple.validate("CUATROLA_APPLE_"); err != nil {
		return err
	}
	if err := s.Google.validate("CUATROLA_GOOGLE_"); err != nil {
		return err
	}
	if s.Stakes != "on" && s.Stakes != "off" {
		return invalid("CUATROLA_STAKES", s.Stakes, "on or off")
	}
	if s.StaffIdle < time.Minute || s.StaffIdle > 24*time.Hour {
		return invalid("CUATROLA_STAFF_IDLE", s.StaffIdle, "1m to 24h")
	}
	if s.StaffSession < time.Minute || s.StaffSession > 7*24*time.Hour {
		return invalid("CUATROLA_STAFF_SESSION", s.StaffSession, "1m to 168h")
	}
	if _, err := support.ParseLimits(s.GrantLimits); err != nil {
		return invalid("CUATROLA_GRANT_LIMITS", s.GrantLimits, "role=each/day, with commas between")
	}
	if s.DeletionGrace < 0 || s.DeletionGrace > 365*24*time.Hour {
		return invalid("CUATROLA_DELETION_GRACE", s.DeletionGrace, "0s to 8760h")
	}
	if s.DrainDelay < 0 || s.DrainDelay > 5*time.Minute {
		return invalid("CUATROLA_DRAIN_DELAY", s.DrainDelay, "0s to 5m")
	}
	if s.ShutdownTimeout < time.Second || s.ShutdownTimeout > 5*time.Minute {
		return invalid("CUATROLA_SHUTDOWN_TIMEOUT", s.ShutdownTimeout, "1s to 5m")
	}
	return nil
}

// MailDir is where mails are put when there is no mail server.
func (s *Server) MailDir() string { return filepath.Join(s.DataDir, "mail") }

// KeyFile is the file of the embedded default's signing key.
func (s *Server) KeyFile() string { return filepath.Join(s.DataDir, "jwt.pem") }

func invalid(setting string, value any, want string) error {
	return fmt.Errorf("%s: %q is not %s", setting, fmt.Sprint(value), want)
}
