// Package serviceaccount reads the key files of Google's service accounts, by which a
// server asks for access to one of Google's interfaces.
package serviceaccount

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"

	"golang.org/x/oauth2/jwt"
)

// Credentials are a service account's key file, as the service's console gives it.
type Credentials struct {
	Type         string `json:"type"`
	ProjectID    string `json:"project_id"`
	PrivateKeyID string `json:"private_key_id"`
	PrivateKey   string `json:"private_key"`
	ClientEmail  string `json:"client_email"`
	TokenURI     string `json:"token_uri"`
}

// Read reads a key file. Its errors hold nothing of it.
func Read(file string) (Credentials, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Credentials{}, err
	}
	var c Credentials
	if json.Unmarshal(text, &c) != nil {
		return c, errors.New("the credentials are not JSON")
	}
	for name, value := range map[string]string{
		"project_id": c.ProjectID, "private_key": c.PrivateKey, "client_email": c.ClientEmail, "token_uri": c.TokenURI,
	} {
		if value == "" {
			return c, fmt.Errorf("the credentials have no %s", name)
		}
	}
	block, _ := pem.Decode([]byte(c.PrivateKey))
	if block == nil {
		return c, errors.New("the credentials' private_key is no PEM block")
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
		return c, errors.New("the credentials' private_key is no PKCS #8 key")
	} else if _, ok := key.(*rsa.PrivateKey); !ok {
		return c, errors.New("the credentials' private_key is no RSA key")
	}
	if u, err := url.Parse(c.TokenURI); err != nil || u.Host == "" {
		return c, errors.New("the credentials' token_uri is no URL")
	}
	return c, nil
}

// Config asks for access tokens of a scope.
func (c *Credentials) Config(scope string) *jwt.Config {
	return &jwt.Config{
		Email: c.ClientEmail, PrivateKey: []byte(c.PrivateKey), PrivateKeyID: c.PrivateKeyID,
		TokenURL: c.TokenURI, Scopes: []string{scope},
	}
}
