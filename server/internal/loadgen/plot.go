package loadgen

import (
	"cmp"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Chart is lines over one axis.
type Chart struct {
	Title, X, Y string
	// Log has the upward axis go by powers of ten. What is not above zero is left out.
	Log bool
	// Ticks name places on the axis that goes across; without them it has numbers.
	Ticks []string
	Lines []Line
}

// Line is a line of points. Dots marks them, Dashed breaks the line.
type Line struct {
	Name         string // empty: it is not in the legend
	Color        int
	Points       [][2]float64
	Dots, Dashed bool
}

var colors = append(slices.Clone(plotutil.DarkColors), plotutil.SoftColors...)

// size of one chart.
const (
	chartWidth  = 18 * vg.Centimeter
	chartHeight = 7 * vg.Centimeter
)

// Draw writes charts, one below the other, as SVG.
func Draw(w io.Writer, charts ...Chart) error {
	plots := make([][]*plot.Plot, len(charts))
	for i, c := range charts {
		p, err := c.plot()
		if err != nil {
			return err
		}
		plots[i] = []*plot.Plot{p}
	}
	canvas := vgsvg.New(chartWidth, chartHeight*vg.Length(len(charts)))
	page := draw.New(canvas)
	tiles := draw.Tiles{Rows: len(charts), Cols: 1, PadY: vg.Points(8), PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(10)}
	for i, row := range plot.Align(plots, tiles, page) {
		plots[i][0].Draw(row[0])
	}
	_, err := canvas.WriteTo(w)
	return err
}

func (c *Chart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	p.Add(plotter.NewGrid())
	lowest := math.Inf(1)
	for _, l := range c.Lines {
		var points plotter.XYs
		for _, at := range l.Points {
			if !c.Log || at[1] > 0 {
				points = append(points, plotter.XY{X: at[0], Y: at[1]})
				lowest = min(lowest, at[1])
			}
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color = colors[l.Color%len(colors)]
		dots.Color, dots.Shape = line.Color, draw.CircleGlyph{}
		if l.Dashed {
			line.Dashes = plotutil.Dashes(1)
		}
		p.Add(line)
		thumbs := []plot.Thumbnailer{line}
		if l.Dots {
			p.Add(dots)
			thumbs = append(thumbs, dots)
		}
		if l.Name != "" {
			p.Legend.Add(l.Name, thumbs...)
		}
	}
	if len(c.Ticks) > 0 {
		var ticks plot.ConstantTicks
		for i, name := range c.Ticks {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		}
		p.X.Tick.Marker = ticks
	}
	if c.Log && !math.IsInf(lowest, 1) {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		p.Y.Min = math.Pow(10, math.Floor(math.Log10(lowest)))
		p.Y.Max = math.Pow(10, math.Ceil(math.Log10(max(p.Y.Max, 10*p.Y.Min))))
	} else {
		p.Y.Min = 0
		p.Y.Max = max(p.Y.Max*1.2, 1e-3)
	}
	return p, nil
}

// Plot writes how the run went, as SVG: rates and percentiles over time, and the
// percentiles of all.
func (r *Report) Plot(w io.Writer) error {
	rates := Chart{X: "seconds", Y: "done in a second"}
	times := Chart{X: "seconds", Y: "ms, p50 and p99 (dashed)", Log: true}
	all := Chart{Y: "ms", Log: true, Ticks: []string{"p50", "p90", "p99", "p99.9", "most"}}
	for i, s := range r.Series {
		if s.Count == 0 {
			continue
		}
		points := slices.SortedFunc(slices.Values(s.Points), func(a, b Point) int { return cmp.Compare(a.At, b.At) })
		rate, p50, p99 := Line{Name: s.Name, Color: i}, Line{Name: s.Name, Color: i}, Line{Color: i, Dashed: true}
		for _, p := range points {
			rate.Points = append(rate.Points, [2]float64{p.At, p.Rate})
			p50.Points = append(p50.Points, [2]float64{p.At, p.P50})
			p99.Points = append(p99.Points, [2]float64{p.At, p.P99})
		}
		rates.Lines = append(rates.Lines, rate)
		times.Lines = append(times.Lines, p50, p99)
		all.Lines = append(all.Lines, Line{Name: s.Name, Color: i, Dots: true, Points: [][2]float64{{0, s.P50}, {1, s.P90}, {2, s.P99}, {3, s.P999}, {4, s.Max}}})
	}
	return Draw(w, rates, times, all)
}
