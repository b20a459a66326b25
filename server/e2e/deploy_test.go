package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v4"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/freeport"
)

const deployFolder = "../../deploy"

// deployFiles are the texts in deploy/, by their paths from there.
func deployFiles(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(deployFolder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == "secrets" {
				return fs.SkipDir // whoever runs it here has some
			}
			return err
		}
		text, err := os.ReadFile(filepath.Join(deployFolder, path))
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every setting that is named in deploy/ or in the operator's handbook is one.
func TestDeploySettings(t *testing.T) {
	table, err := exec.Command(binary, "config").Output()
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|.*$").FindAllStringSubmatch(string(table), -1) {
		known = append(known, row[1])
		if strings.Contains(row[0], "(secret)") {
			known = append(known, row[1]+"_FILE")
		}
	}
	files := deployFiles(t)
	handbook, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	files["docs/operations.md"] = string(handbook)
	found := 0
	for path, text := range files {
		for _, name := range regexp.MustCompile(`\b(CUATROLA|DATABASE|NATS)_[A-Z_]+\b`).FindAllString(text, -1) {
			found++
			if !slices.Contains(known, name) {
				t.Errorf("%s names %s, which is no setting", path, name)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d settings are named", found)
	}
}

// The values that deploy/ gives are taken, the paths that it probes are there, and what the
// autoscaler goes by is measured.
func TestDeployAgainstServer(t *testing.T) {
	files := deployFiles(t)
	for path, env := range map[string][]string{
		"systemd/cuatrola.env":   settingsOf(t, files["systemd/cuatrola.env"], `(?m)^([A-Z_]+)=(.*)$`),
		"kubernetes/config.yaml": settingsOf(t, files["kubernetes/10-config.yaml"], `(?m)^  ([A-Z_]+): "?([^"\n]*)"?$`),
		"compose/compose.yaml":   settingsOf(t, files["compose/compose.yaml"], `(?m)^    (CUATROLA_[A-Z_]+): "?([^"$\n]+)"?$`),
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			private := freeport.Address()
			s := newServer(t, "sqlite", append(env, "CUATROLA_PRIVATE_LISTEN="+private, "CUATROLA_MIGRATE=true")...)
			probes := regexp.MustCompile(`path: (/[a-z]+), port: http\b`).FindAllStringSubmatch(files["kubernetes/40-server.yaml"], -1)
			probes = append(probes, regexp.MustCompile(`option httpchk GET (/\S+)`).FindAllStringSubmatch(files["compose/haproxy.cfg"], -1)...)
			if len(probes) != 4 {
				t.Errorf("%d probes", len(probes))
			}
			for _, probe := range probes {
				if res, err := s.http.Get(s.url + probe[1]); err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusOK {
					t.Errorf("%s: %v, %v", probe[1], res, err)
				}
			}
			metric := regexp.MustCompile(`metric: \{name: (\w+)\}`).FindStringSubmatch(files["kubernetes/40-server.yaml"])[1]
			res, err := s.http.Get("http://" + private + "/metrics")
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(res.Body)
			if err := errors.Join(err, res.Body.Close()); err != nil || !strings.Contains(string(text), "\n"+metric+" ") {
				t.Errorf("%s is not measured: %v", metric, err)
			}
			ready := exec.Command(binary, "ready")
			ready.Env = s.env
			if out, err := ready.CombinedOutput(); err != nil {
				t.Errorf("cuatrola ready: %v, %s", err, out)
			}
			s.kill()
			ready = exec.Command(binary, "ready")
			ready.Env = s.env
			if out, err := ready.CombinedOutput(); err == nil {
				t.Errorf("cuatrola ready, of nothing: %s", out)
			}
		})
	}
}

// settingsOf are the settings that a text has, but for the names of files, which are not
// here, and addresses, which are the test's own.
func settingsOf(t *testing.T, text, line string) []string {
	t.Helper()
	var env []string
	for _, m := range regexp.MustCompile(line).FindAllStringSubmatch(text, -1) {
		if !strings.HasSuffix(m[1], "_FILE") && !strings.HasSuffix(m[1], "LISTEN") {
			env = append(env, m[1]+"="+m[2])
		}
	}
	if len(env) < 2 {
		t.Errorf("only %v", env)
	}
	return env
}

// Whatever stops a server waits for longer than the server takes for it by its settings'
// defaults: requests, then jobs, simulations and the bus; and before, what deploy/ says
// that balancers may take.
func TestDeployWaitsForTheEnd(t *testing.T) {
	const needed = 5*time.Second + 15*time.Second + 10*time.Second + 10*time.Second + 5*time.Second
	files := deployFiles(t)
	for path, line := range map[string]string{
		"systemd/cuatrola.service":  `(?m)^TimeoutStopSec=(\d+)$`,
		"compose/compose.yaml":      `(?m)^  stop_grace_period: (\d+)s$`,
		"kubernetes/40-server.yaml": `(?m)^      terminationGracePeriodSeconds: (\d+)$`,
	} {
		m := regexp.MustCompile(line).FindStringSubmatch(files[path])
		if m == nil {
			t.Errorf("%s does not say how long it waits", path)
			continue
		}
		if given, err := time.ParseDuration(m[1] + "s"); err != nil || given <= needed {
			t.Errorf("%s waits for %s, needed are %s", path, given, needed)
		}
	}
}

// The secrets that deploy/compose makes are what PostgreSQL, NATS and the server take, and
// are made once.
func TestDeploySecrets(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(deployFolder, "compose", "secrets.sh"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "secrets.sh"), text, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	read := func() map[string]string {
		if out, err := exec.Command(filepath.Join(dir, "secrets.sh")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		all := make(map[string]string)
		files, err := os.ReadDir(filepath.Join(dir, "secrets"))
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(dir, "secrets", f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[f.Name()] = string(text)
		}
		if err != nil || len(all) != 6 {
			t.Fatalf("%d secrets, %v", len(all), err)
		}
		return all
	}
	secrets := read()
	if again := read(); !maps.Equal(again, secrets) {
		t.Error("made again, the secrets are others")
	}
	if info, err := os.Stat(filepath.Join(dir, "secrets")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	if config, err := pgx.ParseConfig(strings.TrimSpace(secrets["database-url"])); err != nil || config.Password != secrets["postgres-password"] {
		t.Errorf("database-url: %v", err)
	}
	options, err := natsserver.ProcessConfigFile(filepath.Join(dir, "secrets", "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	options.Host, options.Port, options.NoLog, options.NoSigs = "127.0.0.1", natsserver.RANDOM_PORT, true, true
	bus := busOf(t, options)
	here := strings.Replace(secrets["nats-url"], "nats:4222", strings.TrimPrefix(bus.ClientURL(), "nats://"), 1)
	file := filepath.Join(dir, "nats-url")
	if err := os.WriteFile(file, []byte(here), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, "sqlite", "NATS_URL_FILE="+file, "CUATROLA_JWT_KEY_FILE="+filepath.Join(dir, "secrets", "jwt.pem"))
	if _, err := client.SignUp(t.Context(), s.url, s.http); err != nil {
		t.Error(err)
	}
	if bus.NumClients() != 1 {
		t.Errorf("%d clients at the bus", bus.NumClients())
	}
}

// NATS takes the configuration that Kubernetes gives it, with the secret's part.
func TestDeployBus(t *testing.T) {
	files := deployFiles(t)
	config := regexp.MustCompile(`(?s)  nats\.conf: \|\n(.*?)\n---`).FindStringSubmatch(files["kubernetes/20-nats.yaml"])
	auth := regexp.MustCompile(`(?m)^  auth\.conf: '(.*)'$`).FindStringSubmatch(files["kubernetes/11-secret.example.yaml"])
	if config == nil || auth == nil {
		t.Fatal("no configuration")
	}
	dir := t.TempDir()
	for path, text := range map[string]string{"nats/nats.conf": config[1], "nats-auth/auth.conf": auth[1]} {
		file := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(files["kubernetes/20-nats.yaml"], "mountPath: /etc/"+filepath.Dir(path)+",") {
			t.Errorf("nothing is mounted at /etc/%s", filepath.Dir(path))
		}
	}
	o, err := natsserver.ProcessConfigFile(filepath.Join(dir, "nats", "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if o.Username != "cuatrola" || len(o.Routes) != 3 || o.Port != 4222 || o.HTTPPort != 8222 || o.Cluster.Port != 6222 {
		t.Errorf("%+v", o)
	}
}

// Only the networks of those who have business there come to a private port, and each
// network policy, service and budget is about something that is there.
func TestDeploySelectors(t *testing.T) {
	type manifest struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Selector    any
			PodSelector struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			} `yaml:"podSelector"`
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Containers []struct{ Ports []struct{ Name string } }
				}
			}
			Ports   []struct{ Name string }
			Ingress []struct{ Ports []struct{ Port any } }
		}
	}
	running := make(map[string][]string) // the ports of what has the label app
	var rest []manifest
	for path, text := range deployFiles(t) {
		if !strings.HasPrefix(path, "kubernetes/") {
			continue
		}
		for decoder := yaml.NewDecoder(bytes.NewReader([]byte(text))); ; {
			var m manifest
			if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if app := m.Spec.Template.Metadata.Labels["app"]; app != "" {
				running[app] = []string{}
				for _, c := range m.Spec.Template.Spec.Containers {
					for _, p := range c.Ports {
						running[app] = append(running[app], p.Name)
					}
				}
			}
			rest = append(rest, m)
		}
	}
	if len(running) != 3 {
		t.Errorf("running: %v", running)
	}
	guarded := make(map[string]bool)
	for _, m := range rest {
		app := m.Spec.PodSelector.MatchLabels["app"]
		if selector, ok := m.Spec.Selector.(map[string]any); ok {
			if inner, ok := selector["matchLabels"].(map[string]any); ok {
				selector = inner
			}
			app, _ = selector["app"].(string)
		}
		switch m.Kind {
		case "NetworkPolicy":
			guarded[app] = true
		case "Service", "PodDisruptionBudget", "Deployment", "StatefulSet":
		default:
			continue
		}
		ports, there := running[app]
		if !there {
			t.Errorf("%s %s is about %q, which is not there", m.Kind, m.Metadata.Name, app)
		}
		for _, rule := range m.Spec.Ingress {
			for _, p := range rule.Ports {
				if name, _ := p.Port.(string); !slices.Contains(ports, name) {
					t.Errorf("%s %s lets in to %v; the ports are %v", m.Kind, m.Metadata.Name, p.Port, ports)
				}
			}
			if len(rule.Ports) == 0 {
				t.Errorf("%s %s lets in to every port", m.Kind, m.Metadata.Name)
			}
		}
		if m.Kind == "Service" && slices.ContainsFunc(m.Spec.Ports, func(p struct{ Name string }) bool { return p.Name == "private" }) {
			t.Errorf("the private port has a service, %s", m.Metadata.Name)
		}
	}
	for app := range running {
		if !guarded[app] {
			t.Errorf("%s has no network policy", app)
		}
	}
}
