package panel

import (
	"context"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/words"
)

func wordsJSON(w words.Words) Words { return Words{Es: w.ES, Ca: w.CA, En: w.EN} }

// wordsOf are those of a request; none if they are absent.
func wordsOf(w *Words) words.Words {
	if w == nil {
		return words.Words{}
	}
	return words.Words{ES: w.Es, CA: w.Ca, EN: w.En}
}

func switchJSON(s halt.Switch) Switch {
	return Switch{
		Part: SwitchPart(s.Part), Stopped: s.Stopped, Text: wordsJSON(s.Text), Until: orNull(s.Until), ChangedAt: orNull(s.ChangedAt),
		By: orAbsent(s.By), Version: s.Version,
	}
}

// ListSwitches implements StrictServerInterface.
func (p *Panel) ListSwitches(ctx context.Context, _ ListSwitchesRequestObject) (ListSwitchesResponseObject, error) {
	// From the database, for whoever switches next has to know the last switch.
	all, err := p.Halts.Read(ctx)
	if err != nil {
		return nil, err
	}
	list := ListSwitches200JSONResponse{Switches: []Switch{}}
	for _, part := range halt.Parts {
		list.Switches = append(list.Switches, switchJSON(all.Of(part)))
	}
	return list, nil
}

// SetSwitch implements StrictServerInterface.
func (p *Panel) SetSwitch(ctx context.Context, r SetSwitchRequestObject) (SetSwitchResponseObject, error) {
	m, err := member(ctx)
	if err != nil {
		return nil, err
	}
	if err := audit.NeedsReason(r.Body.Reason); err != nil {
		return nil, err
	}
	want := halt.Switch{Part: halt.Part(r.Part), Stopped: r.Body.Stopped, Text: wordsOf(r.Body.Text), Until: moment(r.Body.Until)}
	action := "switches.go-on"
	if want.Stopped {
		action = "switches.stop"
	}
	var out Switch
	change := audit.Change{Action: action, Subject: audit.Subject{Kind: "switch", ID: string(r.Part)}, Reason: r.Body.Reason}
	err = p.Trail.Do(ctx, change, func(ctx context.Context) (before, after any, err error) {
		was, is, err := p.Halts.Set(ctx, want, r.Body.Version, m.Name)
		out = switchJSON(is)
		return switchJSON(was), out, err
	})
	return SetSwitch200JSONResponse(out), err
}
