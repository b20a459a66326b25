package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/cuatrola/cuatrola"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/jsonnul"
	"github.com/cuatrola/cuatrola/server/internal/logs"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// contract is openapi.yaml, as the server obeys it.
type contract struct{ *openapi3.T }

// loadContract reads it once: it is a part of the program, and nobody changes it.
var loadContract = sync.OnceValues(func() (contract, error) {
	// That it is valid, examples included, a test says: at each start it would take a
	// third of the time in which a server is ready.
	openapi3.DefineStringFormatValidator("date-time", openapi3.NewCallbackValidator(checkTime))
	doc, err := openapi3.NewLoader().LoadFromData(cuatrola.OpenAPI)
	if err != nil {
		return contract{}, fmt.Errorf("rest: openapi.yaml: %w", err)
	}
	return contract{doc}, nil
})

// Prepare begins to read the contract, which takes longer than all else that a start is
// made of, so that it goes on beside the rest.
func Prepare() { go func() { _, _ = loadContract() }() }

// checkTime takes the times that all of us can write: to JSON a year has four digits,
// also in universal time, and a zero time is an absent one.
func checkTime(text string) error {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return errors.New("no time as RFC 3339 has it")
	}
	if year := at.UTC().Year(); year < 1970 || year > 9999 {
		return errors.New("a time is in the years 1970 to 9999")
	}
	return nil
}

// guard stands before an operation's handler.
type guard struct {
	method, path string
	handler      fiber.Handler
}

// guards returns one for each operation of the contract. It asks for an access
// token where the contract does, then for a request that fits.
func (doc contract) guards(s *Server) []guard {
	var all []guard
	for path, item := range doc.Paths.Map() {
		if s.panel == nil && strings.HasPrefix(path, panelPath) {
			continue
		}
		for method, operation := range item.Operations() {
			route := &routers.Route{Spec: doc.T, Path: path, PathItem: item, Method: method, Operation: operation}
			g := guard{method, fiberPath(path), s.guard(route)}
			all = append(all, g)
			if method == http.MethodGet && item.Head == nil {
				// Fiber lets a GET's handler answer HEAD as well.
				g.method = http.MethodHead
				all = append(all, g)
			}
		}
	}
	return all
}

// panelPath is where the operator's panel is asked, see Panel.
const panelPath = "/admin/v1/"

// Panel answers the staff's requests, see package panel.
type Panel interface {
	// Admit lets a request in, or says why not. permission is what the contract asks for;
	// "" where it asks for nobody.
	Admit(c *fiber.Ctx, permission, address, request string) error
	// Register adds the handlers behind the guards.
	Register(app fiber.Router)
}

// fiberPath writes "/v1/matches/{matchId}" as "/v1/matches/:matchId".
func fiberPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

func (s *Server) guard(route *routers.Route) fiber.Handler {
	operation := route.Operation
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, // done before
		KeepValidatedValue: true,
	}
	limitName, _ := operation.Extensions["x-limit"].(string)
	raw, _ := operation.Extensions[extensionRaw].(bool)
	permission, _ := operation.Extensions["x-permission"].(string)
	ofPanel := strings.HasPrefix(route.Path, panelPath)
	return func(c *fiber.Ctx) error {
		if ofPanel {
			if err := s.panel.Admit(c, permission, s.address(c).String(), requestID(c)); err != nil {
				return err
			}
		} else if operation.Security != nil && len(*operation.Security) > 0 {
			if err := s.authenticate(c); err != nil {
				return err
			}
		}
		if err := s.limitOperation(c, limitName); err != nil {
			return err
		}
		if raw || operation.RequestBody == nil && len(operation.Parameters) == 0 && len(route.PathItem.Parameters) == 0 {
			return c.Next()
		}
		if operation.RequestBody != nil {
			media, _, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
			if err != nil || media != fiber.MIMEApplicationJSON {
				return fault.New(fault.UnsupportedMedia, "A body is application/json.")
			}
			// The filter reads the first value of a body and never looks behind it.
			// And readers of JSON replace what is not UTF-8: a name or a seed would be kept
			// that nobody sent.
			if !json.Valid(c.Body()) || !utf8.Valid(c.Body()) {
				return fault.New(fault.InvalidRequest, "The body is not one JSON value in UTF-8.")
			}
			if jsonnul.In(c.Body()) {
				return fault.New(fault.InvalidRequest, "No text has the character U+0000.")
			}
		}
		var r http.Request
		if err := fasthttpadaptor.ConvertRequest(c.Context(), &r, true); err != nil {
			return fault.Wrap(fault.InvalidRequest, "The request cannot be read.", err)
		}
		if err := texts(c, &r, slices.Concat(route.PathItem.Parameters, operation.Parameters)); err != nil {
			return err
		}
		input := &openapi3filter.RequestValidationInput{
			Request: &r, PathParams: c.AllParams(), Route: route, Options: options,
		}
		if err := openapi3filter.ValidateRequest(c.UserContext(), input); err != nil {
			return misfit(err, c.Body())
		}
		if id := c.Params("matchId"); id != "" {
			c.Locals(matchKey, id)
			c.SetUserContext(logs.Match(c.UserContext(), id))
		}
		// The generated handlers take what was validated, with its defaults, instead
		// of reading the body again by other rules.
		if body, ok := r.Body.(interface{ ValidatedValue() any }); ok {
			c.Locals(validatedBodyLocalsKey, plain(body.ValidatedValue()))
		}
		return c.Next()
	}
}

// texts refuses parameters that no database keeps alike: as in bodies, what is not UTF-8,
// and U+0000.
func texts(c *fiber.Ctx, r *http.Request, parameters openapi3.Parameters) error {
	query := r.URL.Query()
	for _, p := range parameters {
		var values []string
		switch name := p.Value.Name; p.Value.In {
		case openapi3.ParameterInQuery:
			values = query[name]
		case openapi3.ParameterInHeader:
			values = r.Header.Values(name)
		case openapi3.ParameterInPath:
			text, err := url.PathUnescape(c.Params(name))
			if err != nil {
				text = "\xff"
			}
			values = []string{text}
		}
		for _, text := range values {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				return &fault.Error{Code: fault.InvalidRequest, Field: p.Value.Name, Message: "A text is UTF-8, without the character U+0000."}
			}
		}
	}
	return nil
}

func (s *Server) authenticate(c *fiber.Ctx) error {
	scheme, token, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return fault.New(fault.Unauthenticated, "An access token is needed.")
	}
	caller, err := s.accounts.Authenticate(token)
	if err != nil {
		return err
	}
	c.Locals(playerKey, caller.PlayerID)
	if err := s.limitAccount(c, caller.PlayerID); err != nil {
		return err
	}
	c.SetUserContext(context.WithValue(c.UserContext(), contextKey{}, caller))
	return nil
}

// plain writes whole numbers of a body as Go reads them into an integer: to JSON and
// its schemas 1e2 and 100.0 are 100.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, one := range v {
			v[k] = plain(one)
		}
	case []any:
		for i, one := range v {
			v[i] = plain(one)
		}
	case json.Number:
		f, err := v.Float64()
		if strings.ContainsAny(v.String(), ".eE") && err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return json.Number(strconv.FormatInt(int64(f), 10))
		}
	}
	return value
}

// misfit says what of a request does not fit the contract, without repeating it.
func misfit(err error, body []byte) error {
	f := &fault.Error{Code: fault.InvalidRequest, Message: "The request does not fit openapi.yaml.", Err: err}
	var parse *openapi3filter.ParseError
	var schema *openapi3.SchemaError
	var request *openapi3filter.RequestError
	if errors.As(err, &request) && request.Parameter != nil {
		f.Field = request.Parameter.Name
	}
	switch {
	case errors.As(err, &schema):
		pointer := schema.JSONPointer()
		// Which of several schemas it does not fit, and how.
		for inner := schema; inner != nil && schema.SchemaField == "allOf" && errors.As(schema.Origin, &inner); {
			schema = inner
		}
		if name, ok := unknown(schema); ok {
			pointer = append(pointer, name)
		}
		if f.Field == "" && len(pointer) > 0 {
			f.Field = strings.Join(pointer, ".")
			if pointer[0] == "rules" && schema.SchemaField != "required" {
				return invalidRules(body)
			}
		}
		f.Message = strings.TrimPrefix(f.Field+": "+schema.Reason, ": ")
	case errors.As(err, &parse):
		f.Message = "What was sent cannot be read as what openapi.yaml asks for."
	case request != nil && request.Reason != "":
		f.Message = "The request does not fit openapi.yaml: " + request.Reason + "."
	}
	return f
}

// unknown is the member that is too much, if that is what is wrong.
func unknown(err *openapi3.SchemaError) (name string, ok bool) {
	members, is := err.Value.(map[string]any)
	if !is || err.SchemaField != "properties" {
		return "", false
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, known := err.Schema.Properties[name]; !known {
			return name, true
		}
	}
	return "", false
}

// invalidRules names the option at fault, which the schemas do not: they only say
// that neither form of house rules fits.
func invalidRules(body []byte) error {
	f := &fault.Error{Code: fault.InvalidRules, Field: "rules", Message: "There is no such rule, or it has a value that it cannot take."}
	var request struct {
		Rules any `json:"rules"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return fault.Wrap(fault.InvalidRequest, "The body is not JSON.", err)
	}
	_, err := record.ParseRules(request.Rules)
	if option, ok := errors.AsType[rules.OptionError](err); ok {
		f.Field = string(option)
	}
	return f
}
