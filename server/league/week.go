package league

import "time"

// Week is the season that a calendar week gives: from Monday, 00:00, to the next
// one in a time zone, named by its Monday. Where the clocks change it has an hour
// more or less.
func Week(at time.Time, zone *time.Location) Season {
	local := at.In(zone)
	// Sunday is the week's seventh day.
	monday := local.Day() - (int(local.Weekday())+6)%7
	return weekFrom(local.Year(), local.Month(), monday, zone)
}

// weekFrom is the week of a Monday; day may be outside the month.
func weekFrom(year int, month time.Month, day int, zone *time.Location) Season {
	return Season{
		ID:       time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
		StartsAt: midnight(year, month, day, zone).UTC(),
		EndsAt:   midnight(year, month, day+7, zone).UTC(),
	}
}

// midnight is when a day begins. Where the clocks jump over it, that is the jump.
func midnight(year int, month time.Month, day int, zone *time.Location) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, zone)
	begins := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if begins.Day() != noon.Day() {
		_, begins = begins.ZoneBounds()
	}
	return begins
}

// behind has a week begin where the season before it ended, at the earliest: the
// same zone need not have counted both. If it is the same week, or an earlier one,
// it is the next.
func behind(week, last Season, zone *time.Location) Season {
	if week.ID <= last.ID {
		monday, err := time.Parse(time.DateOnly, last.ID)
		if err != nil {
			monday = last.StartsAt // cannot be: every season is named by a Monday
		}
		week = weekFrom(monday.Year(), monday.Month(), monday.Day()+7, zone)
		week.StartsAt = last.EndsAt
	}
	if week.StartsAt.Before(last.EndsAt) {
		week.StartsAt = last.EndsAt
	}
	return week
}
