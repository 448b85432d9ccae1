/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shared object that churn loads copies of. */
void churn_plugin(unsigned long steps);

void churn_plugin(unsigned long steps)
{
	for (volatile unsigned long i = 0; i < steps; i++)
		;
}
