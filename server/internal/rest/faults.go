package rest

import (
	"context"
	"log/slog"
	"regexp"
)

// ReportClientFault implements StrictServerInterface. A fault is a line in the log and a
// count, and no row: nothing follows from it by itself, anybody can make one up, and what
// was wrong stands in the match's own log.
func (s *Server) ReportClientFault(ctx context.Context, r ReportClientFaultRequestObject) (ReportClientFaultResponseObject, error) {
	id, err := player(ctx)
	if err != nil {
		return nil, err
	}
	b := r.Body
	request, _ := ctx.Value(requestContextKey{}).(string)
	attrs := []slog.Attr{
		slog.String("request", request), slog.String("player", id),
		slog.String("kind", string(b.Kind)), slog.String("client", withoutSecrets(b.Client)),
	}
	if b.MatchID != nil {
		attrs = append(attrs, slog.String("match", *b.MatchID))
	}
	if b.Seq != nil {
		attrs = append(attrs, slog.Int("seq", *b.Seq))
	}
	for _, one := range []struct {
		name  string
		value *string
	}{{"action", b.Action}, {"code", b.Code}, {"message", b.Message}} {
		if one.value != nil {
			attrs = append(attrs, slog.String(one.name, withoutSecrets(*one.value)))
		}
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "client fault", attrs...)
	if s.faulted != nil {
		s.faulted(string(b.Kind))
	}
	return ReportClientFault204Response{}, nil
}

// ClientFaultKinds are the kinds of faults that clients report.
func ClientFaultKinds() []string {
	return []string{string(ClientFaultKindDisagreement), string(ClientFaultKindModule), string(ClientFaultKindProof), string(ClientFaultKindCrash)}
}

// tokenLike is what tokens and secrets look like. Names of files and the like are shorter
// between their dots and slashes.
var tokenLike = regexp.MustCompile(`[\w-]{30,}(\.[\w-]+)*`)

// withoutSecrets takes out of a client's own words what must not be in a log, although
// no client should write it there: the message of an error may quote a request.
func withoutSecrets(text string) string { return tokenLike.ReplaceAllString(text, "…") }

// requestContextKey is under which handlers that write their own lines find the
// request's name.
type requestContextKey struct{}
