/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the ledger next to the kernel's own numbers. The ledger divides all CPU time of the run
 * into entries such as user or idle.
 */
#include "present/text.h"

#include <inttypes.h>
#include <math.h>

#define CPUS_SHOWN 8	/* with more CPUs, only the total is shown */

static double seconds(int64_t ns)
{
	/* rounded to what is printed, because -0.0002 would become "-0.000"; -0.0 + 0.0 is 0.0 */
	return round((double)ns / 1e6) / 1e3 + 0.0;
}

static double percent_of_wall(const struct account *account, int64_t ns)
{
	return account->total.wall_ns ? 100 * (double)ns / (double)account->total.wall_ns : 0;
}

/*
 * Stores the time that the kernel counted for @entry (from /proc/stat) in *ret_ns. Returns false if
 * the kernel has no such number.
 */
static bool kernel_entry(const struct account_column *column, enum account_entry entry,
			 uint64_t *ret_ns)
{
	const uint64_t *ns = column->kernel_ns;

	switch (entry) {
	case ACCOUNT_USER:
		*ret_ns = ns[CPU_TIME_USER] + ns[CPU_TIME_NICE];
		return true;
	case ACCOUNT_SYSTEM:
		*ret_ns = ns[CPU_TIME_SYSTEM];
		return true;
	case ACCOUNT_SOFTIRQ:
		*ret_ns = ns[CPU_TIME_SOFTIRQ];
		return true;
	case ACCOUNT_HARDIRQ:
		*ret_ns = ns[CPU_TIME_IRQ];
		return true;
	case ACCOUNT_IDLE:
		*ret_ns = ns[CPU_TIME_IDLE] + ns[CPU_TIME_IOWAIT];
		return true;
	case ACCOUNT_STEAL:
		*ret_ns = ns[CPU_TIME_STEAL];
		return true;
	default:
		return false;
	}
}

static void put_entry(struct table *table, const struct account *account, size_t cpus,
		      enum account_entry entry)
{
	const struct account_column *total = &account->total;
	uint64_t kernel_ns;

	table_cell(table, "%.3f", seconds(total->ns[entry]));
	table_cell(table, "%.2f%%", percent_of_wall(account, total->ns[entry]));
	if (kernel_entry(total, entry, &kernel_ns))
		table_cell(table, "%.3f", seconds((int64_t)kernel_ns));
	else
		table_cell(table, "%s", "");
	for (size_t i = 0; i < cpus; i++)
		table_cell(table, "%.3f", seconds(account->cpus.at[i].ns[entry]));
	table_cell(table, "%s", account_entry_name(entry));
}

static void put_busy(struct table *table, const struct account *account, size_t cpus)
{
	const struct account_column *total = &account->total;

	table_cell(table, "%.3f", seconds(total->busy_ns));
	table_cell(table, "%.2f%%", percent_of_wall(account, total->busy_ns));
	table_cell(table, "%.3f", seconds(total->kernel_busy_ns));
	for (size_t i = 0; i < cpus; i++)
		table_cell(table, "%.3f", seconds(account->cpus.at[i].busy_ns));
	table_cell(table, "%s", "= busy");
}

static void put_wall(struct table *table, const struct account *account, size_t cpus)
{
	table_cell(table, "%.3f", seconds((int64_t)account->total.wall_ns));
	table_cell(table, "%.2f%%", 100.0);
	table_cell(table, "%s", "");
	for (size_t i = 0; i < cpus; i++)
		table_cell(table, "%.3f", seconds((int64_t)account->cpus.at[i].wall_ns));
	table_cell(table, "%s", "= CPUs x wall");
}

static void print_table(struct text *text, const struct account *account)
{
	size_t cpus = account->cpus.count <= CPUS_SHOWN ? account->cpus.count : 0;
	char titles[CPUS_SHOWN][16];
	struct table_column columns[4 + CPUS_SHOWN] = {
		RIGHT("seconds"),
		RIGHT("share"),
		RIGHT("/proc/stat"),
	};
	struct table table = { .columns = columns, .column_count = 4 + cpus };

	for (size_t i = 0; i < cpus; i++) {
		(void)snprintf(titles[i], sizeof(titles[i]), "cpu %" PRIu32,
			       account->cpus.at[i].cpu);
		columns[3 + i].title = titles[i];
	}
	columns[3 + cpus] = (struct table_column)LEFT("of which");
	for (int entry = 0; entry < ACCOUNT_COUNT; entry++)
		put_entry(&table, account, cpus, (enum account_entry)entry);
	put_wall(&table, account, cpus);
	put_busy(&table, account, cpus);
	text_table(text, &table);
}

/*
 * Returns the part of the elapsed time that the kernel's numbers do not account for. There usually
 * is such a part, because the kernel counts in whole ticks.
 */
static int64_t kernel_rest_ns(const struct account_column *column)
{
	return (int64_t)column->wall_ns - column->kernel_busy_ns - column->ns[ACCOUNT_IDLE] -
	       column->ns[ACCOUNT_WAKE] - column->ns[ACCOUNT_UNSAMPLED] - column->ns[ACCOUNT_STEAL];
}

static void print_disagreement(struct text *text, const struct account *account)
{
	const struct account_column *total = &account->total;
	enum account_class which = account->disagreement;
	double kernel_share = percent_of_wall(account, total->kernel_class_ns[which]) / 100;

	text_line(text,
		  "WARNING: samples and /proc/stat disagree on %s time by %+.2f%% of all time "
		  "(%.3f s sampled, %.3f s in /proc/stat). Most kernels charge a whole tick at "
		  "a time, so /proc/stat is itself a sample of 100 to 1000 Hz: work that runs "
		  "in step with the tick is missed or charged too much.",
		  account_class_name(which), 100 * account->disagreement_share,
		  seconds(total->class_ns[which]), seconds(total->kernel_class_ns[which]));
	if (kernel_share >= account->class_share.low && kernel_share <= account->class_share.high)
		text_line(text,
			  "With so few samples the share can be anywhere in "
			  "[%.2f-%.2f]%%: sample longer or faster.",
			  100 * account->class_share.low, 100 * account->class_share.high);
}

static void print_mute(struct text *text, const struct account *account)
{
	char cpus[64] = "";
	size_t used = 0;

	for (size_t i = 0; i < account->cpus.count && used < sizeof(cpus); i++)
		if (account->cpus.at[i].mute)
			used += (size_t)snprintf(cpus + used, sizeof(cpus) - used, " %" PRIu32,
						 account->cpus.at[i].cpu);
	text_line(text,
		  "Unsampled interrupts: the kernel takes no samples of the idle task on CPU%s, "
		  "so interrupts of that task are seen as time that is neither idle nor sampled.",
		  cpus);
}

static void print_notes(struct text *text, const struct account *account)
{
	uint64_t stolen_ns = account->total.kernel_ns[CPU_TIME_STEAL];

	if (account->total.ns[ACCOUNT_WAKE])
		text_line(text, "Interrupts of idle: mostly those of the sampling timer; the "
				"kernel counts their time neither as idle nor as busy.");
	if (account->total.ns[ACCOUNT_UNSAMPLED])
		print_mute(text, account);
	if (percent_of_wall(account, (int64_t)stolen_ns) > 100 * ACCOUNT_TOLERANCE)
		text_line(text,
			  "The host took away %.3f s (%.2f%%) of the CPUs' time. Most of it is "
			  "included in the times above, because they are measured with a wall "
			  "clock.",
			  seconds((int64_t)stolen_ns),
			  percent_of_wall(account, (int64_t)stolen_ns));
}

static void print_warnings(struct text *text, const struct account *account)
{
	if (account->unaccounted_warns)
		text_line(text,
			  "WARNING: %.2f%% of all time is unaccounted for (%.2f%% in /proc/stat "
			  "itself).",
			  100 * account->unaccounted_share,
			  percent_of_wall(account, kernel_rest_ns(&account->total)));
	if (account->disagreement_warns)
		print_disagreement(text, account);
	if (!account->lost_known)
		text_line(text, "Lost time is unknown because several events share the rings.");
}

void text_ledger(struct text *text)
{
	const struct overview *o = text->overview;
	const struct account *account = &o->account;

	text_title(text, "Time ledger");
	if (account->missing) {
		text_line(text, "not shown: %s", account->missing);
		if (o->is_time)
			text_line(text, "sampled CPU time: %.4f s",
				  seconds((int64_t)o->busy.weight));
		return;
	}
	print_table(text, account);
	print_notes(text, account);
	print_warnings(text, account);
}
