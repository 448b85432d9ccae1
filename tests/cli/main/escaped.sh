# What the command line says reaches no terminal as it is, whoever complains about it.
bad=$(printf 'a\033[31m\a\nb\233')
try() {
	assay "$@" >out 2>message
	echo "exit $?, $(LC_ALL=C tr -d '[:print:]\n' <message | wc -c) raw"
	head -n 1 message
}
try "$bad"
for command in record run report sql list doctor; do
	try $command "--$bad"
done
try record "-$(printf '\033')"
try record "--co=$bad"
try record -F "$bad"
try record -t "$bad"
try record --call-graph "$bad"
try list "$bad"
