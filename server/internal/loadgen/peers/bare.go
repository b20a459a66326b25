package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"

	"github.com/gofiber/contrib/websocket"
	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// bare is the peer: the least that a Fiber app with a JWT, PostgreSQL and sockets can
// do, behind the same requests. It has no contract, log, limit or count, keeps no
// sessions and remembers no signatures; a profile is one read by primary key.
type bare struct {
	db     *pgxpool.Pool
	key    ed25519.PrivateKey
	parser *jwt.Parser
}

type profile struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Guest     bool      `json:"guest"`
	Avatar    string    `json:"avatar"`
	Language  string    `json:"language"`
	CreatedAt time.Time `json:"createdAt"`
}

func serveBare(ctx context.Context, database string, conns int32, listen string) error {
	c, err := pgxpool.ParseConfig(database)
	if err != nil {
		return err
	}
	c.MaxConns = conns
	db, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(ctx, `CREATE TABLE peer_players (id TEXT PRIMARY KEY, name TEXT NOT NULL, secret BYTEA NOT NULL UNIQUE, created_at TIMESTAMPTZ NOT NULL)`)
	if err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	b := &bare{db: db, key: key, parser: jwt.NewParser(jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithExpirationRequired(), jwt.WithIssuer("peer"))}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Post("/v1/guests", b.signUp)
	app.Post("/v1/sessions", b.signIn)
	app.Get("/v1/me", b.me)
	app.Get("/v1/wallet", func(c *fiber.Ctx) error { return c.JSON(struct{}{}) })
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	app.Get("/v1/stream", websocket.New(b.stream))
	stop := context.AfterFunc(ctx, func() { _ = app.ShutdownWithTimeout(time.Second) })
	defer stop()
	return app.Listen(listen)
}

func (b *bare) token(id string) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.RegisteredClaims{
		Issuer: "peer", Subject: id, ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Hour)),
	}).SignedString(b.key)
}

func (b *bare) who(token string) (string, error) {
	var claims jwt.RegisteredClaims
	_, err := b.parser.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return b.key.Public(), nil })
	return claims.Subject, err
}

func (b *bare) signUp(c *fiber.Ctx) error {
	id, secret := uuid.NewString(), rand.Text()
	hash := sha256.Sum256([]byte(secret))
	if _, err := b.db.Exec(c.Context(), "INSERT INTO peer_players VALUES ($1, $2, $3, $4)", id, "Player "+id, hash[:], time.Now()); err != nil {
		return err
	}
	token, err := b.token(id)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"player": fiber.Map{"id": id}, "deviceSecret": secret, "accessToken": token})
}

func (b *bare) signIn(c *fiber.Ctx) error {
	var in struct {
		DeviceSecret string `json:"deviceSecret"`
	}
	if err := c.BodyParser(&in); err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(in.DeviceSecret))
	p, err := b.read(c, "secret", hash[:])
	if err != nil {
		return err
	}
	token, err := b.token(p.ID)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"player": p, "accessToken": token})
}

func (b *bare) me(c *fiber.Ctx) error {
	id, err := b.who(strings.TrimPrefix(c.Get(fiber.HeaderAuthorization), "Bearer "))
	if err != nil {
		return fiber.ErrUnauthorized
	}
	p, err := b.read(c, "id", id)
	if err != nil {
		return err
	}
	return c.JSON(p)
}

func (b *bare) read(c *fiber.Ctx, by string, value any) (profile, error) {
	p := profile{Guest: true, Avatar: "RO", Language: "es"}
	err := b.db.QueryRow(c.Context(), "SELECT id, name, created_at FROM peer_players WHERE "+by+" = $1", value).Scan(&p.ID, &p.Name, &p.CreatedAt)
	return p, err
}

// stream takes a hello and answers it, and then waits for whatever comes.
func (b *bare) stream(ws *websocket.Conn) {
	_, data, err := ws.ReadMessage()
	if err != nil {
		return
	}
	var hello struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(data, &hello); err != nil {
		return
	}
	id, err := b.who(hello.Token)
	if err != nil {
		return
	}
	if err := ws.WriteJSON(fiber.Map{"type": "welcome", "player": id}); err != nil {
		return
	}
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			return
		}
	}
}
