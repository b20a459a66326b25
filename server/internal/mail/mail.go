// Package mail sends the mails of account over SMTP, or puts them into files where
// there is no mail server.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"

	"github.com/cuatrola/cuatrola/server/account"
)

// Files puts each mail into a file of a directory of its own, for development and
// for the embedded default. The log tells the file and nothing of what is in it.
type Files struct{ Dir string }

// Send implements account.Mailer.
func (f Files) Send(ctx context.Context, m account.Mail) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	// In the order of sending.
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	path := filepath.Join(f.Dir, id.String()+".txt")
	text := "To: " + m.To + "\nSubject: " + m.Subject + "\n\n" + m.Text
	// Written beside and renamed, so that whoever finds it finds all of it.
	if err := os.WriteFile(path+".part", []byte(text), 0o600); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	slog.InfoContext(ctx, "mail kept in a file, for no mail server is set", "file", path)
	return nil
}

// SMTP sends over a mail server. Make one with NewSMTP.
type SMTP struct {
	client *gomail.Client
	from   string
}

// sendTimeout bounds each step of speaking with the server.
const sendTimeout = 20 * time.Second

// NewSMTP takes the server as a URL: smtp://user:password@host:587 for STARTTLS,
// which is insisted on, smtps://… for TLS from the first byte. With ?tls=none
// nothing is encrypted, which is for a relay on the same machine. The error does
// not quote the URL.
func NewSMTP(server, from string) (*SMTP, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("not a URL like smtp://user:password@host:587")
	}
	options := []gomail.Option{gomail.WithTimeout(sendTimeout)}
	port := 587
	plain := u.Query().Get("tls") == "none"
	switch {
	case u.Scheme == "smtps":
		port = 465
		options = append(options, gomail.WithSSL())
	case u.Scheme == "smtp" && plain:
		port = 25
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case u.Scheme == "smtp":
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		return nil, errors.New("not a URL that begins with smtp:// or smtps://")
	}
	options = append(options, gomail.WithTLSConfig(&tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}))
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil {
			return nil, errors.New("its port is no number")
		}
	}
	options = append(options, gomail.WithPort(port))
	if user := u.User; user != nil {
		password, _ := user.Password()
		auth := gomail.SMTPAuthAutoDiscover
		if plain {
			auth = gomail.SMTPAuthPlainNoEnc
		}
		options = append(options, gomail.WithSMTPAuth(auth), gomail.WithUsername(user.Username()), gomail.WithPassword(password))
	}
	client, err := gomail.NewClient(u.Hostname(), options...)
	if err != nil {
		return nil, err
	}
	if err := gomail.NewMsg().From(from); err != nil {
		return nil, errors.New("the sender is not an address like Cuatrola <hello@example.org>")
	}
	return &SMTP{client: client, from: from}, nil
}

// Send implements account.Mailer.
func (s *SMTP) Send(ctx context.Context, m account.Mail) error {
	msg := gomail.NewMsg()
	if err := msg.From(s.from); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := msg.To(m.To); err != nil {
		// The library's error quotes the address, which is not for the log.
		return errors.New("mail: an address that cannot be sent to")
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageID()
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if err := s.client.DialAndSendWithContext(ctx, msg); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}
