package plan

// Stage is one row of the Stage Map together with its section.
type Stage struct {
	Number    StageNumber
	Title     string        // of the map's row, rendered
	DependsOn []StageNumber // as listed, without repetitions
	Steps     int           // effective steps
	Files     []string      // named in the Exit Contract, cleaned, sorted
	Contract  string        // raw text of the Exit Contract in Section, "" where there is none
	Section   string        // raw text from the stage's heading to its end, LF line ends
	Pos       Position      // of the map's row
}

// Plan is what a checked document says about its stages.
type Plan struct {
	Stages []Stage // in the order of the map
}

// Stage gives the stage with the number.
func (p *Plan) Stage(n StageNumber) (Stage, bool) {
	for _, s := range p.Stages {
		if s.Number == n {
			return s, true
		}
	}
	return Stage{}, false
}
