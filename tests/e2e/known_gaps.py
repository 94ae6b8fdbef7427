"""What is not there yet: the beginning of a test's name, and why it fails. conftest.py expects these
tests to fail; one that passes must be taken off the list."""


GAPS = {
}
