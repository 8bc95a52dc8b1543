// Package doctor finds what is wrong with the state that git-okstra keeps in a
// repository: refs and notes that disagree, rows that something dropped, leftovers of
// killed processes, settings that would destroy notes. It first gathers all facts,
// with a number of git processes that does not depend on their number, then asks each
// check of one table. Some findings can be mended: by finishing what the order of a
// transaction allows to be finished, or by putting back what was there, never by
// choosing between two truths.
package doctor
