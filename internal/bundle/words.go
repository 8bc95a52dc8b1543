package bundle

// gitWords are words of git's complaints, and of the system's, that say what is wrong and
// nothing of whom.
const gitWords = `
a about access add after again ahead all already also an and another any are argument as at bad bare be because been before behind better
branch broken but by bytes cannot cat change changed check checkout checksum clean clone command commit commits common config configuration
conflict connect connection corrupt corrupted could create damaged data dangling date delete denied device diff differ different directory
dir disk does done dubious each email empty end entry eof error exec exist exists exit expected extension extensions failed fatal fetch file
files find first for format found from full garbage gc get git gitdir group had has have head header help here hint hooks host id if in
incomplete incorrect index inflate input into invalid io is isolated it its keep key killed large left length less line link list local lock
locked log long loose main malformed map match merge merging message messages missing mode more most must name named names new no none nor
not note notes nothing null number object objects of off on one only open operation option or origin other out output owner ownership pack
packed packs parent parse path paths permission permitted pipe plan please pointer point points process program promisor prune push range read reading
ready record ref reference reflog reflogs refs refused remain remote remove rename repair repository rev revision root row rows run safe same
see sequence set setting settings shallow short sign signal size some space stage stages state such tag task tasks terminal than that the their
them then there these they this through time timed to too tool tree trees try type unable unexpected unknown unlink unmerged unpack unreadable
unsupported until up update use used user uses valid value values variable version was well were what when where which while who with within
without work working worktree worktrees write writing wrong you your zlib
blob rev-parse for-each-ref update-ref cat-file rev-list symbolic-ref merge-base merge-tree diff-tree hash-object mktree ls-files
`
