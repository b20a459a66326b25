package rest

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/privacy"
)

// ExportMe implements StrictServerInterface.
func (s *Server) ExportMe(ctx context.Context, _ ExportMeRequestObject) (ExportMeResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	// Whole before the first byte goes out: a failure is an error, not half a file.
	var file bytes.Buffer
	if err := s.privacy.Export(ctx, me.ID, &file); err != nil {
		return nil, err
	}
	return ExportMe200ApplicationZipResponse{
		Body: &file, ContentLength: int64(file.Len()),
		Headers: ExportMe200ResponseHeaders{ContentDisposition: new(`attachment; filename="cuatrola-` + me.ID + `.zip"`)},
	}, nil
}

// DeleteMe implements StrictServerInterface.
func (s *Server) DeleteMe(ctx context.Context, _ DeleteMeRequestObject) (DeleteMeResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.privacy.Request(ctx, me.ID)
	if err != nil {
		return nil, err
	}
	return DeleteMe202JSONResponse(deletionJSON(d)), nil
}

// GetDeletion implements StrictServerInterface.
func (s *Server) GetDeletion(ctx context.Context, _ GetDeletionRequestObject) (GetDeletionResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.privacy.Pending(ctx, me)
	if err != nil {
		return nil, err
	}
	return GetDeletion200JSONResponse(deletionJSON(d)), nil
}

// RestoreMe implements StrictServerInterface.
func (s *Server) RestoreMe(ctx context.Context, _ RestoreMeRequestObject) (RestoreMeResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.privacy.Restore(ctx, me); err != nil {
		return nil, err
	}
	return RestoreMe204Response{}, nil
}

func deletionJSON(d privacy.Deletion) Deletion {
	return Deletion{RequestedAt: d.RequestedAt.UTC(), DeletesAt: d.DueAt.UTC()}
}

// exportedMatch is a match as its player's export has it.
type exportedMatch struct {
	MatchSummary
	// Record is null while the match is open.
	Record json.RawMessage `json:"record"`
}

const exportPage = 100

// ExportMatches is the part of an export with the player's matches, as the contract
// has them, and the records of those that are over.
func ExportMatches(matches *match.Service) privacy.Part {
	return privacy.Part{Name: "matches", Read: func(ctx context.Context, playerID string) (any, error) {
		all := []exportedMatch{}
		for before := ""; ; {
			page, err := matches.History(ctx, playerID, before, exportPage)
			if err != nil {
				return nil, err
			}
			for _, m := range page {
				one := exportedMatch{MatchSummary: summaryJSON(m, playerID)}
				rec, err := matches.Record(ctx, m.ID, playerID)
				if err == nil {
					one.Record = rec.Append(nil)
				} else if code := fault.CodeOf(err); code != fault.MatchNotOver && code != match.CodeVoid {
					return nil, err
				}
				all = append(all, one)
			}
			if len(page) < exportPage {
				return all, nil
			}
			before = page[len(page)-1].ID
		}
	}}
}
