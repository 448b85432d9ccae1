# A name selects the processes that run this program, and no others.
cat >spin.c <<'END'
int main(void)
{
	for (;;)
		;
}
END
gcc -o wanted spin.c
cp wanted other
./wanted &
first=$!
./wanted &
second=$!
./other &
third=$!
# Each process has executed its program when its file is named in /proc.
for pid in $first $second $third; do
	until readlink /proc/$pid/exe | grep -q '/wanted\|/other'; do sleep 0.05; done
done
assay stat -p wanted --per-thread -e task-clock --csv -d 0.5 | grep -o 'tid [0-9]* ([a-z]*)' |
	sed "s/$first/first/; s/$second/second/" | sort
assay stat -p "$third,wanted" --per-thread -e task-clock --csv -d 0.2 | grep -c 'tid '
assay stat -p want -d 0.1 2>&1
echo "exit $?"
kill $first $second $third
