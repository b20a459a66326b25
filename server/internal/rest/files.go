package rest

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola"
)

// docsFiles is the page at /docs: what is written here, and dist, which `make
// wasm` fills with swagger-ui-dist's files from npm. No page loads anything from
// elsewhere.
//
//go:embed docs/*.html docs/*.js all:docs/dist
var docsFiles embed.FS

const (
	// The page runs the rules' module, which browsers count as code like eval's.
	pagePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; " +
		"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// Swagger UI writes styles into its elements.
	docsPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

	// The panel sets styles only through the document's object model, which the policy lets
	// be. It plays matches back with the rules' module, as the page does.
	panelPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; " +
		"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

	cacheAsk     = "no-cache"
	cacheForever = "public, max-age=31536000, immutable"

	// Quick to do, and near enough to the best.
	brotliLevel = 6
	// Smaller files are not worth it.
	brotliFrom = 1 << 10
	// What a build has packed with brotli as tightly as it goes has the file's name and this.
	packedExt = ".br"
)

// file is something that is served as it is. Fiber's own ways to serve files are
// not used: they read from disk, and guess.
type file struct {
	body             []byte
	mediaType, cache string
	policy           string
	status           int
	tag              func() string
	compressed       func() []byte // nil if it is not worth it
}

func newFile(name string, body []byte) *file {
	f := &file{
		body: body, mediaType: mediaType(name), cache: cacheAsk, status: fiber.StatusOK,
		// When it is first asked for: all of them together would hold up the start.
		tag: sync.OnceValue(func() string {
			sum := sha256.Sum256(body)
			return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		}),
	}
	switch path.Ext(name) {
	case ".png", ".jpg", ".webp", ".woff2":
	default:
		if len(body) >= brotliFrom {
			f.compressed = sync.OnceValue(func() []byte {
				var out bytes.Buffer
				w := brotli.NewWriterLevel(&out, brotliLevel)
				_, _ = w.Write(body) // a buffer does not fail
				_ = w.Close()
				return out.Bytes()
			})
		}
	}
	return f
}

func mediaType(name string) string {
	switch ext := path.Ext(name); ext {
	// The system's own table may say otherwise, or nothing.
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".wasm":
		return "application/wasm"
	case ".yaml":
		return "application/yaml"
	case ".webmanifest":
		return "application/manifest+json"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
		return "application/octet-stream"
	}
}

func (f *file) serve(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, f.cache)
	if f.policy != "" {
		c.Set(fiber.HeaderContentSecurityPolicy, f.policy)
	}
	body, tag := f.body, f.tag()
	if f.compressed != nil {
		c.Vary(fiber.HeaderAcceptEncoding)
		if acceptsBrotli(c.Get(fiber.HeaderAcceptEncoding)) {
			// Another form is another entity.
			tag = strings.TrimSuffix(tag, `"`) + `-br"`
			body = nil
		}
	}
	c.Set(fiber.HeaderETag, tag)
	if strings.Contains(c.Get(fiber.HeaderIfNoneMatch), tag) {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Status(f.status).Set(fiber.HeaderContentType, f.mediaType)
	if body == nil {
		c.Set(fiber.HeaderContentEncoding, "br")
		body = f.compressed()
	}
	return c.Send(body)
}

func acceptsBrotli(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "br" {
			return strings.TrimSpace(weight) != "q=0"
		}
	}
	return false
}

// files is everything that is served as it is, by path.
func (s *Server) files(page, panel fs.FS) (map[string]*file, error) {
	files := map[string]*file{
		"/openapi.yaml":  newFile("openapi.yaml", cuatrola.OpenAPI),
		"/asyncapi.yaml": newFile("asyncapi.yaml", cuatrola.AsyncAPI),
	}
	docs, err := fs.Sub(docsFiles, "docs")
	if err != nil {
		return nil, err
	}
	if err := addTree(files, "/docs", docs, docsPolicy); err != nil {
		return nil, err
	}
	if err := addTree(files, "", page, pagePolicy); err != nil {
		return nil, err
	}
	if err := addTree(files, "/admin", panel, panelPolicy); err != nil {
		return nil, err
	}
	files["/"] = files["/index.html"]
	files["/admin"] = files["/admin/index.html"]
	files["/docs"] = files["/docs/index.html"]
	if files["/"] == nil {
		files["/"] = notBuilt()
	}
	if files["/admin"] == nil {
		files["/admin"] = notBuilt()
	}
	if files["/docs/dist/swagger-ui-bundle.js"] == nil {
		files["/docs"] = notBuilt()
	}
	delete(files, "/index.html")
	delete(files, "/docs/index.html")
	delete(files, "/admin/index.html")
	return files, nil
}

// panelRoute serves the panel's page under every address that the panel itself
// understands, so that each can be opened and sent around. What belongs to its API or
// its build and is not there stays not found.
func panelRoute(page *file) fiber.Handler {
	return func(c *fiber.Ctx) error {
		for _, other := range []string{"/admin/v1/", "/admin/assets/", "/admin/."} {
			if strings.HasPrefix(c.Path(), other) {
				return c.Next()
			}
		}
		return page.serve(c)
	}
}

// orPage serves the game's page to whoever asks for a page at an address that is
// nothing else: the page itself knows which addresses it has. Programs, which do not
// ask for HTML, are told that there is nothing.
//
// It stands before the routes and not as the last of them: a route for every path would
// be there for a wrong method too, which could then not be told from a wrong path.
func orPage(page *file) fiber.Handler {
	return func(c *fiber.Ctx) error {
		err := c.Next()
		nothing, ok := errors.AsType[*fiber.Error](err)
		if !ok || nothing.Code != fiber.StatusNotFound || c.Method() != fiber.MethodGet && c.Method() != fiber.MethodHead {
			return err
		}
		for _, other := range []string{"/v1/", "/admin", "/docs", "/assets/", "/."} {
			if strings.HasPrefix(c.Path(), other) {
				return err
			}
		}
		if !strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML) {
			return err
		}
		return page.serve(c)
	}
}

func addTree(files map[string]*file, prefix string, tree fs.FS, policy string) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path.Base(name), ".") || path.Ext(name) == packedExt {
			return err
		}
		body, err := fs.ReadFile(tree, name)
		if err != nil {
			return fmt.Errorf("rest: %w", err)
		}
		f := newFile(name, body)
		f.policy = policy
		if packed, err := fs.ReadFile(tree, name+packedExt); err == nil {
			f.compressed = func() []byte { return packed }
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rest: %w", err)
		}
		if strings.HasPrefix(name, "assets/") {
			// The build puts a hash of what is inside into these names.
			f.cache = cacheForever
		}
		files[prefix+"/"+name] = f
		return nil
	})
}

// notBuilt stands for a page in a binary that was built without it.
func notBuilt() *file {
	f := newFile("x.txt", []byte("This binary was built without its pages. Run: make build\n"))
	f.status = fiber.StatusServiceUnavailable
	return f
}
