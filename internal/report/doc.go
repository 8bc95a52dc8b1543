// Package report turns results into text and JSON. It is pure: values in,
// bytes out. Text that comes from a plan or a repository is escaped here.
package report
