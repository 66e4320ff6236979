# Two commands do everything: `make run` and `make test`.
# All packages have the versions and hashes in locks/. sysv_ipc is built from source: its Linux wheels lack semtimedop,
# without which a wait for a lock has no deadline; gcc from 14 on finds it only if _GNU_SOURCE is defined.

# The newest that will do, unless one is named. An environment that exists keeps its own.
PYTHON ?= $$(sh locks/python.sh)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RELEASE := $(VENV)/.release
DATA ?= var
PORT ?= 2323
JOBS ?= 5
CALLERS ?= 200
SECONDS ?= 60
GAMES ?= 1000
ACT ?=
ACT_SECONDS ?= 20
PREFIX ?= /opt/yawc
LOCK ?= run
# A test run starts the program hundreds of times: it is compiled once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE
# What keeps the program's shape: docstrings, documents true to the code, a game that is a folder.
SHAPE := $(addprefix tests/rules/test_, structure.py documents.py config.py configuration_page.py game_folders.py) \
    tests/end_to_end/test_made_up_game.py
# What starts next to no process, and so waits for nothing.
PURE := $(addprefix tests/,engine rows rules screens)
NOT_AGAIN := $(addprefix --ignore=,$(SHAPE))
# What takes longest, and is left to `make long`: `make test` has eight minutes on two cores.
LONG := $(addprefix tests/,browser cluster systemd) $(addprefix tests/isolation/test_, bank_at_once.py everybody.py \
    exchange.py kill_points.py moderation.py rehearsal.py rows.py tournaments.py) $(addprefix tests/end_to_end/test_, \
    activation.py alone.py analysis.py bad_input.py daemon.py daemon_start.py daily.py damage.py database.py door.py \
    dropped_line.py everybody.py exhaustion.py hosts.py house.py linear.py tls.py tournaments.py upgrade.py web.py \
    wire.py yawcctl.py)
# Of these games `make long` plays each at one size.
TOUCH := tests/browser/test_browser_games.py
# What depends on the interpreter most: memory, signals, locks, databases, telnet from end to end.
CORE := tests/ipc $(addprefix tests/isolation/test_, heap.py immortal.py bank_store.py tables.py loop_events.py \
    prompts.py seals.py stuck.py unchanged.py) $(addprefix tests/end_to_end/test_, login.py memory_shortage.py pages.py \
    poker.py)

CHECKS := style types shape
TWO_AT_ONCE := $(MAKE) --no-print-directory --jobs 2 --output-sync=target
PURE_AND_LIVE := $(MAKE) --no-print-directory --jobs 2 pure live

# Make an environment, unless it is there: $(call environment,FOLDER).
environment = test -x $(1)/bin/python || { python="$(PYTHON)" && $$python -m venv $(1); }

# Install the packages of a lock file, checked against its hashes, into the environment with this folder of programs,
# then this program itself: $(call install,FOLDER,LOCK,OPTIONS).
define install
$(1)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement locks/build.txt
CC="$${CC:-cc} -D_GNU_SOURCE" $(1)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
    --no-build-isolation --no-binary sysv_ipc --requirement locks/$(2).txt
$(1)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation $(3) .
$(1)/python locks/door.py
endef

.PHONY: run page page-tests test pure live long soak touch core manual deb release dist removable check types style shape compiled install locks configuration words picture diagrams screenshots moving bench stress night cluster bots hostile fuzz systemd clean

run: page
	$(BIN)/python -m telnetd --data $(DATA) --port $(PORT)

# xterm.js for the page in the browser, once. Without it, as on a machine without a network, all else works.
page: $(STAMP)
	@$(BIN)/python locks/page.py

# What the tests of the page need beside it, axe-core, once.
page-tests: $(STAMP)
	@$(BIN)/python locks/page.py --tests

# All tests but the long ones; those that `check` has run are not run again. `compiled` is for the workers, who else
# would all do it.
test: page-tests
	@$(TWO_AT_ONCE) $(CHECKS) compiled
	@$(PURE_AND_LIVE)

long: page-tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(LONG)

# Tests that start processes wait for them much of the time: the pure ones take what is left of the processors meanwhile,
# and say what came of it in the end.
pure: $(STAMP)
	@mkdir -p build
	nice -n 5 $(BIN)/python -m pytest -n 2 $(NOT_AGAIN) $(PURE) > build/pure.txt 2>&1; code=$$?; cat build/pure.txt; exit $$code

live: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(NOT_AGAIN) $(addprefix --ignore=,$(PURE) $(LONG))

# All tests with all their examples, kill points and orders, which takes an hour or more; fails where `make long` skips
# what a cluster needs. Says when it last passed in tests/soaked.txt. With HOURS=2: no tests, but callers and monkeys at
# one host and at three, for so long, with every fault of the stress test and an eye on leaks.
ifdef HOURS
soak: $(STAMP)
	$(BIN)/python -m tests.stress.soak --hours $(HOURS) $(if $(SEED),--seed $(SEED))
else
soak: page-tests
	@$(TWO_AT_ONCE) $(CHECKS) compiled
	@YAWC_SOAK=1 YAWC_CLUSTER=1 $(PURE_AND_LIVE)
	@YAWC_SOAK=1 YAWC_CLUSTER=1 $(MAKE) --no-print-directory long
	echo "$$(date +%F): everything passed at $$(git describe --always --dirty)" > tests/soaked.txt
endif

# All four games by touch at every size of a page, to their ends; takes some eight minutes, and needs a browser.
touch: page-tests
	YAWC_SOAK=1 $(BIN)/python -m pytest --verbose $(TOUCH)

# The core of the tests, for a second interpreter: `make core VENV=.venv-3.13 PYTHON=python3.13`.
core: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(CORE)

# Take off each extra, and all of them at once, in a copy, and test what is left; `make removable ALL=1` does the latter.
removable: $(STAMP)
	$(BIN)/python -m tests.removable $(if $(ALL),--all-at-once)

check: $(STAMP)
	@$(TWO_AT_ONCE) $(CHECKS)

types: $(STAMP)
	$(BIN)/mypy

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

shape: $(STAMP)
	$(BIN)/python -m pytest -q $(SHAPE)

compiled: $(STAMP)
	$(BIN)/python -m pytest -q --collect-only $(NOT_AGAIN) > /dev/null

$(STAMP): pyproject.toml locks/build.txt locks/dev.txt
	$(call environment,$(VENV))
	$(call install,$(BIN),dev,--editable)
	touch $@

# For a sysop: install or upgrade the program in an environment of its own: `make install PREFIX=/opt/yawc`; with
# LOCK=cluster also what a PostgreSQL database needs.
install:
	$(call environment,$(PREFIX))
	$(call install,$(PREFIX)/bin,$(LOCK),--force-reinstall)

# Write the lock files from pyproject.toml. Locked versions stay as they are unless they no longer fit.
# `make locks UPGRADE=--upgrade` takes the newest versions.
locks: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --target $(VENV)/uv 'uv>=0.13,<0.14'
	UV=$(VENV)/uv/bin/uv sh locks/write.sh $(UPGRADE)

# The example configuration and the configuration page, from the settings' definitions.
configuration: $(STAMP)
	$(BIN)/python -m docs.configuration

# For new texts: `make words`, translate the empty entries of the .po file, `make words` again.
words: $(STAMP)
	mkdir -p build
	$(BIN)/pybabel -q extract -F babel.cfg --no-default-keywords -k words -k count:1,2 -k mark --no-location --sort-output \
	    --project yawc-poker --version 1.0 --msgid-bugs-address '' -o build/yawc.pot yawc_poker
	$(BIN)/pybabel -q update -i build/yawc.pot -d yawc_poker/locale -D yawc --no-fuzzy-matching --ignore-obsolete \
	    --ignore-pot-creation-date --no-wrap
	$(BIN)/pybabel -q compile -d yawc_poker/locale -D yawc

# Draw the README's pictures of the four games from real tables.
picture: $(STAMP)
	$(BIN)/python -m docs.picture

# Draw the diagrams of docs/internals.md from the code's tables.
diagrams: $(STAMP)
	$(BIN)/python -m docs.diagrams

# Take the handbook's screenshots of the page in a browser; needs chromium and chromium-driver.
screenshots: page
	$(BIN)/python -m docs.screenshots

# Take the README's moving picture of a link, a seat and a trick; needs chromium and chromium-driver, too.
moving: page
	$(BIN)/python -m docs.moving

# Measure everything beside its peers and write benchmarks/results.md; takes half an hour on an idle machine.
# Needs cc. Without a redis-server, Debian's packages are unpacked below .venv; without those, that peer is left out.
# `make bench ONLY="broadcast table"` prints some groups; `make bench RESUME=1` goes on with a run that was broken off.
bench: $(VENV)/.bench
	command -v redis-server > /dev/null || test -x $(BIN)/redis-server \
	    || sh benchmarks/peers/redis.sh $(VENV)/redis $(BIN)/redis-server \
	    || echo "no redis-server is to be had: that peer will read 'not installed'"
	$(BIN)/python -m benchmarks $(if $(ONLY),--only $(ONLY)) $(if $(RESUME),--resume)

$(VENV)/.bench: $(STAMP) locks/bench.txt
	$(call install,$(BIN),bench,--editable)
	touch $@

# The stress test; `make stress CALLERS=1000 SECONDS=300 SEED=7` for another run, or to repeat one. HOSTS=3: at three
# hosts with one database, each in a network namespace, which needs root, PostgreSQL and PgBouncer. TOURNAMENT=maumau:
# all play a tournament of that game to its end; CALLERS=40.
stress: $(STAMP)
	$(BIN)/python -m tests.stress --callers $(CALLERS) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) \
	    $(if $(HOSTS),--hosts $(HOSTS)) $(if $(TOURNAMENT),--tournament $(TOURNAMENT))

# A night of scripts against house players in some minutes; the verdict says what they won.
night: CALLERS = 12
night: SECONDS = 300
night: $(STAMP)
	$(BIN)/python -m tests.stress --night --callers $(CALLERS) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Test three hosts with one database, also what takes longer; fails where `make long` skips. Needs root, iproute2,
# PostgreSQL and PgBouncer. Then kill sessions at every step of every operation.
cluster: $(STAMP)
	YAWC_CLUSTER=1 $(BIN)/python -m pytest tests/cluster --verbose
	YAWC_CLUSTER=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup tests/isolation/test_kill_points.py

# Four bots play Mau-Mau by the wire; the history must agree with what they saw.
bots: $(STAMP)
	$(BIN)/python -m tests.stress.bots --games $(GAMES) $(if $(SEED),--seed $(SEED))

# What makes a release, in the same environment.
$(RELEASE): $(STAMP) locks/release.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement locks/release.txt
	touch $(RELEASE)

# Man pages and shell completion of all programs, below build/manual as they lie below /usr/share.
manual: $(STAMP) $(RELEASE)
	$(BIN)/python -m release.manual build/manual

# The Debian package, for the system's own Python; two builds of one commit are the same bytes.
deb: page manual
	sh release/deb.sh $(VENV) dist

# All that a release is, in dist/: wheel, source, Debian package, what they contain (an SBOM), and their checksums.
release: test long
	$(MAKE) --no-print-directory dist

dist: page manual
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build --target sdist --target wheel --directory dist
	sh release/deb.sh $(VENV) dist
	sed "s/^dynamic = .*/$$(sed -n 's/^__version__/version/p' yawc_poker/__init__.py)/" pyproject.toml >build/pyproject.toml
	$(BIN)/cyclonedx-py requirements locks/run.txt --output-reproducible --pyproject build/pyproject.toml --output-file dist/sbom.json
	cd dist && sha256sum * >SHA256SUMS

# Test the units of deploy/ and the Debian package with systemd in a container; fails where `make long` skips. Needs root.
systemd: $(STAMP) $(RELEASE)
	YAWC_SYSTEMD=1 $(BIN)/python -m pytest tests/systemd --verbose

# Fuzz all code that handles bytes from outside with atheris, which only this installs; `make fuzz SECONDS=600`.
fuzz: $(VENV)/.fuzz
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

$(VENV)/.fuzz: $(STAMP) locks/fuzz.txt
	$(call install,$(BIN),fuzz,--editable)
	touch $@

# Run hostile callers, one kind after the other, and measure how long all others wait for their screens; needs an idle
# machine. `make hostile ACT="chat" ACT_SECONDS=60` runs some kinds, for longer.
hostile: $(STAMP)
	$(BIN)/python -m tests.hostile --seconds $(ACT_SECONDS) --only "$(ACT)"

clean:
	rm -rf $(VENV) $(VENV)-* build dist telnetd/extras/web/page/vendor .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
