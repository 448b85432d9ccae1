# What makes no sense is said before anything is sampled.
# status: 1
for words in '-- true' '--by=time' '--by=block' '--by=process,image' '--by=nothing' '--refresh=0' \
	'--window=soon' '-F 99 -c 5'; do
	assay top --json $words >out 2>&1
	echo "$words: exit $?: $(head -1 out | cut -c1-100)"
done
assay top </dev/null 2>&1
