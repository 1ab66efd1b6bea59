"""The names under which Inspect finds the project's evaluation: `inspect eval orgweave/crm`."""
