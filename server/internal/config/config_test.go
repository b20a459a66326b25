package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/cuatrola/cuatrola/server/internal/config"
)

// parse reads settings as the binary does, from variables and flags.
func parse(t *testing.T, env map[string]string, args ...string) (config.Server, error) {
	t.Helper()
	var c config.Server
	k, err := kong.New(&c, kong.Resolvers(config.Files()), kong.Exit(func(int) { t.Error("exit") }))
	if err != nil {
		t.Fatal(err)
	}
	// The variables of whoever runs the tests do not count.
	for _, f := range k.Model.Flags {
		for _, name := range f.Envs {
			for _, name := range []string{name, name + "_FILE"} {
				t.Setenv(name, "") // restores it when the test ends
				os.Unsetenv(name)
			}
		}
	}
	for name, value := range env {
		t.Setenv(name, value)
	}
	_, err = k.Parse(args)
	return c, err
}

func TestDefaults(t *testing.T) {
	c, err := parse(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":8080" || c.DataDir != "data" || !c.Migrate || c.DatabaseURL != "" || c.PrivateListen != "" {
		t.Errorf("%+v", c)
	}
}

func TestFlagWins(t *testing.T) {
	c, err := parse(t, map[string]string{"CUATROLA_LISTEN": ":1", "CUATROLA_MIGRATE": "false"}, "--listen", ":2")
	if err != nil || c.Listen != ":2" || c.Migrate {
		t.Errorf("%+v, %v", c, err)
	}
}

// A wrong value names its setting, and a secret is not repeated.
func TestWrongValues(t *testing.T) {
	const secret = "hunter2"
	for _, c := range []struct{ name, value string }{
		{"CUATROLA_LISTEN", "8080"},
		{"CUATROLA_PRIVATE_LISTEN", "here"},
		{"CUATROLA_FCM_URL", "fcm.googleapis.com"},
		{"CUATROLA_TRUSTED_PROXIES", "10.0.0.0/8,proxy"},
		{"CUATROLA_TRUSTED_PROXIES", "10.0.0.0/33"},
		{"CUATROLA_CORS_ORIGINS", "play.example"},
		{"CUATROLA_CORS_ORIGINS", "https://play.example/"},
		{"CUATROLA_CORS_ORIGINS", "*,file:///x"},
		{"CUATROLA_LIMIT_ADDRESS", "-1"},
		{"CUATROLA_LIMIT_ACCOUNT", "many"},
		{"CUATROLA_LIMIT_SIGN_UPS", "1000001"},
		{"CUATROLA_LIMIT_FRAMES", "-1"},
		{"CUATROLA_BOT_THINKERS", "-1"},
		{"CUATROLA_LIMIT_MAILS", "-1"},
		{"CUATROLA_LIMIT_EXPORTS", "-1"},
		{"CUATROLA_LIMIT_CLIENT_FAULTS", "-1"},
		{"CUATROLA_DELETION_GRACE", "-1s"},
		{"CUATROLA_DELETION_GRACE", "14"},
		{"CUATROLA_DATABASE_CONNS", "1"},
		{"CUATROLA_DATABASE_CONNS", "many"},
		{"CUATROLA_SLOW_QUERY", "-1s"},
		{"CUATROLA_SLOW_QUERY", "1us"},
		{"CUATROLA_SLOW_QUERY", "11m"},
		{"CUATROLA_ACCESS_TTL", "59s"},
		{"CUATROLA_ACCESS_TTL", "25h"},
		{"CUATROLA_ACCESS_TTL", "1"},
		{"CUATROLA_REFRESH_TTL", "59m"},
		{"CUATROLA_REFRESH_TTL", "8761h"},
		{"CUATROLA_PUBLIC_URL", "cuatrola.example.org"},
		{"CUATROLA_PUBLIC_URL", "https://cuatrola.example.org/#x"},
		{"CUATROLA_SMTP_URL", "smtp:" + secret},
		{"CUATROLA_SMTP_URL", "http://user:" + secret + "@host"},
		{"CUATROLA_SHUTDOWN_TIMEOUT", "0s"},
		{"CUATROLA_DRAIN_DELAY", "6m"},
		{"CUATROLA_LOG_LEVEL", "LOUD"},
		{"CUATROLA_MIGRATE", "perhaps"},
		{"DATABASE_URL", "mysql://user:" + secret + "@host/db"},
		{"DATABASE_URL", "postgres://user:" + secret + "@host:port/db"},
		{"DATABASE_URL", "host=localhost password=" + secret},
		{"NATS_URL", "nats:" + secret},
		{"NATS_URL", "nats://a:4222,nats://user:" + secret + "@b:port"},
	} {
		_, err := parse(t, map[string]string{c.name: c.value})
		if err == nil {
			t.Errorf("%s=%s: no error", c.name, c.value)
			continue
		}
		if !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s=%s: not named: %v", c.name, c.value, err)
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the secret is repeated: %v", c.name, err)
		}
	}
}

func TestProviders(t *testing.T) {
	c, err := parse(t, map[string]string{"CUATROLA_GOOGLE_AUDIENCES": "app,page"})
	if err != nil || !slices.Equal(c.Google.Audiences, []string{"app", "page"}) || len(c.Apple.Audiences) != 0 ||
		c.Google.Issuer != "https://accounts.google.com" || c.Apple.Issuer != "https://appleid.apple.com" {
		t.Errorf("%+v %+v, %v", c.Google, c.Apple, err)
	}
	for name, value := range map[string]string{
		"CUATROLA_APPLE_AUDIENCES": "app,,page", "CUATROLA_APPLE_ISSUER": "", "CUATROLA_APPLE_KEYS_URL": "keys.json",
	} {
		env := map[string]string{"CUATROLA_APPLE_AUDIENCES": "app"}
		env[name] = value
		if _, err := parse(t, env); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// Stripe is whole or off. With an empty secret everybody could say that something was
// paid, so that the process does not start.
func TestStripe(t *testing.T) {
	const key, publishable, secret = "CUATROLA_STRIPE_SECRET_KEY", "CUATROLA_STRIPE_PUBLISHABLE_KEY", "CUATROLA_STRIPE_WEBHOOK_SECRETS"
	good := map[string]string{key: "sk_live_hunter2", publishable: "pk_live_hunter2", secret: "whsec_hunter2hunter2,whsec_hunter3hunter3"}
	c, err := parse(t, good)
	if err != nil || !c.Stripe.On() || len(c.Stripe.WebhookSecrets) != 2 || c.Stripe.APIURL != "https://api.stripe.com" {
		t.Fatalf("%+v, %v", c.Stripe, err)
	}
	if c, err := parse(t, nil); err != nil || c.Stripe.On() {
		t.Errorf("without keys: %+v, %v", c.Stripe, err)
	}
	for _, c := range []struct{ name, value, named string }{
		{key, "", key},
		{key, "hunter2", key},
		{key, "pk_live_hunter2", key},
		{publishable, "pk_test_hunter2", publishable},
		{secret, "", secret},
		{secret, ",", secret},
		{secret, ",whsec_hunter2hunter2", secret},
		{secret, "hunter2", secret},
		{secret, "whsec_hunter2hunter2,whsec_hunter3hunter3,whsec_hunter4hunter4", secret},
		{"CUATROLA_STRIPE_API_URL", "api.stripe.com", "CUATROLA_STRIPE_API_URL"},
	} {
		env := maps.Clone(good)
		env[c.name] = c.value
		if _, err := parse(t, env); err == nil || !strings.Contains(err.Error(), c.named) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		}
	}
}

// A store is whole or off. Without a root or a sender, everybody could say that
// something was paid.
func TestStores(t *testing.T) {
	good := map[string]string{
		"CUATROLA_APPLE_BUNDLE": "org.example", "CUATROLA_APPLE_ROOT_FILE": "root.pem",
		"CUATROLA_GOOGLE_PLAY_PACKAGE": "org.example", "CUATROLA_GOOGLE_PLAY_CREDENTIALS": "play.json",
		"CUATROLA_GOOGLE_PLAY_PUSH_AUDIENCE": "https://play.example", "CUATROLA_GOOGLE_PLAY_PUSH_EMAIL": "push@example.org",
		// Signing in has settings of its own.
		"CUATROLA_APPLE_AUDIENCES": "app", "CUATROLA_GOOGLE_AUDIENCES": "app",
	}
	c, err := parse(t, good)
	if err != nil || !c.AppStore.On() || c.AppStore.Test() || !c.Play.On() || c.Play.Test() || c.Play.APIURL != "https://androidpublisher.googleapis.com" ||
		c.Play.PushIssuer != "https://accounts.google.com" {
		t.Fatalf("%+v %+v, %v", c.AppStore, c.Play, err)
	}
	if c, err := parse(t, nil); err != nil || c.AppStore.On() || c.Play.On() {
		t.Errorf("without any: %+v %+v, %v", c.AppStore, c.Play, err)
	}
	if c, err := parse(t, map[string]string{"CUATROLA_APPLE_PURCHASES": "test", "CUATROLA_GOOGLE_PLAY_PURCHASES": "test"}); err != nil || !c.AppStore.Test() || !c.Play.Test() {
		t.Errorf("for tests: %+v %+v, %v", c.AppStore, c.Play, err)
	}
	for _, c := range []struct{ name, value string }{
		{"CUATROLA_APPLE_BUNDLE", ""},
		{"CUATROLA_APPLE_ROOT_FILE", ""},
		{"CUATROLA_APPLE_PURCHASES", "sandbox"},
		{"CUATROLA_GOOGLE_PLAY_PACKAGE", ""},
		{"CUATROLA_GOOGLE_PLAY_CREDENTIALS", ""},
		{"CUATROLA_GOOGLE_PLAY_PURCHASES", ""},
		{"CUATROLA_GOOGLE_PLAY_PUSH_AUDIENCE", ""},
		{"CUATROLA_GOOGLE_PLAY_PUSH_EMAIL", ""},
		{"CUATROLA_GOOGLE_PLAY_PUSH_ISSUER", ""},
		{"CUATROLA_GOOGLE_PLAY_PUSH_KEYS_URL", "keys.json"},
		{"CUATROLA_GOOGLE_PLAY_API_URL", "androidpublisher.googleapis.com"},
	} {
		env := maps.Clone(good)
		env[c.name] = c.value
		if _, err := parse(t, env); err == nil || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		}
	}
}

// With a database that several processes share, none may make a key of its own.
func TestKeyIsNeededWithDatabase(t *testing.T) {
	env := map[string]string{"DATABASE_URL": "postgres://user:pw@host/db"}
	if _, err := parse(t, env); err == nil || !strings.Contains(err.Error(), "CUATROLA_JWT_KEY_FILE") {
		t.Errorf("without a key: %v", err)
	}
	env["CUATROLA_JWT_KEY_FILE"] = "/run/secrets/jwt.pem"
	if _, err := parse(t, env); err != nil {
		t.Errorf("with a key: %v", err)
	}
}

// Every secret can come as a file, and is then checked like any other; nothing else can.
func TestSecretsInFiles(t *testing.T) {
	secrets := map[string]string{
		"DATABASE_URL": "postgres://user:hunter2@host/db", "NATS_URL": "nats://user:hunter2@host:4222",
		"CUATROLA_SMTP_URL": "smtps://user:hunter2@host", "CUATROLA_STRIPE_SECRET_KEY": "sk_live_hunter2",
		"CUATROLA_STRIPE_WEBHOOK_SECRETS": "whsec_hunter2hunter2,whsec_hunter3hunter3",
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	env := map[string]string{"CUATROLA_JWT_KEY_FILE": "jwt.pem"}
	for name, value := range secrets {
		env[name+"_FILE"] = file(name, value+"\n")
	}
	c, err := parse(t, env)
	if err != nil {
		t.Fatal(err)
	}
	if got := map[string]string{
		"DATABASE_URL": c.DatabaseURL, "NATS_URL": c.NATSURL, "CUATROLA_SMTP_URL": c.SMTPURL, "CUATROLA_STRIPE_SECRET_KEY": c.Stripe.SecretKey,
		"CUATROLA_STRIPE_WEBHOOK_SECRETS": strings.Join(c.Stripe.WebhookSecrets, ","),
	}; !maps.Equal(got, secrets) || c.JWTKeyFile != "jwt.pem" {
		t.Errorf("%v, %s", got, c.JWTKeyFile)
	}
	k, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range k.Model.Flags {
		if len(f.Envs) > 0 && config.Secret(f) != (secrets[f.Envs[0]] != "") {
			t.Errorf("%s: a secret: %v", f.Envs[0], config.Secret(f))
		}
	}

	for what, env := range map[string]map[string]string{
		"both":    {"NATS_URL": "nats://other:4222", "NATS_URL_FILE": env["NATS_URL_FILE"]},
		"absent":  {"NATS_URL_FILE": filepath.Join(dir, "nothing")},
		"empty":   {"NATS_URL_FILE": file("empty", "\n")},
		"invalid": {"NATS_URL_FILE": file("invalid", "hunter2")},
	} {
		if _, err := parse(t, env); err == nil || !strings.Contains(err.Error(), "NATS_URL") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A flag wins over the file, as it does over the variable.
	if c, err := parse(t, map[string]string{"NATS_URL_FILE": env["NATS_URL_FILE"]}, "--nats-url", "nats://flag:4222"); err != nil || c.NATSURL != "nats://flag:4222" {
		t.Errorf("%s, %v", c.NATSURL, err)
	}
	if c, err := parse(t, map[string]string{"CUATROLA_LISTEN_FILE": file("listen", ":1")}); err != nil || c.Listen != ":8080" {
		t.Errorf("%s, %v", c.Listen, err)
	}
}
