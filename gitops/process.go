package gitops

import (
	"os"
	"strconv"
	"strings"
)

// ProcessStart is a process's start time as Linux tells it (clock ticks since boot),
// "" where that cannot be known: with the pid it names one process for good.
func ProcessStart(pid int) string {
	_, start := processStat(pid)
	return start
}

// ProcessEnded reports whether the process that had this pid and start time (see
// ProcessStart; "" for unknown) has ended. It says yes only where it can be known, so a
// system without /proc takes a newer process of the same number for the old one.
func ProcessEnded(pid int, start string) bool {
	if pid <= 0 {
		return false
	}
	if !processRuns(pid) {
		return true
	}
	state, now := processStat(pid)
	if state == "Z" || state == "X" { // it has ended, and its parent has not asked yet
		return true
	}
	return start != "" && now != "" && now != start
}

// processStat reads state and start time out of proc(5)'s stat.
func processStat(pid int) (state, start string) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", ""
	}
	behind := strings.LastIndex(string(stat), ") ") // a name may hold anything
	if behind < 0 {
		return "", ""
	}
	fields := strings.Fields(string(stat)[behind+2:])
	const startTime = 19 // field 22, counted from behind the name
	if len(fields) <= startTime {
		return "", ""
	}
	return fields[0], fields[startTime]
}
