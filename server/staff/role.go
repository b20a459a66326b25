package staff

import "slices"

// Role is what a member of staff is there for.
type Role string

// Roles.
const (
	Owner     Role = "owner"
	Economist Role = "economist"
	Support   Role = "support"
	Viewer    Role = "viewer"
)

// Roles lists all, the one that may do most first.
var Roles = []Role{Owner, Economist, Support, Viewer}

// Permission is one thing that may be done on the panel, such as "players.ban": the
// area, and what is done there. The contract names one for each operation.
type Permission string

// Self is what every member may do: look at who they are, and go.
const Self Permission = "self"

// permissions is the one table of who may do what. An owner may do everything that is
// in it; nobody may do what is not.
var permissions = map[Permission][]Role{
	Self: {Economist, Support, Viewer},

	"staff.read":   {},
	"staff.manage": {},
	"audit.read":   {Economist},
	"audit.export": {},

	"overview.read":   {Economist, Support, Viewer},
	"ledger.check":    {Economist},
	"tables.read":     {Economist, Support, Viewer},
	"tables.void":     {Support},
	"league.read":     {Economist, Support, Viewer},
	"league.close":    {Economist},
	"economy.read":    {Economist, Support, Viewer},
	"economy.edit":    {Economist},
	"economy.publish": {Economist},
	"economy.approve": {Economist},

	"orders.read":      {Economist, Support, Viewer},
	"orders.refund":    {Support},
	"orders.reconcile": {Economist, Support},
	"switches.read":    {Economist, Support, Viewer},
	"switches.change":  {Economist, Support},
	"broadcast.read":   {Economist, Support, Viewer},
	"broadcast.send":   {Economist},

	"fairness.read":   {Economist, Support, Viewer},
	"fairness.search": {Economist, Support},
	"fairness.decide": {Support},
	"simulation.read": {Economist, Support, Viewer},
	"simulation.run":  {Economist},

	"players.read":     {Economist, Support, Viewer},
	"players.contact":  {Support}, // addresses, whole
	"players.note":     {Economist, Support},
	"players.grant":    {Economist, Support}, // within limits
	"players.sanction": {Support},
	"players.rename":   {Support},
	"players.reset":    {Support},
	"players.merge":    {Support},
	"players.export":   {Support},
	"players.delete":   {Support},
	"reports.read":     {Support, Viewer},
	"reports.answer":   {Support},
}

// Can says whether who has the role may do that.
func Can(r Role, p Permission) bool {
	roles, known := permissions[p]
	return known && (r == Owner || slices.Contains(roles, r))
}

// Permissions lists what who has the role may do, in order.
func Permissions(r Role) []Permission {
	var all []Permission
	for p := range permissions {
		if p != Self && Can(r, p) {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

func known(r Role) bool { return slices.Contains(Roles, r) }
