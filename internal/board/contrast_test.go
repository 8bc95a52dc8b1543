package board

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func sampleTime(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// luminance is that of WCAG 2, of #rgb or #rrggbb.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) == 4 {
		colour = "#" + strings.Repeat(colour[1:2], 2) + strings.Repeat(colour[2:3], 2) + strings.Repeat(colour[3:4], 2)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.03928 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// TestContrast: text stands out by 4.5 at least in both schemes, lines and focus by 3.
func TestContrast(t *testing.T) {
	t.Parallel()
	schemes := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(asset("graph.css"), -1)
	if len(schemes) != 2 {
		t.Fatalf("%d schemes", len(schemes))
	}
	for _, scheme := range schemes {
		value := map[string]string{}
		for _, m := range regexp.MustCompile(`--([\w-]+):(#\w+)`).FindAllStringSubmatch(scheme[1], -1) {
			value[m[1]] = m[2]
		}
		check := func(front, back string, least float64) {
			a, b := luminance(t, value[front]), luminance(t, value[back])
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < least {
				t.Errorf("%s on %s: %.2f, at least %.1f", front, back, ratio, least)
			}
		}
		for _, back := range []string{"paper", "card"} {
			for _, front := range []string{"ink", "soft", "ready-l"} {
				check(front, back, 4.5)
			}
			check("focus", back, 3)
		}
		for _, state := range []string{"done", "active", "ready", "blocked"} {
			check("ink", state, 4.5)
			check(state+"-l", state, 4.5)
			check(state+"-l", "paper", 3)
		}
	}
}
