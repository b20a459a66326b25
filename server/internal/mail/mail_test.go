package mail_test

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/mail"
)

var letter = account.Mail{
	To: "ana@example.org", Subject: "Cuatrola: contraseña nueva",
	Text: "Con este enlace:\n\nhttps://example.org/#reset=ZWluIE1lbnNjaCwgZGVyIHNwaWVsdCwgdmVybGllcnQ\n\nVale una sola vez.\n",
}

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mail")
	for range 3 {
		if err := (mail.Files{Dir: dir}).Send(t.Context(), letter); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || string(text) != "To: ana@example.org\nSubject: "+letter.Subject+"\n\n"+letter.Text {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// received is what the mail server was told.
type received struct {
	from, to string
	data     string
}

// smtpServer takes one mail and answers with reply to its end.
func smtpServer(t *testing.T, reply string) (address string, got chan received) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	got = make(chan received, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		say := func(line string) { fmt.Fprint(conn, line+"\r\n") }
		var r received
		say("220 test")
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			switch verb := strings.ToUpper(strings.Fields(line + " x")[0]); verb {
			case "EHLO", "HELO":
				say("250 test")
			case "MAIL":
				r.from = line
				say("250 ok")
			case "RCPT":
				r.to = line
				say("250 ok")
			case "DATA":
				say("354 go on")
				for {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					if line == ".\r\n" {
						break
					}
					r.data += line
				}
				got <- r
				say(reply)
			case "QUIT":
				say("221 bye")
				return
			default:
				say("250 ok")
			}
		}
	}()
	return l.Addr().String(), got
}

func TestSMTP(t *testing.T) {
	address, got := smtpServer(t, "250 taken")
	s, err := mail.NewSMTP("smtp://"+address+"?tls=none", "Cuatrola <hello@example.org>")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	r := <-got
	if !strings.Contains(r.from, "<hello@example.org>") || !strings.Contains(r.to, "<ana@example.org>") {
		t.Errorf("from %q to %q", r.from, r.to)
	}
	m, err := netmail.ReadMessage(strings.NewReader(r.data))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != letter.Subject || m.Header.Get("Message-Id") == "" || m.Header.Get("Date") == "" {
		t.Errorf("header %v, %v", m.Header, err)
	}
	body := m.Body
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if got := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")); err != nil || got != strings.TrimSpace(letter.Text) {
		t.Errorf("text %q, %v", got, err)
	}
}

func TestSMTPRefused(t *testing.T) {
	address, _ := smtpServer(t, "550 no")
	s, err := mail.NewSMTP("smtp://"+address+"?tls=none", "hello@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), letter); err == nil {
		t.Error("a refused mail is no error")
	}
	// Encryption is not given up because the server has none.
	address, _ = smtpServer(t, "250 taken")
	s, err = mail.NewSMTP("smtp://"+address, "hello@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), letter); err == nil {
		t.Error("sent without TLS")
	}
	if err := s.Send(t.Context(), account.Mail{To: "x\r\nBcc: y@example.org"}); err == nil {
		t.Error("sent to two lines")
	}
}

func TestNewSMTPRefuses(t *testing.T) {
	for _, c := range []struct{ server, from string }{
		{"", "hello@example.org"},
		{"http://user:hunter2@example.org", "hello@example.org"},
		{"smtp://user:hunter2@", "hello@example.org"},
		{"smtp://user:hunter2@example.org:587", "nobody"},
		{"smtp://user:hunter2@exa mple.org:587", "hello@example.org"},
	} {
		if _, err := mail.NewSMTP(c.server, c.from); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.server, err)
		}
	}
	for _, server := range []string{"smtp://u:p@example.org", "smtps://example.org", "smtp://example.org:2525"} {
		if _, err := mail.NewSMTP(server, "Cuatrola <hello@example.org>"); err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
}
