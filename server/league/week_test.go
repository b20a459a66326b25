package league_test

import (
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/league"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestWeek(t *testing.T) {
	for _, c := range []struct {
		name, zone, at   string // at is local time
		id, starts, ends string
		hours            float64
	}{
		{"any", "Europe/Madrid", "2026-03-04 10:00:00.000", "2026-03-02", "2026-03-01T23:00:00Z", "2026-03-08T23:00:00Z", 168},
		{"the first moment", "Europe/Madrid", "2026-03-02 00:00:00.000", "2026-03-02", "2026-03-01T23:00:00Z", "2026-03-08T23:00:00Z", 168},
		{"the last moment", "Europe/Madrid", "2026-03-01 23:59:59.999", "2026-02-23", "2026-02-22T23:00:00Z", "2026-03-01T23:00:00Z", 168},
		{"the clocks go forward", "Europe/Madrid", "2026-03-29 12:00:00.000", "2026-03-23", "2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z", 167},
		{"they have gone forward", "Europe/Madrid", "2026-03-30 00:00:00.000", "2026-03-30", "2026-03-29T22:00:00Z", "2026-04-05T22:00:00Z", 168},
		{"the clocks go back", "Europe/Madrid", "2026-10-25 12:00:00.000", "2026-10-19", "2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z", 169},
		{"they have gone back", "Europe/Madrid", "2026-10-26 00:00:00.000", "2026-10-26", "2026-10-25T23:00:00Z", "2026-11-01T23:00:00Z", 168},
		{"on the leap day", "Europe/Madrid", "2028-02-29 12:00:00.000", "2028-02-28", "2028-02-27T23:00:00Z", "2028-03-05T23:00:00Z", 168},
		{"a leap year's end", "UTC", "2024-12-31 23:00:00.000", "2024-12-30", "2024-12-30T00:00:00Z", "2025-01-06T00:00:00Z", 168},
		{"a year's first days", "UTC", "2027-01-01 00:00:00.000", "2026-12-28", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z", 168},
		{"no leap day in 2100", "UTC", "2100-03-01 00:00:00.000", "2100-03-01", "2100-03-01T00:00:00Z", "2100-03-08T00:00:00Z", 168},
		// In Tehran that Monday began at one o'clock.
		{"a Monday without midnight", "Asia/Tehran", "2021-03-22 01:00:00.000", "2021-03-22", "2021-03-21T20:30:00Z", "2021-03-28T19:30:00Z", 167},
		{"before it", "Asia/Tehran", "2021-03-21 23:59:59.999", "2021-03-15", "2021-03-14T20:30:00Z", "2021-03-21T20:30:00Z", 168},
		{"east of all", "Pacific/Kiritimati", "2026-03-02 00:00:00.000", "2026-03-02", "2026-03-01T10:00:00Z", "2026-03-08T10:00:00Z", 168},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04:05.000", c.at, zone(t, c.zone))
		if err != nil {
			t.Fatal(err)
		}
		s := league.Week(at, zone(t, c.zone))
		starts, ends := s.StartsAt.Format(time.RFC3339), s.EndsAt.Format(time.RFC3339)
		if s.ID != c.id || starts != c.starts || ends != c.ends || s.EndsAt.Sub(s.StartsAt).Hours() != c.hours {
			t.Errorf("%s: %s from %s to %s, %v hours; want %+v", c.name, s.ID, starts, ends, s.EndsAt.Sub(s.StartsAt).Hours(), c)
		}
	}
}

// Over twelve years, two of whose changes of the clocks each and three leap days,
// every week ends where the next one begins, and every moment is in its week.
func TestWeeksFollow(t *testing.T) {
	for _, name := range []string{"Europe/Madrid", "America/New_York", "Asia/Tehran", "Australia/Lord_Howe", "UTC"} {
		z, hours := zone(t, name), map[float64]int{}
		s := league.Week(time.Date(2015, 1, 5, 12, 0, 0, 0, z), z)
		for range 12 * 52 {
			hours[s.EndsAt.Sub(s.StartsAt).Hours()]++
			local := s.StartsAt.In(z)
			if local.Weekday() != time.Monday || local.Format(time.DateOnly) != s.ID {
				t.Fatalf("%s: %s begins at %s", name, s.ID, local)
			}
			for at := s.StartsAt; at.Before(s.EndsAt); at = at.Add(7 * time.Hour) {
				if got := league.Week(at, z); got != s {
					t.Fatalf("%s: %s is in %+v, want %+v", name, at, got, s)
				}
			}
			if got := league.Week(s.EndsAt.Add(-time.Nanosecond), z); got != s {
				t.Fatalf("%s: the last moment of %s is in %s", name, s.ID, got.ID)
			}
			next := league.Week(s.EndsAt, z)
			if !next.StartsAt.Equal(s.EndsAt) || next.ID <= s.ID {
				t.Fatalf("%s: %+v follows %+v", name, next, s)
			}
			s = next
		}
		if name == "Europe/Madrid" && (hours[167] != 12 || hours[169] != 12 || hours[168] != 12*50) {
			t.Errorf("%s: weeks by hours: %v", name, hours)
		}
	}
}
