package conform

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sample is a path of each language.
var sample = map[string]string{
	"go": "a.go", "python": "a.py", "javascript": "a.js", "typescript": "a.ts", "java": "A.java", "kotlin": "A.kt", "csharp": "A.cs",
	"ruby": "a.rb", "php": "a.php", "rust": "a.rs", "c": "a.c", "cpp": "a.cpp", "swift": "a.swift", "shell": "a.sh", "sql": "a.sql",
	"yaml": "a.yaml", "terraform": "a.tf", "proto": "a.proto", "prisma": "a.prisma", "graphql": "a.graphql",
}

// touched is what an added line of a file touches.
func touched(t *testing.T, path, line string) []Touch {
	t.Helper()
	n := strings.Count(line, "\n") + 1
	diff := fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -9,0 +10,%d @@\n+%s\n", path, path, n, strings.ReplaceAll(line, "\n", "\n+"))
	files, err := ParseDiff([]byte(diff))
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	found, err := Builtin().Touches(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found.Touches
}

// TestExamples holds every rule to its examples: it is the one that finds what it is
// for, and nothing at all of its surface is found in what it is not for.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, rule := range Builtin().List {
		if rule.Doc == "" || len(rule.Yes) == 0 || len(rule.No) == 0 {
			t.Errorf("%s: a text, an example and a counter-example are wanted", rule.ID)
		}
		languages := rule.Languages
		if len(languages) == 0 {
			languages = []string{"go"}
		}
		for _, language := range languages {
			for _, yes := range rule.Yes {
				if got := exampleOf(t, rule, language, yes); !slices.ContainsFunc(got, func(touch Touch) bool { return touch.Rule == rule.ID }) {
					t.Errorf("%s in %s: %q finds %v", rule.ID, language, yes, got)
				}
			}
			for _, no := range rule.No {
				if got := exampleOf(t, rule, language, no); slices.ContainsFunc(got, func(touch Touch) bool { return touch.Surface == rule.Surface }) {
					t.Errorf("%s in %s: %q finds %v", rule.ID, language, no, got)
				}
			}
		}
	}
}

func exampleOf(t *testing.T, rule Rule, language, line string) []Touch {
	t.Helper()
	switch rule.Kind {
	case kindPath:
		return touched(t, line, "word")
	case kindNear:
		all := touched(t, sample[language], nearby[language+" "+string(rule.Surface)]+"\n"+line)
		return slices.DeleteFunc(all, func(touch Touch) bool { return touch.Text != line })
	}
	return touched(t, sample[language], line)
}

// nearby are imports beside which the examples of near rules stand.
var nearby = map[string]string{
	"csharp db": "using Npgsql;", "swift db": "import GRDB", "ruby db": "require 'sequel'", "java db": "import java.sql.Connection;",
	"kotlin db": "import org.jetbrains.exposed.sql.*", "python db": "import sqlite3", "php db": "use Doctrine\\ORM\\EntityManager;",
	"csharp external": "using Stripe;", "swift external": "import StoreKit", "ruby external": "require 'bunny'",
	"go db": "import \"database/sql\"", "javascript db": "import pg from 'pg'", "typescript db": "import pg from 'pg'", "rust db": "use sqlx::Pool;",
	"go external": "import \"github.com/stripe/stripe-go/v76\"", "python external": "import stripe", "javascript external": "import Stripe from 'stripe'",
	"typescript external": "import Stripe from 'stripe'", "rust external": "use lapin::Channel;", "rust io": "use std::fs::File;",
	"java external": "import com.stripe.*;", "kotlin external": "import com.stripe.*",
}
