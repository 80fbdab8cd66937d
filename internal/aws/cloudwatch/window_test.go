package cloudwatch

import (
	"testing"
	"time"
)

// clock returns a time of a day.
func clock(h, m, s int) time.Time { return time.Date(2026, 1, 2, h, m, s, 0, time.UTC) }

func TestWindowAt(t *testing.T) {
	type args struct {
		now            time.Time
		length, period time.Duration
		since          time.Time
	}
	type want struct {
		start, end time.Time
		empty      bool
	}
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"LastPublished": {"It ends with the last minute that was over two minutes ago.", args{
			now:    clock(12, 12, 59),
			length: 5 * time.Minute, period: time.Minute,
		}, want{start: clock(12, 5, 0), end: clock(12, 10, 0)}},
		"OnTheMinute": {"A minute is published two minutes after its end.", args{
			now:    clock(12, 12, 0),
			length: time.Minute, period: time.Minute,
		}, want{start: clock(12, 9, 0), end: clock(12, 10, 0)}},
		"Since": {
			"What was before the first minute that counts does not.",
			args{now: clock(12, 12, 5), length: 5 * time.Minute, period: time.Minute, since: clock(12, 7, 0)},
			want{start: clock(12, 7, 0), end: clock(12, 10, 0)},
		},
		"SinceLongAgo": {"It is not longer than its length.", args{
			now: clock(12, 12, 5), length: 5 * time.Minute,
			period: time.Minute, since: clock(11, 0, 0),
		}, want{start: clock(12, 5, 0), end: clock(12, 10, 0)}},
		"Empty": {
			"Until a minute is published it is empty.",
			args{now: clock(12, 10, 59), length: 5 * time.Minute, period: time.Minute, since: clock(12, 8, 0)},
			want{start: clock(12, 8, 0), end: clock(12, 8, 0), empty: true},
		},
		"ClockSetBack": {
			"It is empty if the weight is of the future.",
			args{now: clock(11, 2, 0), length: 5 * time.Minute, period: time.Minute, since: clock(12, 8, 0)},
			want{start: clock(12, 8, 0), end: clock(11, 0, 0), empty: true},
		},
		"LongPeriod": {"Longer periods are published, too.", args{
			now: clock(12, 15, 59), length: 10 * time.Minute,
			period: 5 * time.Minute,
		}, want{start: clock(12, 0, 0), end: clock(12, 10, 0)}},
		"ShortPeriod": {
			"Periods of less than a minute are published after another one.",
			args{now: clock(12, 12, 35), length: time.Minute, period: 10 * time.Second},
			want{start: clock(12, 11, 20), end: clock(12, 12, 20)},
		},
		"PeriodIsLonger": {"It has at least one period.", args{
			now: clock(12, 15, 59), length: time.Minute,
			period: 5 * time.Minute,
		}, want{start: clock(12, 5, 0), end: clock(12, 10, 0)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := windowAt(tc.args.now, tc.args.length, tc.args.period, tc.args.since)
			if !w.start.Equal(tc.want.start) || !w.end.Equal(tc.want.end) || w.empty() != tc.want.empty {
				t.Errorf("%s\nwant %v to %v, empty %v\ngot  %v to %v, empty %v", tc.reason, tc.want.start, tc.want.end,
					tc.want.empty, w.start, w.end, w.empty())
			}
		})
	}
}

func TestWindowHas(t *testing.T) {
	w := window{start: clock(12, 0, 0), end: clock(12, 10, 0), period: 5 * time.Minute}
	for at, want := range map[time.Time]bool{
		clock(11, 59, 0): false, clock(12, 0, 0): true, clock(12, 5, 0): true, clock(12, 6, 0): false, clock(12, 10,
			0): false,
	} {
		if got := w.has(at); got != want {
			t.Errorf("has(%v) = %v, want %v", at, got, want)
		}
	}
}
