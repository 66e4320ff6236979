"""What a running BBS looks like from outside: gauges, Prometheus' format, overviews for a sysop."""
