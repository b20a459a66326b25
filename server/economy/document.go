// Package economy is what an operator can tune: one document with every reward,
// price and limit, and the arithmetic that follows from it. It is pure: documents
// and times are handed in.
package economy

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is a version of the economy. All amounts are whole coins or points,
// all factors whole percents: nothing here is a fraction.
type Document struct {
	Format   string `json:"format"`
	TimeZone string `json:"timeZone"`
	Welcome  int64  `json:"welcome"`
	// Daily reward by the day of the streak; the last one goes on.
	Daily   []int64 `json:"daily"`
	Matches struct {
		Online struct {
			Coins      ByPosition `json:"coins"`
			Experience ByPosition `json:"experience"`
		} `json:"online"`
		Friends struct {
			Percent           int64 `json:"percent"`
			DailyCap          int64 `json:"dailyCap"`
			ExperiencePercent int64 `json:"experiencePercent"`
		} `json:"friends"`
		Away struct {
			AfterTurns int   `json:"afterTurns"`
			Percent    int64 `json:"percent"`
		} `json:"away"`
	} `json:"matches"`
	Levels  Levels `json:"levels"`
	Booster struct {
		Percent int64 `json:"percent"`
		Lasts   struct {
			Minutes int `json:"minutes,omitempty"`
			Matches int `json:"matches,omitempty"`
		} `json:"lasts"`
		Stack Stack `json:"stack"`
		Price int64 `json:"price"`
	} `json:"booster"`
	VIP struct {
		Percent   int64 `json:"percent"`
		Days      int   `json:"days"`
		Price     int64 `json:"price"`
		DailyGift int64 `json:"dailyGift"`
	} `json:"vip"`
	Combine        Combine `json:"combine"`
	Stakes         []int64 `json:"stakes"`
	BotFillSeconds int     `json:"botFillSeconds"`
	Bots           Bots    `json:"bots"`
	Queue          Queue   `json:"queue"`
	League         struct {
		Points      ByPosition `json:"points"`
		BotsPercent int64      `json:"botsPercent"`
		Divisions   []Division `json:"divisions"`
	} `json:"league"`
	Fairness  Fairness  `json:"fairness"`
	Catalogue []Product `json:"catalogue"`
	Approval  Approval  `json:"approval"`
}

// Approval is when a change takes a second person. A document without it, from before
// there was one, has the one that ships.
type Approval struct {
	// Share in percent: of how much more or less coins a change may issue alone.
	Share int64 `json:"share"`
	// Days after which a proposal lapses.
	Days int `json:"days"`
}

// Fairness is from where on play deserves an operator's look. A document without it,
// from before it was looked at, has the one that ships.
type Fairness struct {
	// WindowDays is how far back is looked.
	WindowDays int `json:"windowDays"`
	// OneIn is how seldom honest play may look like a case: by chance alone, one of so
	// many searches has one of each kind.
	OneIn int64 `json:"oneIn"`
	// MarginPercent is by how many percentage points people may do better than their
	// ratings tell before it is asked whether that is chance.
	MarginPercent int `json:"marginPercent"`
	// ComebackPercent is the score, of that at which a case was dismissed, with which
	// it comes back.
	ComebackPercent int `json:"comebackPercent"`
	Pairs           struct {
		MinMatches int `json:"minMatches"`
	} `json:"pairs"`
	Flows struct {
		MinMatches int   `json:"minMatches"`
		MinCoins   int64 `json:"minCoins"`
	} `json:"flows"`
	Companies struct {
		MinMatches int `json:"minMatches"`
		// Factor by which four people may meet more often than their hours tell.
		Factor int `json:"factor"`
	} `json:"companies"`
	Speed struct {
		// Matches is how many of each player's newest are looked at.
		Matches    int `json:"matches"`
		MinActions int `json:"minActions"`
		// MedianMs is the median time of an action below which nobody plays, SpreadPercent
		// how near to it, in percent of it, the middle four fifths may lie at most to be
		// a machine's.
		MedianMs      int64 `json:"medianMs"`
		SpreadPercent int64 `json:"spreadPercent"`
	} `json:"speed"`
}

// Bots is how well bots play that fill free tables up, and how they take their time. A
// document without it, from before there were levels, has the one that ships.
type Bots struct {
	// Levels are the mean ratings of the people at a table from which on its bots are of
	// a level: the best that is reached, and learners below all of them.
	Levels struct {
		Tabernero int `json:"tabernero"`
		Veterano  int `json:"veterano"`
		Maestro   int `json:"maestro"`
	} `json:"levels"`
	Pause struct {
		// Milliseconds of an ordinary wait, that for a card in the middle of a trick, at
		// online tables.
		Milliseconds int `json:"milliseconds"`
		// Other waits, and how much each varies by chance, in percent of it.
		BidPercent    uint16 `json:"bidPercent"`
		LeadPercent   uint16 `json:"leadPercent"`
		ForcedPercent uint16 `json:"forcedPercent"`
		SpreadPercent uint16 `json:"spreadPercent"`
	} `json:"pause"`
}

// Queue is how people are matched. A document without it, from before there was a
// queue, has the one that ships.
type Queue struct {
	// WindowPoints is how far apart two ratings may be at first, PointsPerSecond how
	// much more each second of their mean wait allows, AnyAfterSeconds the mean wait
	// after which ratings do not count.
	WindowPoints    int `json:"windowPoints"`
	PointsPerSecond int `json:"pointsPerSecond"`
	AnyAfterSeconds int `json:"anyAfterSeconds"`
	// PartySeconds is how long a party waits for another party.
	PartySeconds   int `json:"partySeconds"`
	MaxWaitSeconds int `json:"maxWaitSeconds"`
	// TableFillSeconds is how long a staked table waits to be full.
	TableFillSeconds int `json:"tableFillSeconds"`
}

// ByPosition is an amount for each finishing position: the winning pair, then
// the other.
type ByPosition [2]int64

// Combine says how booster and VIP pass work together.
type Combine string

// Ways to combine.
const (
	// Multiply applies one after the other.
	Multiply Combine = "multiply"
	// Add puts their gains together.
	Add Combine = "add"
	// Highest lets the greater work alone.
	Highest Combine = "highest"
)

// Stack says what becomes of a booster that is begun while another works.
type Stack string

// Ways to stack.
const (
	// Extend adds what it lasts to what is left.
	Extend Stack = "extend"
	// Refuse lets it wait.
	Refuse Stack = "refuse"
)

// Levels is the curve of experience.
type Levels struct {
	// First is the experience from level 1 to 2, Growth what each further level
	// takes more.
	First  int64 `json:"first"`
	Growth int64 `json:"growth"`
}

// Division of the league.
type Division struct {
	Name      string `json:"name"`
	GroupSize int    `json:"groupSize"`
	Up        int    `json:"up"`
	Down      int    `json:"down"`
	// Prizes by rank, from the first.
	Prizes []int64 `json:"prizes"`
}

// Product is sold for money.
type Product struct {
	SKU    string `json:"sku"`
	Grants struct {
		Coins    int64 `json:"coins,omitempty"`
		Boosters int   `json:"boosters,omitempty"`
		VIPDays  int   `json:"vipDays,omitempty"`
	} `json:"grants"`
	// Title in each language; nil for one that has only its key.
	Title *Title `json:"title,omitempty"`
	// Renews is how often it is paid again, by itself: month or year, empty for once.
	Renews string `json:"renews,omitempty"`
	// Prices by currency, in its smallest unit.
	Prices map[string]int64 `json:"prices"`
	Apple  string           `json:"apple,omitempty"`
	Google string           `json:"google,omitempty"`
	// Limit is how often one player can buy it; 0 for no limit.
	Limit int        `json:"limit,omitempty"`
	From  *time.Time `json:"from,omitempty"`
	Until *time.Time `json:"until,omitempty"`
}

// Title is a product's name in each language.
type Title struct {
	ES string `json:"es"`
	CA string `json:"ca"`
	EN string `json:"en"`
}

// Name is the product's title, or its key where it has none.
func (p *Product) Name() Title {
	if p.Title != nil {
		return *p.Title
	}
	return Title{p.SKU, p.SKU, p.SKU}
}

// OnSale says whether the product can be bought at that time.
func (p *Product) OnSale(at time.Time) bool {
	return (p.From == nil || !at.Before(*p.From)) && (p.Until == nil || at.Before(*p.Until))
}

// Product is that of the catalogue with the key; nil if there is none.
func (d *Document) Product(sku string) *Product {
	for i := range d.Catalogue {
		if d.Catalogue[i].SKU == sku {
			return &d.Catalogue[i]
		}
	}
	return nil
}

// Schema is the document's JSON Schema: what an editor makes its forms of. The order
// of members is that of the form, and annotations of ours say the rest: x-es and x-ca
// translate title and description, x-section names the part of x-sections that a member
// stands in, x-unit an amount's unit out of x-units, x-names what each value of an
// enumeration is called, x-item what the entries of a list are, {n} from 1, and x-label
// which of their members tells them apart.
//
//go:embed schema.json
var Schema []byte

//go:embed default.json
var defaultDocument []byte

// shipped is what stands in for members that older documents lack.
var shipped = func() (d Document) {
	if err := json.Unmarshal(defaultDocument, &d); err != nil {
		panic("economy: default.json: " + err.Error())
	}
	return d
}()

// Default is the document that ships, and that a new server starts with.
func Default() []byte { return bytes.Clone(defaultDocument) }

// compiled is the schema, when it is first asked.
var compiled = sync.OnceValue(func() *jsonschema.Schema {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		panic("economy: schema.json: " + err.Error())
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", schema); err != nil {
		panic("economy: schema.json: " + err.Error())
	}
	return c.MustCompile("schema.json")
})

// Parse reads a document. It returns every problem that it finds; with none the
// document can be used.
func Parse(text []byte) (*Document, []Problem) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, []Problem{notJSON(text, err)}
	}
	if problems := repeatedNames(text); len(problems) > 0 {
		return nil, problems
	}
	var problems []Problem
	if err := compiled().Validate(value); err != nil {
		problems = schemaProblems(err)
	}
	d := Document{Bots: shipped.Bots, Queue: shipped.Queue, Fairness: shipped.Fairness, Approval: shipped.Approval}
	if err := json.Unmarshal(text, &d); err == nil {
		problems = beside(problems, d.problems())
	} else if len(problems) == 0 {
		problems = []Problem{{Code: WrongAnyhow, Message: err.Error()}}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &d, nil
}

// beside adds to problems of form those of meaning, but where the form is wrong already:
// there a meaning would be made up.
func beside(form, meaning []Problem) []Problem {
	all := slices.Clone(form)
	for _, m := range meaning {
		if !slices.ContainsFunc(form, func(f Problem) bool {
			return strings.HasPrefix(f.Path+"/", m.Path+"/") || strings.HasPrefix(m.Path+"/", f.Path+"/")
		}) {
			all = append(all, m)
		}
	}
	sortByPath(all)
	return all
}

func pointer(parts []string) string {
	var p strings.Builder
	for _, part := range parts {
		p.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return p.String()
}

// problems are those that a schema cannot say.
func (d *Document) problems() []Problem {
	var all []Problem
	problem := func(path string, code ProblemCode, message string) {
		all = append(all, Problem{Path: path, Code: code, Message: message})
	}
	if _, err := time.LoadLocation(d.TimeZone); err != nil || d.TimeZone == "Local" {
		problem("/timeZone", NoSuchZone, "There is no such time zone.")
	}
	for path, amounts := range map[string]ByPosition{
		"/matches/online/coins": d.Matches.Online.Coins, "/matches/online/experience": d.Matches.Online.Experience, "/league/points": d.League.Points,
	} {
		if amounts[1] > amounts[0] {
			problem(path, WinnersGetLess, "The winners may not get less than the others.")
		}
	}
	if !slices.IsSorted(d.Stakes) {
		problem("/stakes", Unsorted, "The smallest entry comes first.")
	}
	if d.Queue.MaxWaitSeconds <= d.BotFillSeconds {
		problem("/queue/maxWaitSeconds", NobodyWaits, "Nobody would wait until the bots come.")
	}
	names := map[string]bool{}
	for i, division := range d.League.Divisions {
		path := "/league/divisions/" + strconv.Itoa(i)
		if names[division.Name] {
			problem(path+"/name", KeyTaken, "Another division has this name.")
		}
		names[division.Name] = true
		if division.Up+division.Down > division.GroupSize {
			problem(path, TooManyMove, "More move up and down than a group has.")
		}
		if i == 0 && division.Down > 0 {
			problem(path+"/down", NothingBelow, "There is no division below the lowest.")
		}
		if i == len(d.League.Divisions)-1 && division.Up > 0 {
			problem(path+"/up", NothingAbove, "There is no division above the highest.")
		}
		if len(division.Prizes) > division.GroupSize {
			problem(path+"/prizes", TooManyPrizes, "There are more prizes than players in a group.")
		}
		for rank := 1; rank < len(division.Prizes); rank++ {
			if division.Prizes[rank] > division.Prizes[rank-1] {
				problem(path+"/prizes/"+strconv.Itoa(rank), PrizeGrows, "A lower rank may not get a greater prize.")
			}
		}
	}
	skus, apple, google := map[string]bool{}, map[string]bool{"": false}, map[string]bool{"": false}
	for i, product := range d.Catalogue {
		path := "/catalogue/" + strconv.Itoa(i)
		for _, key := range []struct {
			member, value string
			seen          map[string]bool
		}{{"/sku", product.SKU, skus}, {"/apple", product.Apple, apple}, {"/google", product.Google, google}} {
			if key.seen[key.value] {
				problem(path+key.member, KeyTaken, "Another product has this key.")
			}
			key.seen[key.value] = key.value != ""
		}
		if product.Renews != "" && (product.Grants.Coins > 0 || product.Grants.Boosters > 0) {
			problem(path+"/renews", PassesRenewOnly, "Only days of a VIP pass are paid again and again.")
		}
		if product.From != nil && product.Until != nil && !product.From.Before(*product.Until) {
			problem(path+"/until", EndsBefore, "It ends before it begins.")
		}
	}
	sortByPath(all)
	return all
}

// locations are the time zones that have been asked for, by their names: to load one
// reads a file.
var locations sync.Map

// Location is the time zone that days and weeks are counted in.
func (d *Document) Location() *time.Location {
	if known, ok := locations.Load(d.TimeZone); ok {
		return known.(*time.Location)
	}
	location, err := time.LoadLocation(d.TimeZone)
	if err != nil {
		// Parse has refused such a document; only a machine without the database of
		// time zones gets here.
		return time.UTC
	}
	locations.Store(d.TimeZone, location)
	return location
}
