"""Settings of all tests, and the fixtures that tests of several folders use.

How long an example takes says more about the machine than about the program.
"""

from hypothesis import HealthCheck, settings

from tests.postgres import database, empty_database, postgres

__all__ = ["database", "empty_database", "postgres"]

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
